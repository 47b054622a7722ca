import type { Connection } from '../../data/engine/database.ts'
import { variantsBearing, type NamedVariant } from '../../data/goods/variants.ts'
import { Refusal } from '../refusal.ts'

/** Columns that a code can match, in the order in which they are tried. */
const columns = ['article_code', 'ean', 'sku'] as const

/**
 * For each code, the variants that have it. Only the first column in which a variant has the code counts. Several
 * variants: the code is ambiguous.
 */
type Bearers = ReadonlyMap<string, readonly NamedVariant[]>

/**
 * Returns the customer's variants for codes. A code is matched as article code, then as EAN, then as SKU (API.md 1.5).
 * Refused with 400 under `placeOf(index)`: a code without a variant, and a code that several variants have in the same
 * column.
 */
export async function matchVariants(
  connection: Connection,
  customerId: string,
  codes: readonly string[],
  placeOf: (index: number) => string,
): Promise<NamedVariant[]> {
  const bearers = await findBearers(connection, customerId, codes)
  const matched: NamedVariant[] = []
  const wrong: [string, string[]][] = []
  for (const [index, code] of codes.entries()) {
    const [variant, ...others] = bearers.get(code) ?? []
    if (variant === undefined) wrong.push([placeOf(index), ['Article not found.']])
    else if (others.length > 0) wrong.push([placeOf(index), ['Several articles have this code.']])
    else matched.push(variant)
  }
  if (wrong.length > 0)
    throw new Refusal('invalid', 'Articles are not found.', { fields: Object.fromEntries(wrong) })
  return matched
}

/** Finds the variants of each code. A code without a variant has no entry. */
async function findBearers(
  connection: Connection,
  customerId: string,
  codes: readonly string[],
): Promise<Bearers> {
  const bearers = new Map<string, readonly NamedVariant[]>()
  for (const column of columns) {
    const open = [...new Set(codes)].filter((code) => !bearers.has(code))
    const found = await variantsBearing(connection, customerId, column, open)
    for (const [code, variants] of Map.groupBy(found, (variant) => variant[column]))
      if (code !== null) bearers.set(code, variants)
  }
  return bearers
}

/**
 * Merges identical lines into the first of these lines. If two or more identical lines have meta_data, refuses with
 * 400, because the service could not decide which meta_data to keep (API.md 1.14). The refusal has an error for the
 * meta_data of each of these lines.
 */
export function mergeLines<Line extends { readonly metaData: object }>(
  lines: readonly Line[],
  how: {
    /** Returns a text that is the same for identical lines only. */
    readonly identity: (line: Line) => string
    /** Merges two lines into one, except their `metaData`, which `mergeLines` sets afterwards. */
    readonly add: (one: Line, other: Line) => Line
    /** Name of the payload's field that contains the lines. */
    readonly field: string
  },
): Line[] {
  const merged = new Map<string, Line>()
  const carriers = new Map<string, number>()
  const clashing = new Set<number>()
  for (const [index, line] of lines.entries()) {
    const identity = how.identity(line)
    const before = merged.get(identity)
    const carries = Object.keys(line.metaData).length > 0
    const earlier = carriers.get(identity)
    if (carries && earlier !== undefined) clashing.add(earlier).add(index)
    if (carries && earlier === undefined) carriers.set(identity, index)
    const sum = before === undefined ? line : how.add(before, line)
    const metaData = carries ? line.metaData : (before?.metaData ?? line.metaData)
    merged.set(identity, { ...sum, metaData })
  }
  if (clashing.size === 0) return [...merged.values()]
  const message = 'Identical lines cannot be merged if they have meta_data.'
  const fields = [...clashing].map((index) => [`${how.field}.${index}.meta_data`, [message]] as const)
  throw new Refusal('invalid', message, { fields: { '': [message], ...Object.fromEntries(fields) } })
}
