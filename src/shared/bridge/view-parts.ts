import { z } from 'zod'
import { type ErrorCode, errorCodes } from '../errors/catalogue.ts'
import { id } from '../wire/primitives.ts'

/** Times are ISO 8601 texts with offset. */
export const time = z.iso.datetime({ offset: true })

/** The id of a record in an argument of a bridge call. */
export const idArgument = z.string().min(1).max(100)

/** The id of a service's record, in an argument that becomes part of a request. Requests accept only GUIDs. */
export const serviceIdArgument = id.max(100)

/** A day as `YYYY-MM-DD`. */
export const day = z.iso.date()

export const failureView = z.object({
  code: z.enum(errorCodes as [ErrorCode, ...ErrorCode[]]),
  params: z.record(z.string(), z.union([z.string(), z.number()])),
})
export type FailureView = z.infer<typeof failureView>
