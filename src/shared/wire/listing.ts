import { z } from 'zod'

/** Largest `limit` that this service accepts; the contract states no largest value (API.md 1.8). */
export const largestPage = 1000
/** Default page length of the contract (API.md 1.8). */
export const defaultPage = 50

/**
 * A flag in a query: `true`, `1`, `false` or `0`, in any letter case, because Python writes `True`. Each list decides
 * whether false restricts its rows or has no effect.
 */
export const trueOrFalse = z
  .preprocess(
    (word) => (typeof word === 'string' ? word.toLowerCase() : word),
    z.enum(['true', '1', 'false', '0']).transform((word) => word === 'true' || word === '1'),
  )
  .optional()

/**
 * A filter by a reference or a code. References and codes are stored without blanks around them, so a filter is
 * compared without them too.
 */
export const soughtText = z.string().trim()

const day = z.iso.date()
/** A UTC day, or a minute of a UTC day. */
export const dayOrMinute = z.union([day, z.string().regex(/^\d{4}-\d{2}-\d{2} \d{2}:\d{2}$/)])

/**
 * Query of a list endpoint (API.md 1.8). `page` 0 and 1 are both the first page, because clients use both. `from` and
 * `to` (each a UTC day or a minute of a UTC day) limit `created_at`, and both limits are included.
 */
export function listQuery<const Sorts extends readonly [string, ...string[]]>(
  sorts: Sorts,
): ListQuerySchema<Sorts> {
  return z.object({
    from: dayOrMinute.optional(),
    to: dayOrMinute.optional(),
    limit: z.coerce.number().int().min(1).max(largestPage).optional(),
    page: z.coerce.number().int().min(0).optional(),
    direction: z.enum(['asc', 'desc']).optional(),
    sort: z.enum(sorts).optional(),
  })
}

export type ListQuerySchema<Sorts extends readonly [string, ...string[]]> = z.ZodObject<{
  from: z.ZodOptional<typeof dayOrMinute>
  to: z.ZodOptional<typeof dayOrMinute>
  limit: z.ZodOptional<z.ZodCoercedNumber>
  page: z.ZodOptional<z.ZodCoercedNumber>
  direction: z.ZodOptional<z.ZodEnum<{ asc: 'asc'; desc: 'desc' }>>
  sort: z.ZodOptional<z.ZodEnum<{ [S in Sorts[number]]: S }>>
}>
