import { createHash } from 'node:crypto'
import type { FastifyInstance } from 'fastify'

type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json }

/** Fields that can contain a whole variant (API.md 3.2). */
const variantKeys = new Set(['variant', 'bundled_variant', 'from_variant', 'to_variant'])
const dimensions = new Set(['height', 'depth', 'width', 'weight'])
const strangeStatus = 'wms_internal_42'

/**
 * Changes the responses of this Fastify scope to forms that the real service might send, where API.md permits several
 * forms or has no complete list (API.md 19): variants reduced to `{id}`, countries as UUIDs, `order_external_reference`
 * as an array, dimensions as text, `name` in place of `title`, and an unlisted status on about every third record.
 */
export function answerWithQuirks(app: FastifyInstance): void {
  app.addHook('onSend', (_request, reply, payload, done) => {
    // a list is sent as a Buffer, any other resource as a text
    const text = Buffer.isBuffer(payload) ? payload.toString() : payload
    const isResource = typeof text === 'string' && text !== '' && reply.statusCode < 300
    done(null, isResource ? JSON.stringify(distort(JSON.parse(text) as Json)) : payload)
  })
}

function distort(value: Json): Json {
  if (Array.isArray(value)) return (value as readonly Json[]).map(distort)
  if (value === null || typeof value !== 'object') return value
  const record = value as { readonly [key: string]: Json }
  return Object.fromEntries(
    Object.entries(record).flatMap(([key, field]) => distortField(record, key, field)),
  )
}

function distortField(record: { readonly [key: string]: Json }, key: string, field: Json): [string, Json][] {
  if (variantKeys.has(key)) return [[key, reduced(field)]]
  if (key === 'country' && typeof field === 'string') return [[key, uuidOf(field)]]
  if (key === 'order_external_reference' && typeof field === 'string') return [[key, [field]]]
  if (dimensions.has(key) && typeof field === 'number') return [[key, String(field)]]
  if (key === 'status' && isThird(record['id'])) return [[key, strangeStatus]]
  if (key === 'title') return 'name' in record ? [] : [['name', field]]
  return [[key, distort(field)]]
}

function reduced(variant: Json): Json {
  if (variant === null || typeof variant !== 'object' || !('id' in variant)) return variant
  return { id: variant['id'] }
}

/** Returns a UUID for a country. A country always gets the same UUID. */
function uuidOf(country: string): string {
  const digits = createHash('sha256').update(country).digest('hex')
  return digits.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, '$1-$2-4$3-8$4-$5')
}

/** Whether a record gets an unlisted status: about every third record, and always the same records. */
function isThird(id: Json | undefined): boolean {
  return typeof id === 'string' && (createHash('sha256').update(id).digest()[0] ?? 0) % 3 === 0
}
