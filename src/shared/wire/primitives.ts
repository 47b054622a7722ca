import { z } from 'zod'

/** An identifier the service made. `guid`, not `uuid`: foreign ids are not always RFC 9562 variants. */
export const id = z.guid()

/** ISO 8601 datetime with offset, kept as text (api.md, introduction). */
export const dateTime = z.iso.datetime({ offset: true })

/** Any text the service may leave out by sending null. */
export const nullableText = z.string().nullable()

/** Parameters of a path with `:id`. */
export const byId = z.object({ id })
