import { Refusal } from '../refusal.ts'

/**
 * Identical lines as one, in the place of the first. Refused with 400 under each of them when two or more carry
 * meta_data, for nobody could tell whose to keep (api.md, Inbound, Order).
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
