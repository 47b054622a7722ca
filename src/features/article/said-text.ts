import { m } from '#messages/messages.js'
import type { ArticleSaid } from '#shared/bridge/scan-views.ts'
import type { LotsView } from '#shared/bridge/stock-views.ts'
import { daysUntil } from '#shared/domain/expiry.ts'
import { formatDay } from '#ui/format.ts'

/** What the barcode said beside the article, part by part. */
export function saidText({ lot, expiry, serial }: ArticleSaid): string {
  return [
    ...(lot === null ? [] : [m.said_lot({ lot })]),
    ...(expiry === null ? [] : [m.said_expiry({ day: formatDay(expiry) })]),
    ...(serial === null ? [] : [m.said_serial({ serial })]),
  ].join(' · ')
}

/** The lots of the service that may be the one scanned: the one whose id it was, else those of the same date. */
export function scannedLotIds({ lotId, expiry }: ArticleSaid, lots: LotsView['lots']): readonly string[] {
  if (lotId !== null) return lots.flatMap(({ id }) => (id === lotId ? [id] : []))
  return expiry === null
    ? []
    : lots.flatMap(({ id, expirationDate }) => (expirationDate === expiry ? [id] : []))
}

/** What is wrong, or does not agree with what the warehouse has; null: nothing. `nowMs` in milliseconds since 1970. */
export function saidWarning(said: ArticleSaid, lots: LotsView['lots'] | null, nowMs: number): string | null {
  const { problems, expiry } = said
  if (problems.includes('date')) return m.said_no_date()
  if (expiry !== null && daysUntil(expiry, nowMs) < 0) return m.said_expired({ day: formatDay(expiry) })
  if (expiry !== null && lots !== null && scannedLotIds(said, lots).length === 0) {
    const known = [...new Set(lots.flatMap(({ expirationDate }) => expirationDate ?? []))].slice(0, 3)
    const day = formatDay(expiry)
    return known.length === 0
      ? m.said_no_lot_dated({ day })
      : m.said_other_date({ day, others: known.map(formatDay).join(', ') })
  }
  return problems.length > 0 ? m.said_problems() : null
}
