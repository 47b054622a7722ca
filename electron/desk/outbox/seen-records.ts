import type { ServiceRecord, WriteBrief } from '#shared/bridge/queue-views.ts'
import { longestNote } from '#shared/domain/modification.ts'
import type { SubjectKind } from '#shared/domain/write-types.ts'
import type { CommandFacts, SeenRecord } from '../ports/commands.ts'

/**
 * Records of the service as an operator is asked about them. They are stored with the question, again with the decision,
 * and sent to the window at each change of the queue, so that both their texts and their number are bounded.
 */

/** Longest name and longest code, in characters. */
const longestName = 200
const longestCode = 255
/** Most lines of a booking that are shown beside what was sent; a count says how many more there are. */
const mostLines = 20
/** Most codes of a label: the answer to its request brings the others. */
const mostCodes = 20
/** Longest sender as JSON, in characters: with every field as long as api.md allows, it has some 1000. */
const longestSender = 2_000

type BriefOf<K extends SubjectKind> = Extract<WriteBrief, { kind: K }>
type FactsOf<K extends SubjectKind> = Extract<CommandFacts, { kind: K }>

/** How much of a record is kept. */
interface Bounds<K extends SubjectKind> {
  brief(brief: BriefOf<K>): BriefOf<K>
  /** References stay whole: adopting writes them down. */
  facts(facts: FactsOf<K>): FactsOf<K>
  /** The same with less in it; null: nothing can be left out. */
  less(brief: BriefOf<K>): BriefOf<K> | null
}

const bounds: { readonly [K in SubjectKind]: Bounds<K> } = {
  return_label: {
    brief: (brief) => ({
      ...brief,
      shipmentReference: shortened(brief.shipmentReference),
      externalReference: shortened(brief.externalReference),
      methodCode: shortened(brief.methodCode),
      senderName: shortened(brief.senderName),
      senderCity: shortened(brief.senderCity),
    }),
    facts(facts) {
      if (facts.label === null) return facts
      const { label } = facts
      // a sender that is left out is learnt from the next answer
      const isAddress = label.sender !== null && JSON.stringify(label.sender).length <= longestSender
      const sender = isAddress ? label.sender : null
      return { ...facts, label: { ...label, codes: label.codes.slice(0, mostCodes), sender } }
    },
    less: () => null,
  },
  modification: {
    brief(brief) {
      const lines = brief.lines.slice(0, mostLines).map(({ name, articleCode, quantity }) => ({
        name: name.slice(0, longestName),
        articleCode: articleCode.slice(0, longestCode),
        quantity,
      }))
      return withLines({ ...brief, locationCode: shortened(brief.locationCode) }, lines)
    },
    facts: (facts) => facts,
    less: (brief) =>
      brief.lines.length === 0
        ? null
        : withLines(brief, brief.lines.slice(0, Math.floor(brief.lines.length / 2))),
  },
}

function boundsOf<K extends SubjectKind>(kind: K): Bounds<K> {
  return bounds[kind]
}

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
      reference: shortened(reference),
      note: note && note.slice(0, longestNote),
      brief: boundsOf(brief.kind).brief(brief),
    },
    facts: boundsOf(answer.facts.kind).facts(answer.facts),
  }
}

/** The same booking with only these of its lines. */
function withLines(
  brief: BriefOf<'modification'>,
  lines: BriefOf<'modification'>['lines'],
): BriefOf<'modification'> {
  const more = brief.lines.length + (brief.moreLines ?? 0) - lines.length
  return { ...brief, lines, ...(more > 0 ? { moreLines: more } : {}) }
}

function shortened(text: string | null): string | null {
  return text && text.slice(0, longestCode)
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
  const brief = boundsOf(record.brief.kind).less(record.brief)
  return brief && fittedTo({ ...one, record: { ...record, brief } }, characters)
}
