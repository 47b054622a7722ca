import type { ServiceRecord } from '#shared/bridge/queue-views.ts'
import { longestNote } from '#shared/domain/modification.ts'
import { boundsOf, type CommandFacts } from '#shared/writes/write-kinds.ts'
import type { SeenRecord } from '../ports/commands.ts'

/**
 * Records of the service in a question to the operator. They are stored with the question and again with the decision.
 * Each change of the queue sends them to the window. Therefore the number of records and the length of their texts are
 * limited.
 */

/** Maximum length of a reference, in characters. */
const longestReference = 255

interface Seen {
  readonly answer: { readonly facts: CommandFacts }
  readonly record: ServiceRecord
}

/** Converts a matching record for a question. Long texts are cut, because an operator does not compare more. */
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

/** Maximum number of records in one question or notice; an operator does not compare more. */
export const mostRecords = 20
/**
 * Maximum number of characters, as JSON, that all records of one question to the operator may have together. A typical
 * record has a few hundred.
 */
const mostCharacters = 20_000

/**
 * Returns the first records, as many as one question or notice may contain. A booking that is too long for the
 * remaining space gets fewer lines. A record that is still too long is left out; the records after it are still tried.
 */
export function recordsOfQuestion(records: readonly SeenRecord[]): SeenRecord[] {
  // subtracts two characters for the brackets of the list
  let left = mostCharacters - 2
  return records.slice(0, mostRecords).flatMap((one) => {
    const fitting = fittedTo(one, left)
    if (fitting === null) return []
    left -= sizeOf(fitting)
    return [fitting]
  })
}

/** Returns the number of characters that a record takes as JSON, including a comma. */
function sizeOf(one: SeenRecord): number {
  return JSON.stringify(one).length + 1
}

/**
 * Returns the record, shortened if needed, so that its JSON has at most `characters` characters. Returns null if even
 * its shortest form is longer.
 */
function fittedTo(one: SeenRecord, characters: number): SeenRecord | null {
  if (sizeOf(one) <= characters) return one
  const { record } = one
  const brief = boundsOf(record.brief.kind).lessOf(record.brief)
  return brief && fittedTo({ ...one, record: { ...record, brief } }, characters)
}
