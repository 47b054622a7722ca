import { m } from '#messages/messages.js'
import type { QueueNotice } from '#shared/bridge/queue-views.ts'
import type { ScanExpectation, ScanOutcome } from '#shared/bridge/scan-views.ts'
import { labelCommands } from '#shared/domain/label-commands.ts'
import type { ModificationReason } from '#shared/domain/modification.ts'
import { baseExternalReference, normaliseCode } from '#shared/domain/references.ts'
import type { BriefOf, SubjectKind, WriteType } from '#shared/writes/write-kinds.ts'
import { formatSigned } from '#ui/format.ts'

/** One fact of a write, as it is compared with what the service shows. */
export interface Fact {
  readonly name: string
  readonly texts: readonly string[]
  readonly isCode?: boolean
  /** What tells it apart from another, where the texts alone do not; null: it is not compared. */
  readonly sameAs?: string | null
  /** How many entries it has; another number makes it another one, where the texts do not show all. */
  readonly count?: number
}

type Words = () => string

interface ActWords {
  readonly name: Words
  readonly refused: Words
  /** Asks whether it arrived. */
  readonly arrived: Words
}

/** All that the window says about a kind of write, and all that it knows of its codes. A new kind is a row of `kinds`. */
interface WriteKind<K extends SubjectKind> {
  readonly acts: Readonly<Record<WriteType<K>, ActWords>>
  /** For a write that this version does not know. */
  readonly otherAct: ActWords
  /** The words by which an operator knows it; null: nothing but the title is known. */
  name(brief: BriefOf<K>): string | null
  isCodeName(brief: BriefOf<K>): boolean
  /** Where it is, for a line of the status; null: that is not part of it. */
  place(brief: BriefOf<K>): string | null
  /** The facts behind the name. */
  detail(brief: BriefOf<K>): string
  facts(brief: BriefOf<K>, isSent: boolean): Fact[]
  /** Whether its record at the service says if it was requested. */
  readonly isRequested: boolean
  /** The service has one like it: what is said, and the buttons that take that one, or send this one all the same. */
  readonly exists: {
    readonly title: Words
    readonly text: Words
    readonly adopt: Words
    readonly goOn: Words
  }
  /** Another desk did the same, in the banner. `other`: by `otherName`. */
  readonly twice: {
    title(brief: BriefOf<K>, title: string): string
    text(what: { time: string; other: string }): string
  }
  /** What the paper or the warehouse system calls a record of the service. `reference`: see ServiceRecord. */
  otherName(brief: BriefOf<K>, reference: string | null): string | null
  /** Whether it has a card, where a click in the status leads; else the queue shows it. */
  readonly hasCard: boolean
  /** Whether that card says why it was refused and what can be done; else the queue does. */
  readonly cardTellsRefusal: boolean
  /** What to do about a notice in the warehouse system, where that depends on the kind. */
  readonly todo: Readonly<Record<Extract<QueueNotice['kind'], 'duplicate' | 'other_desk' | 'late'>, Words>>
  /** What has to be scanned once more before it is sent again; null: nothing that can be scanned is known. */
  rescan(brief: BriefOf<K>): 'article' | 'shipment' | null
  /** Where a code of it is looked for first. */
  readonly expectation: ScanExpectation
  /** Whether a scan is the article or the parcel that it is about. */
  isRescan(brief: BriefOf<K>, outcome: ScanOutcome): boolean
}

const reasonNames: Record<ModificationReason, Words> = {
  LOST: m.reason_lost,
  DEFECTIVE: m.reason_defective,
  CORRECTION: m.reason_correction,
}

const booking: ActWords = {
  name: m.rail_write_modification,
  refused: m.rail_refused,
  arrived: m.booking_decide,
}

const kinds: { readonly [K in SubjectKind]: WriteKind<K> } = {
  return_label: {
    acts: {
      [labelCommands.create]: {
        name: m.rail_write_create,
        refused: m.rail_refused_create,
        arrived: m.decision_title,
      },
      [labelCommands.request]: {
        name: m.rail_write_request,
        refused: m.rail_refused_request,
        arrived: m.decision_title,
      },
      [labelCommands.patch]: {
        name: m.queue_act_patch,
        refused: m.rail_refused_patch,
        arrived: m.decision_title_patch,
      },
      [labelCommands.cancel]: {
        name: m.queue_act_cancel,
        refused: m.rail_refused_cancel,
        arrived: m.decision_title_cancel,
      },
    },
    otherAct: { name: m.rail_write_other, refused: m.rail_refused_create, arrived: m.decision_title },
    name: (brief) => brief.shipmentReference ?? brief.externalReference ?? brief.senderName,
    isCodeName: (brief) => (brief.shipmentReference ?? brief.externalReference) !== null,
    place: () => null,
    detail(brief) {
      const sender = [brief.senderName, brief.senderCity].filter(Boolean).join(', ')
      return [sender, brief.methodCode].filter(Boolean).join(' · ')
    },
    facts({ shipmentReference, externalReference, methodCode, senderName, senderCity }, isSent) {
      const sender = [senderName, senderCity].filter((part) => part !== null)
      const method = methodCode ?? (isSent ? m.form_method_default() : null)
      return [
        { name: m.fact_shipment(), texts: known(shipmentReference), isCode: true },
        {
          name: m.queue_fact_reference(),
          texts: known(externalReference),
          isCode: true,
          sameAs: externalReference && baseExternalReference(externalReference),
        },
        // the service fills in its default: no method of its own differs from none given
        { name: m.queue_fact_method(), texts: known(method), sameAs: methodCode },
        { name: m.fact_sender(), texts: sender },
      ]
    },
    isRequested: true,
    // taking that one, it is requested and printed here if that was wished
    exists: {
      title: m.exists_label,
      text: m.queue_exists_label,
      adopt: m.queue_adopt_print,
      goOn: m.queue_go_on_label,
    },
    twice: {
      title: ({ shipmentReference }, title) => m.twice_label({ shipment: shipmentReference ?? title }),
      text: m.twice_label_text,
    },
    otherName: ({ externalReference }) => externalReference,
    hasCard: true,
    cardTellsRefusal: false,
    todo: {
      duplicate: m.queue_notice_do_label,
      other_desk: m.queue_notice_twice_label,
      late: m.queue_notice_late_label,
    },
    rescan: ({ shipmentReference, externalReference }) =>
      shipmentReference === null && externalReference === null ? null : 'shipment',
    expectation: 'anything',
    isRescan({ shipmentReference, externalReference }, outcome) {
      if (externalReference !== null && isSameCode(outcome.raw, externalReference)) return true
      if (shipmentReference === null) return false
      if (outcome.kind === 'shipment') return outcome.shipment.reference === shipmentReference
      return outcome.kind === 'return_label' && outcome.label.shipmentReference === shipmentReference
    },
  },
  modification: {
    acts: { 'modification.create': booking },
    otherAct: booking,
    name({ lines }) {
      const [only, second] = lines
      if (!only) return null
      if (!second) return `${formatSigned(only.quantity)} × ${only.name}`
      const pieces = lines.reduce((sum, { quantity }) => sum + quantity, 0)
      return m.booking_lines({ count: lines.length, pieces, signed: formatSigned(pieces) })
    },
    isCodeName: () => false,
    place: ({ locationCode }) => locationCode,
    detail: ({ reason, locationCode }) => [reasonNames[reason](), locationCode].filter(Boolean).join(' · '),
    facts({ reason, locationCode, lines, moreLines = 0 }) {
      const shown = lines.map(({ quantity, name }) => `${formatSigned(quantity)} × ${name}`)
      const pieces = lines.map(({ articleCode, quantity }) => `${articleCode} ${String(quantity)}`)
      // a list that is cut short is compared by how many lines it has
      const same = moreLines > 0 ? null : pieces.toSorted().join('\n')
      const texts = moreLines > 0 ? [...shown, m.shipment_lines_more({ count: moreLines })] : shown
      return [
        { name: m.booking_reason(), texts: [reasonNames[reason]()] },
        { name: m.booking_location(), texts: known(locationCode) },
        { name: m.booking_list(), texts, sameAs: same, count: lines.length + moreLines },
      ]
    },
    isRequested: false,
    exists: {
      title: m.exists_booking,
      text: m.queue_exists_booking,
      adopt: m.queue_adopt,
      goOn: m.queue_go_on,
    },
    twice: {
      title: ({ locationCode }, title) => m.twice_booking({ place: locationCode ?? title }),
      text: m.twice_booking_text,
    },
    otherName: (_, reference) => reference,
    hasCard: true,
    cardTellsRefusal: true,
    todo: {
      duplicate: m.queue_notice_do_book,
      other_desk: m.queue_notice_do_book,
      late: m.queue_notice_late_book,
    },
    rescan: ({ lines }) => (lines.length > 0 ? 'article' : null),
    expectation: 'stock',
    isRescan: ({ lines }, outcome) =>
      outcome.kind === 'article' &&
      lines.some(({ articleCode }) => articleCode === outcome.variant.articleCode),
  },
}

export function writeKind<K extends SubjectKind>(kind: K): WriteKind<K> {
  return kinds[kind]
}

/** The words of one write of a kind. */
export function actWords(kind: SubjectKind, type: string): ActWords {
  const { acts, otherAct } = kinds[kind]
  return (acts as Partial<Record<string, ActWords>>)[type] ?? otherAct
}

export const known = (text: string | null): readonly string[] => (text === null ? [] : [text])

function isSameCode(scanned: string, reference: string): boolean {
  return normaliseCode(baseExternalReference(scanned)) === normaliseCode(baseExternalReference(reference))
}
