import { m } from '#messages/messages.js'
import type { ServiceRecord, WriteBrief } from '#shared/bridge/queue-views.ts'
import { baseExternalReference } from '#shared/domain/references.ts'
import { formatMoment, formatSigned } from '#ui/format.ts'
import { reasonNames } from './queue-text.ts'

export interface Cell {
  /** One text for each line; empty: not known. */
  readonly texts: readonly string[]
  readonly isCode: boolean
  /** Both sides are known, and they are not the same. */
  readonly differs: boolean
}

/** One fact of what was sent, and of each record beside it. */
export interface CompareRow {
  readonly name: string
  readonly sent: Cell
  readonly records: readonly Cell[]
}

interface Fact {
  readonly name: string
  readonly texts: readonly string[]
  readonly isCode?: boolean
  /** What tells it apart from another, where the texts alone do not; null: it is not compared. */
  readonly sameAs?: string | null
  /** How many entries it has; another number makes it another one, where the texts do not show all. */
  readonly count?: number
}

const known = (text: string | null): readonly string[] => (text === null ? [] : [text])

function factsOf(brief: WriteBrief, isSent: boolean): Fact[] {
  if (brief.kind === 'modification') {
    const lines = brief.lines.map(({ quantity, name }) => `${formatSigned(quantity)} × ${name}`)
    const pieces = brief.lines.map(({ articleCode, quantity }) => `${articleCode} ${String(quantity)}`)
    const { moreLines = 0 } = brief
    // a list that is cut short is compared by how many lines it has
    const same = moreLines > 0 ? null : pieces.toSorted().join('\n')
    const texts = moreLines > 0 ? [...lines, m.shipment_lines_more({ count: moreLines })] : lines
    return [
      { name: m.booking_reason(), texts: [reasonNames[brief.reason]()] },
      { name: m.booking_location(), texts: known(brief.locationCode) },
      { name: m.booking_list(), texts, sameAs: same, count: lines.length + moreLines },
    ]
  }
  const { shipmentReference, externalReference, methodCode, senderName, senderCity } = brief
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
}

/**
 * What was sent beside what the service shows, fact by fact. A side that does not know a fact does not differ in it.
 * `at`: when it was sent or made; times are shown and never compared, because two clocks made them.
 */
export function compareRows(
  brief: WriteBrief,
  at: string,
  records: readonly ServiceRecord[],
  nowMs: number,
): readonly CompareRow[] {
  const plain = (texts: readonly string[], isCode = false): Cell => ({ texts, isCode, differs: false })
  const time = (iso: string): Cell => plain([formatMoment(iso, nowMs)])
  const shown = records.map((record) => factsOf(record.brief, false))
  const rows = factsOf(brief, true).map((fact, i): CompareRow => {
    const sent = plain(fact.texts, fact.isCode)
    return { name: fact.name, sent, records: shown.map((facts) => cellOf(fact, facts[i])) }
  })
  const told = rows.filter(({ sent, records: cells }) =>
    [sent, ...cells].some(({ texts }) => texts.length > 0),
  )
  const notes: CompareRow = {
    name: m.queue_fact_note(),
    sent: plain([]),
    records: records.map(({ note }) => plain(known(note))),
  }
  const requested: CompareRow = {
    name: m.queue_fact_requested(),
    sent: plain([]),
    records: records.map((record) => plain([record.requested ? m.setup_step_yes() : m.setup_step_no()])),
  }
  return [
    { name: m.queue_fact_time(), sent: time(at), records: records.map(({ createdAt }) => time(createdAt)) },
    ...told,
    ...(records.some(({ note }) => note !== null) ? [notes] : []),
    ...(brief.kind === 'return_label' && records.length > 0 ? [requested] : []),
  ]
}

function cellOf(sent: Fact, shown: Fact | undefined): Cell {
  const texts = shown?.texts ?? []
  const key = ({ sameAs, texts: all }: Fact): string | null =>
    sameAs === undefined ? all.join('\n') || null : sameAs
  const [ours, theirs] = [key(sent), shown ? key(shown) : null]
  const bothKnown = ours !== null && theirs !== null
  const isOtherCount = sent.count !== undefined && shown?.count !== undefined && sent.count !== shown.count
  return { texts, isCode: sent.isCode === true, differs: isOtherCount || (bothKnown && ours !== theirs) }
}
