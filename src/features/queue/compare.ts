import { m } from '#messages/messages.js'
import type { ServiceRecord } from '#shared/bridge/queue-views.ts'
import type { WriteBrief } from '#shared/writes/write-kinds.ts'
import { formatMoment } from '#ui/format.ts'
import { type Fact, known, writeKind } from './write-kinds.ts'

export interface Cell {
  /** The lines of text in the cell; empty if the fact is unknown. */
  readonly texts: readonly string[]
  readonly isCode: boolean
  /** Whether the fact is known for both the write and the record, and differs between them. */
  readonly differs: boolean
}

/** One fact of the sent write, and the same fact of each record. */
export interface CompareRow {
  readonly name: string
  readonly sent: Cell
  readonly records: readonly Cell[]
}

/**
 * Compares the sent write with the service's records, fact by fact. An unknown fact is never marked as different. `at`:
 * when the write was sent or made. Times are shown but not compared, because they are from two clocks.
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
  const filled = rows.filter(({ sent, records: cells }) =>
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
    ...filled,
    ...(records.some(({ note }) => note !== null) ? [notes] : []),
    ...(writeKind(brief.kind).isRequested && records.length > 0 ? [requested] : []),
  ]
}

function factsOf(brief: WriteBrief, isSent: boolean): Fact[] {
  return writeKind(brief.kind).facts(brief, isSent)
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
