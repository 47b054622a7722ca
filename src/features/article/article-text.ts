import { m } from '#messages/messages.js'
import type { ArticleBarcodeData } from '#shared/bridge/scan-views.ts'
import type { LotsView } from '#shared/bridge/stock-views.ts'
import { daysUntil, type Expiry } from '#shared/domain/expiry.ts'
import { formatDay } from '#ui/format.ts'
import type { ArticleState } from './article.state.svelte.ts'

/** Returns a short reason why there are no stock figures; null if they are present or being loaded. */
export function stockReason({ mayReadStock, stockFailure }: ArticleState): string | null {
  if (!mayReadStock) return m.stock_role()
  if (stockFailure === null) return null
  return stockFailure.code === 'article.stock_not_kept' ? m.stock_not_kept() : m.stock_refused()
}

/**
 * Whether two moments, in milliseconds since 1970, are less than a minute apart, so that both ages are shown by the
 * same text.
 */
export function isSameMinute(one: number, other: number): boolean {
  return Math.abs(one - other) < 60_000
}

/** Returns the text beside a lot that is expired or expires soon; empty for any other lot. */
export function expiryWord(expiry: Expiry, day: string | null, nowMs: number): string {
  if (expiry === 'expired') return m.lot_expired()
  if (expiry !== 'soon' || day === null) return ''
  const days = daysUntil(day, nowMs)
  return days === 0 ? m.lot_expires_today() : m.lot_expires_in({ count: days })
}

/** Returns the GS1 data in the barcode of an article besides the article code, one text for each element. */
export function barcodeDataText({ lot, expiry, serial }: ArticleBarcodeData): string {
  return [
    ...(lot === null ? [] : [m.said_lot({ lot })]),
    ...(expiry === null ? [] : [m.said_expiry({ day: formatDay(expiry) })]),
    ...(serial === null ? [] : [m.said_serial({ serial })]),
  ].join(' · ')
}

/**
 * Returns the ids of the lots that the scanned lot may be: if the data contain the id of a lot, the lot with this id;
 * otherwise all lots with the scanned expiry date.
 */
export function scannedLotIds(
  { lotId, expiry }: ArticleBarcodeData,
  lots: LotsView['lots'],
): readonly string[] {
  if (lotId !== null) return lots.flatMap(({ id }) => (id === lotId ? [id] : []))
  return expiry === null
    ? []
    : lots.flatMap(({ id, expirationDate }) => (expirationDate === expiry ? [id] : []))
}

/**
 * Returns a warning if the barcode is faulty, contains an expiry date in the past, or contradicts the warehouse's data;
 * otherwise null. `nowMs`: milliseconds since 1970.
 */
export function barcodeDataWarning(
  said: ArticleBarcodeData,
  lots: LotsView['lots'] | null,
  nowMs: number,
): string | null {
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
