import type { ExpiringList, LotsView } from '#shared/bridge/stock-views.ts'
import type { Instant, Milliseconds } from '#shared/domain/instants.ts'
import { fail, ok, type Result } from '#shared/errors/result.ts'
import type { Batch } from '#shared/wire/batch.ts'
import { defaultPage } from '#shared/wire/listing.ts'
import { isoTime } from '../view-parts.ts'
import type { Line } from '../service/line.ts'
import type { ApiOutcome, ApiPort } from '../ports/api.ts'
import type { CatalogueStore } from '../ports/catalogue-store.ts'
import type { ClockPort } from '../ports/clock.ts'
import { type LotsStore, mostLots, type StoredLot } from '../ports/recent-store.ts'
import { isFinalRefusal } from '../service/answers.ts'
import type { Session } from '../service/session.ts'
import { createTurns, SharedCalls, withTimeout } from '../timing/calls.ts'
import { saidAt } from '../timing/said-at.ts'

interface LotsParts {
  readonly api: Pick<ApiPort, 'listBatches'>
  readonly session: Pick<Session, 'isSignedIn' | 'withAccess'>
  readonly line: Pick<Line, 'isOffline'>
  readonly clock: ClockPort
  readonly catalogue: Pick<CatalogueStore, 'variant'>
  readonly store: LotsStore
  /** Maximum time for which a request of an operator waits for the service, in milliseconds. */
  readonly askMs: Milliseconds
}

type Read = ApiOutcome<readonly StoredLot[]>

/** Maximum number of pages to read for one variant; an operator does not look through more lots. */
const mostPages = 20

/** Returns the stock lots of a variant from the service, or the kept lots if the service does not respond. */
export class Lots {
  readonly #parts: LotsParts
  /** Walks that have not ended, by variant id, so that simultaneous callers share one walk. */
  readonly #walks = new SharedCalls<Read>()

  constructor(parts: LotsParts) {
    this.#parts = parts
  }

  async lots(variantId: string): Promise<Result<LotsView>> {
    const { session, line, clock, catalogue, store, askMs } = this.#parts
    const variant = catalogue.variant(variantId)?.variant
    if (!variant) return fail('article.unknown')
    if (session.isSignedIn && !line.isOffline()) {
      const read = await withTimeout<Read | null>(
        clock,
        askMs,
        this.#walks.ask(variantId, () => this.#walk(variantId, variant.article_code)),
        () => null,
      )
      if (read?.kind === 'answer')
        return ok(toLotsView(variantId, read.value, saidAt(read, clock), 'service'))
      // if the service refused for another reason than the token or too many calls, returns this refusal: lots that
      // were stored at an earlier read would hide the reason from the operator
      if (read?.kind === 'refused' && isFinalRefusal(read)) return { ok: false, error: read.failure }
    }
    const kept = store.kept(variantId)
    return kept ? ok(toLotsView(variantId, kept.lots, kept.asOf, 'kept')) : fail('article.lots_not_kept')
  }

  /**
   * Reads at most `mostPages` pages of lots of a variant, even if the caller no longer waits. Keeps the lots that
   * expire first, at most one more than `mostLots`.
   */
  async #walk(variantId: string, articleCode: string): Promise<Read> {
    const { api, session, store, clock } = this.#parts
    const seen = new Set<string>()
    let own = new Map<string, StoredLot>()
    for (let page = 1; ; page++) {
      const outcome = await session.withAccess((token) => api.listBatches(token, articleCode, page))
      if (outcome.kind !== 'answer') return outcome
      const { rows, skipped } = outcome.value
      const known = seen.size
      for (const row of rows) {
        seen.add(row.id)
        // a service that does not support the filter returns every lot, so lots of other variants are left out
        if (row.variant.id === variantId) own.set(row.id, toStoredLot(row))
      }
      own = new Map(firstToExpire(own.values(), mostLots + 1).map((lot) => [lot.id, lot]))
      // a service may shorten pages, but not below the default length, so a shorter page is the last one
      const isLast = seen.size === known || rows.length + skipped.length < defaultPage
      if (!isLast && page < mostPages) continue
      const lots = [...own.values()]
      await store.keep(variantId, lots, saidAt(outcome, clock))
      return { ...outcome, value: lots }
    }
  }
}

function toLotsView(
  variantId: string,
  lots: readonly StoredLot[],
  asOf: number,
  source: LotsView['source'],
): LotsView {
  const shown = firstToExpire(lots, mostLots)
  return { variantId, lots: shown, more: lots.length > mostLots, asOf: isoTime(asOf), source }
}

function firstToExpire(lots: Iterable<StoredLot>, most: number): StoredLot[] {
  return [...lots].sort(byExpiry).slice(0, most)
}

/**
 * Orders lots by expiration date; lots without a date are last. Lots with the same date are ordered by id, so that the
 * order is always the same.
 */
function byExpiry(a: StoredLot, b: StoredLot): number {
  const [one, other] = [a.expirationDate ?? '9999-12-31~', b.expirationDate ?? '9999-12-31~']
  if (one !== other) return one < other ? -1 : 1
  return a.id < b.id ? -1 : a.id > b.id ? 1 : 0
}

/**
 * Longest reference to keep, in characters. The window shows only the beginning of a longer reference
 * (ui/code-groups.ts). The service's references have 14 characters.
 */
const longestReference = 120
const shownStart = 60

/**
 * Converts a lot into the form that the desk keeps and shows. A reference that is too long is cut and ends with an
 * ellipsis.
 */
export function toStoredLot({ id, quantity, expiration_date: expirationDate, inbound }: Batch): StoredLot {
  return {
    id,
    quantity,
    expirationDate,
    inboundReference: inbound && shortened(inbound.reference),
    receivedAt: receivedAt(inbound),
  }
}

function shortened(reference: string): string {
  return reference.length <= longestReference ? reference : `${reference.slice(0, shownStart)}…`
}

/**
 * Returns when the goods of a lot arrived or, without this date, when their inbound was created. If the date has no
 * time, returns the start of that day in UTC (API.md 1.6).
 */
function receivedAt(inbound: Batch['inbound']): string | null {
  if (!inbound) return null
  const ms = Date.parse(inbound.inbound_date ?? inbound.created_at)
  return Number.isNaN(ms) ? null : isoTime(ms)
}

interface ExpiringParts {
  readonly clock: Pick<ClockPort, 'now' | 'ticks' | 'after'>
  readonly catalogue: Pick<CatalogueStore, 'variant' | 'details'>
  readonly lots: Pick<LotsStore, 'expiring'>
}

/** Maximum number of lots in one list; an operator handles fewer lots in a day. */
const mostExpiring = 500

/**
 * Returns expired lots and lots that expire within `withinDays` local calendar days, the earliest date first. Only lots
 * of expirable articles are returned. Lets the event loop run between the reads of the articles, because thousands of
 * articles may be read of which none is expirable.
 */
export async function expiringLots(
  { clock, catalogue, lots }: ExpiringParts,
  withinDays: number,
): Promise<ExpiringList> {
  const turn = createTurns(clock)
  const named = new Map<string, ExpiringList['lots'][number]['variant'] | null>()
  const nameOf = (id: string): ExpiringList['lots'][number]['variant'] | null => {
    const variant = catalogue.variant(id)?.variant
    if (variant?.expirable !== true) return null
    return { id, name: variant.name, articleCode: variant.article_code, ean: variant.ean }
  }
  const { lots: kept, isCut } = lots.expiring(localDay(clock.now(), withinDays))
  const found: ExpiringList['lots'][number][] = []
  for (const { variantId, lot, asOf } of kept) {
    if (found.length > mostExpiring) break
    await turn()
    const known = named.get(variantId)
    const variant = known === undefined ? nameOf(variantId) : known
    named.set(variantId, variant)
    if (variant) found.push({ variant, lot, asOf: isoTime(asOf) })
  }
  const { asOf } = catalogue.details().lots
  return {
    lots: found.slice(0, mostExpiring),
    more: isCut || found.length > mostExpiring,
    asOf: asOf === null ? null : isoTime(asOf),
  }
}

/** Returns the local date in `days` days, as `YYYY-MM-DD`, because best-before dates are local calendar days. */
function localDay(now: Instant, days: number): string {
  const day = new Date(now)
  day.setDate(day.getDate() + days)
  const two = (number: number): string => String(number).padStart(2, '0')
  return `${day.getFullYear()}-${two(day.getMonth() + 1)}-${two(day.getDate())}`
}
