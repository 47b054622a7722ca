import { serverId } from '../domain/ids.ts'
import { z } from 'zod'
import { modificationReasons } from '../domain/modification.ts'
import { longestCode, longestName, shortened } from './bounds.ts'

const brief = z.object({
  kind: z.literal('modification'),
  reason: z.enum(modificationReasons),
  locationCode: z.string().nullable(),
  lines: z.array(z.object({ name: z.string(), articleCode: z.string(), quantity: z.number().int() })),
  /** Number of lines of the booking that are not in `lines`; absent: all lines are in `lines`. */
  moreLines: z.number().int().optional(),
  /** Sum of the quantities of the lines that are not in `lines`; absent: there are none. */
  morePieces: z.number().int().optional(),
})
type Brief = z.infer<typeof brief>

const facts = z.object({
  kind: z.literal('modification'),
  serverId,
  reference: z.string(),
  status: z.string(),
})
type Facts = z.infer<typeof facts>
export type ModificationFacts = Readonly<Facts>

/**
 * Maximum number of lines that are shown for a booking that was found at the service. A count reports the remaining
 * lines.
 */
export const mostLines = 20

/**
 * Maximum number of lines that lists show of a booking of this desk. The limit is needed because lists of unsettled
 * bookings are read at each change, and a booking may have any number of lines.
 */
export const mostOwnLines = 50

/** The writes about a stock modification. There is only one: its creation. */
export const modificationWrites = {
  subject: z.object({ kind: z.literal('modification'), id: z.string() }),
  types: { 'modification.create': { creates: true } },
  brief,
  facts,
  boundedBrief(one: Brief): Brief {
    const lines = one.lines.slice(0, mostLines).map(({ name, articleCode, quantity }) => ({
      name: name.slice(0, longestName),
      articleCode: articleCode.slice(0, longestCode),
      quantity,
    }))
    return withLines({ ...one, locationCode: shortened(one.locationCode) }, lines)
  },
  boundedFacts: (one: Facts): Facts => one,
  lessOf: (one: Brief): Brief | null =>
    one.lines.length === 0 ? null : withLines(one, one.lines.slice(0, Math.floor(one.lines.length / 2))),
}

/**
 * Returns the short form (`Brief`) of a booking with only its first lines, which are in `lines`. If lines are omitted,
 * the result also contains the number of the omitted lines and the sum of their pieces.
 */
function withLines(one: Brief, lines: Brief['lines']): Brief {
  const moreLines = one.lines.length + (one.moreLines ?? 0) - lines.length
  if (moreLines <= 0) return { ...one, lines }
  return {
    ...one,
    lines,
    moreLines,
    morePieces: piecesOf(one.lines.slice(lines.length)) + (one.morePieces ?? 0),
  }
}

/** Returns the sum of the quantities of the given lines. */
export function piecesOf(lines: readonly { readonly quantity: number }[]): number {
  return lines.reduce((sum, { quantity }) => sum + quantity, 0)
}
