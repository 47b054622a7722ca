import type { ExpiringList } from '#shared/bridge/stock-views.ts'
import { isoTime } from '../timing/iso-time.ts'
import type { CatalogueStore } from '../ports/catalogue-store.ts'
import type { ClockPort } from '../ports/clock.ts'
import type { LotsStore } from '../ports/recent-store.ts'

interface ExpiringParts {
  readonly clock: Pick<ClockPort, 'now'>
  readonly catalogue: Pick<CatalogueStore, 'variant' | 'details'>
  readonly lots: Pick<LotsStore, 'expiring'>
}

/** Lots on one list: nobody works through more in a day. */
const mostLots = 500

/** Lots of expirable articles that expire within so many days of this machine's calendar, overdue ones first. */
export function expiringLots({ clock, catalogue, lots }: ExpiringParts, withinDays: number): ExpiringList {
  const until = localDay(clock.now(), withinDays)
  const found = lots.expiring(until, mostLots, (id) => catalogue.variant(id)?.variant.expirable === true)
  const { asOf } = catalogue.details().lots
  return {
    lots: found.lots.flatMap(({ variantId, lot, asOf: lotAsOf }) => {
      const known = catalogue.variant(variantId)?.variant
      if (!known) return []
      const { id, name, article_code: articleCode, ean } = known
      return [{ variant: { id, name, articleCode, ean }, lot, asOf: isoTime(lotAsOf) }]
    }),
    more: found.more,
    asOf: asOf === null ? null : isoTime(asOf),
  }
}

/** `YYYY-MM-DD` so many days from now, where this machine is: best-before dates are days of the shelf's calendar. */
function localDay(now: number, days: number): string {
  const day = new Date(now)
  day.setDate(day.getDate() + days)
  const two = (number: number): string => String(number).padStart(2, '0')
  return `${day.getFullYear()}-${two(day.getMonth() + 1)}-${two(day.getDate())}`
}
