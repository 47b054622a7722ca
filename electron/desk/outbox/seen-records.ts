import type { ServiceRecord } from '#shared/bridge/queue-views.ts'
import { longestNote } from '#shared/domain/modification.ts'
import { boundsOf, type CommandFacts } from '#shared/writes/write-kinds.ts'
import type { SeenRecord } from '../ports/commands.ts'

/**
 * Records of the service as an operator is asked about them. They are stored with the question, again with the decision,
 * and sent to the window at each change of the queue, so that both their texts and their number are bounded.
 */

/** Longest reference, in characters. */
const longestReference = 255

interface Seen {
  readonly answer: { readonly facts: CommandFacts }
  readonly record: ServiceRecord
}

/** A match as an operator is asked about it: with as much of the service's texts as anybody compares. */
export function toSeen({ answer, record }: Seen): SeenRecord {
  const { reference, note, brief } = record
  return {
    record: {
      ...record,
      reference: reference && reference.slice(0, longestReference),
      note: note && note.slice(0, longestNote),
      brief: boundsOf(brief.kind).boundedBrief(brief),
    },
    facts: boundsOf(answer.facts.kind).boundedFacts(answer.facts),
  }
}

/** Most records in one question or notice: an operator compares no more than these. */
const mostRecords = 20
/** Most characters that they take as JSON; a usual one has some hundred. */
const mostCharacters = 20_000

/** The first of them, as many as one question or notice holds. A booking that does not fit whole has fewer lines. */
export function askedRecords(records: readonly SeenRecord[]): SeenRecord[] {
  // the brackets of the list
  let left = mostCharacters - 2
  return records.slice(0, mostRecords).flatMap((one) => {
    const fitting = fittedTo(one, left)
    if (fitting === null) return []
    left -= sizeOf(fitting)
    return [fitting]
  })
}

/** Characters as JSON, and a comma. */
function sizeOf(one: SeenRecord): number {
  return JSON.stringify(one).length + 1
}

/** Null: not even with the least in it. */
function fittedTo(one: SeenRecord, characters: number): SeenRecord | null {
  if (sizeOf(one) <= characters) return one
  const { record } = one
  const brief = boundsOf(record.brief.kind).lessOf(record.brief)
  return brief && fittedTo({ ...one, record: { ...record, brief } }, characters)
}
