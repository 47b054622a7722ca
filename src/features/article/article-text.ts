import { m } from '#messages/messages.js'
import { daysUntil, type Expiry } from '#shared/domain/expiry.ts'

/** The word beside a marked lot; empty for one that needs none. */
export function expiryWord(expiry: Expiry, day: string | null, nowMs: number): string {
  if (expiry === 'expired') return m.lot_expired()
  if (expiry !== 'soon' || day === null) return ''
  const days = daysUntil(day, nowMs)
  return days === 0 ? m.lot_expires_today() : m.lot_expires_in({ count: days })
}
