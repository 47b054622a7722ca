import { m } from '#messages/messages.js'
import type { QueueNotice } from '#shared/bridge/queue-views.ts'
import type { ScanExpectation, ScanOutcome } from '#shared/bridge/scan-views.ts'
import { labelCommands } from '#shared/domain/label-commands.ts'
import type { ModificationReason } from '#shared/domain/modification.ts'
import { baseExternalReference, normaliseCode } from '#shared/domain/references.ts'
import { piecesOf } from '#shared/writes/modification.ts'
import type { BriefOf, SubjectKind, WriteType } from '#shared/writes/write-kinds.ts'
import { formatSigned } from '#ui/format.ts'

/** One fact of a write, for the comparison with the service's record. */
export interface Fact {
  readonly name: string
  readonly texts: readonly string[]
  readonly isCode?: boolean
  /**
   * The value to compare in place of `texts`, for a fact whose texts may differ for equal values, or be equal for
   * different values. Null: only `count` is compared.
   */
  readonly sameAs?: string | null
  /**
   * Number of entries of a list whose `texts` do not always show all entries. Two facts with different counts are
   * different even if their texts are equal.
   */
  readonly count?: number
}

type Words = () => string

interface ActWords {
  readonly name: Words
  readonly refused: Words
  /** The question that asks the operator whether the write arrived. */
  readonly arrived: Words
}

/** The texts and the rules about codes for one kind of write. A new kind is a new row of `kinds`. */
interface WriteKind<K extends SubjectKind> {
  readonly acts: Readonly<Record<WriteType<K>, ActWords>>
  /** The texts for a type of write that has no texts in this version. */
  readonly otherAct: ActWords
  /** Returns the name that operators use for the label or the booking of the write; null if there is no such name. */
  name(brief: BriefOf<K>): string | null
  isCodeName(brief: BriefOf<K>): boolean
  /** Returns the location of the write; null if this kind of write has no location. */
  place(brief: BriefOf<K>): string | null
  /** Returns further facts about the write, which are shown beside its name. */
  detail(brief: BriefOf<K>): string
  facts(brief: BriefOf<K>, isSent: boolean): Fact[]
  /**
   * Whether the service's records of this kind can be requested. The comparison then shows for each record whether it
   * was requested.
   */
  readonly isRequested: boolean
  /**
   * The texts about a record with the same content at the service: title, text, the button that adopts the record, and
   * the button that sends this write anyway.
   */
  readonly exists: {
    readonly title: Words
    readonly text: Words
    readonly adopt: Words
    readonly goOn: Words
  }
  /**
   * The texts of the banner which says that another desk did the same act. `other`: the name returned by `otherName`.
   */
  readonly twice: {
    title(brief: BriefOf<K>, title: string): string
    text(what: { time: string; other: string }): string
  }
  /**
   * Returns the name that a service's record has on paper or in the warehouse system. `reference`: see ServiceRecord.
   */
  otherName(brief: BriefOf<K>, reference: string | null): string | null
  /** Whether the subject has a card, which a click on a waiting write opens. Otherwise the click opens the queue. */
  readonly hasCard: boolean
  /**
   * Whether the card shows why the write was refused and what the operator can do. Otherwise the queue shows these
   * texts.
   */
  readonly cardTellsRefusal: boolean
  /** For each kind of notice, the advice to the operator about the warehouse system. */
  readonly todo: Readonly<Record<Extract<QueueNotice['kind'], 'duplicate' | 'other_desk' | 'late'>, Words>>
  /** Returns what the operator can scan to confirm that the write is sent again; null if there is nothing to scan. */
  rescan(brief: BriefOf<K>): 'article' | 'shipment' | null
  /** The kind of records that the desk searches first for the scanned code. */
  readonly expectation: ScanExpectation
  /** Whether the scan found the article of the booking or the parcel of the label, so that it confirms the write. */
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
        // without a method the service uses its default method, so a missing method is no difference
        { name: m.queue_fact_method(), texts: known(method), sameAs: methodCode },
        { name: m.fact_sender(), texts: sender },
      ]
    },
    isRequested: true,
    // the text of the button `adopt` mentions printing, because the desk requests and prints the adopted label if the
    // operator asked for that
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
    name({ lines, moreLines = 0, morePieces = 0 }) {
      const [only] = lines
      const count = lines.length + moreLines
      if (!only) return null
      if (count === 1) return `${formatSigned(only.quantity)} × ${only.name}`
      const pieces = piecesOf(lines) + morePieces
      return m.booking_lines({ count, pieces, signed: formatSigned(pieces) })
    },
    isCodeName: () => false,
    place: ({ locationCode }) => locationCode,
    detail: ({ reason, locationCode }) => [reasonNames[reason](), locationCode].filter(Boolean).join(' · '),
    facts({ reason, locationCode, lines, moreLines = 0 }) {
      const shown = lines.map(({ quantity, name }) => `${formatSigned(quantity)} × ${name}`)
      const pieces = lines.map(({ articleCode, quantity }) => `${articleCode} ${String(quantity)}`)
      // if the list does not show all lines, only the number of lines is compared
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

/** Returns the texts of a write by its kind and type. */
export function actWords(kind: SubjectKind, type: string): ActWords {
  const { acts, otherAct } = kinds[kind]
  return (acts as Partial<Record<string, ActWords>>)[type] ?? otherAct
}

export const known = (text: string | null): readonly string[] => (text === null ? [] : [text])

function isSameCode(scanned: string, reference: string): boolean {
  return normaliseCode(baseExternalReference(scanned)) === normaliseCode(baseExternalReference(reference))
}
