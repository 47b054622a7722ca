import type { Forwarded } from '../outbox/forward.ts'

/**
 * Returns a JSON response without the records that `isHidden` selects. A hidden record is omitted from lists, is null
 * inside other records, and becomes a 404 if it is the whole response.
 */
export function hideRecords(answer: Forwarded, isHidden: (id: string) => boolean): Forwarded {
  const type = answer.headers['content-type']
  if (answer.status !== 200 || typeof type !== 'string' || !type.startsWith('application/json')) return answer
  const said: unknown = JSON.parse(answer.body.toString())
  const shown = without(said, isHidden)
  if (shown === undefined)
    return { ...answer, status: 404, body: Buffer.from(JSON.stringify({ error: 'Not found.' })) }
  return { ...answer, body: Buffer.from(JSON.stringify(shown)) }
}

/** Returns the value without hidden records. Returns undefined if the whole value is hidden. */
function without(value: unknown, isHidden: (id: string) => boolean): unknown {
  if (Array.isArray(value))
    return value.map((one) => without(one, isHidden)).filter((one) => one !== undefined)
  if (typeof value !== 'object' || value === null) return value
  if ('id' in value && typeof value.id === 'string' && isHidden(value.id)) return undefined
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, without(inner, isHidden) ?? null]),
  )
}
