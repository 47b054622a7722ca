import type { Connection } from '../../data/engine/database.ts'
import { variantsBearing, type NamedVariant } from '../../data/goods/variants.ts'
import { Refusal } from '../refusal.ts'

/** What a code may be, in the order in which it is tried. */
const columns = ['article_code', 'ean', 'sku'] as const

/** The variants that bear a code by the first column in which any does; several: the code is ambiguous. */
type Bearers = ReadonlyMap<string, readonly NamedVariant[]>

/**
 * The customer's variants named by codes, each its article code, else its EAN, else its SKU (API.md 1.5).
 * Refused with 400 under `placeOf(index)`: a code nobody bears, and one that several bear in the same way.
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
    else if (others.length > 0) wrong.push([placeOf(index), ['Several articles bear this code.']])
    else matched.push(variant)
  }
  if (wrong.length > 0)
    throw new Refusal('invalid', 'Articles are not found.', { fields: Object.fromEntries(wrong) })
  return matched
}

/** Who bears each code, where anybody does. */
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
 * Identical lines as one, in the place of the first. Refused with 400 under each of them when two or more carry
 * meta_data, for nobody could tell whose to keep (API.md 1.14).
 */
export function mergeLines<Line extends { readonly metaData: object }>(
  lines: readonly Line[],
  how: {
    /** The same for identical lines. */
    readonly identity: (line: Line) => string
    /** Two lines as one; `metaData` is taken care of. */
    readonly add: (one: Line, other: Line) => Line
    /** Name of the payload's field that holds the lines. */
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
  const message = 'Identical lines cannot be merged when they carry meta_data.'
  const fields = [...clashing].map((index) => [`${how.field}.${index}.meta_data`, [message]] as const)
  throw new Refusal('invalid', message, { fields: { '': [message], ...Object.fromEntries(fields) } })
}
