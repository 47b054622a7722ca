import { m } from '#messages/messages.js'
import type { ArticleState } from './article.state.svelte.ts'
import { daysUntil, type Expiry } from '#shared/domain/expiry.ts'

/** Why there are no stock figures, in a few words in their place; null: they are there, or on their way. */
export function stockReason({ mayReadStock, stockFailure }: ArticleState): string | null {
  if (!mayReadStock) return m.stock_role()
  if (stockFailure === null) return null
  return stockFailure.code === 'article.stock_not_kept' ? m.stock_not_kept() : m.stock_refused()
}

/** Whether two moments, in milliseconds since 1970, are less than a minute apart: their ages read the same. */
export function isSameMinute(one: number, other: number): boolean {
  return Math.abs(one - other) < 60_000
}

/** The word beside a marked lot; empty for one that needs none. */
export function expiryWord(expiry: Expiry, day: string | null, nowMs: number): string {
  if (expiry === 'expired') return m.lot_expired()
  if (expiry !== 'soon' || day === null) return ''
  const days = daysUntil(day, nowMs)
  return days === 0 ? m.lot_expires_today() : m.lot_expires_in({ count: days })
}
