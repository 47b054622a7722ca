import type { LotsView } from '#shared/bridge/stock-views.ts'
import { fail, ok, type Result } from '#shared/errors/result.ts'
import { defaultPage } from '#shared/wire/listing.ts'
import { isoTime } from '../timing/iso-time.ts'
import type { Line } from '../service/line.ts'
import type { ApiOutcome, ApiPort } from '../ports/api.ts'
import type { CatalogueStore } from '../ports/catalogue-store.ts'
import type { ClockPort } from '../ports/clock.ts'
import { type LotsStore, mostLots, type StoredLot } from '../ports/recent-store.ts'
import type { Session } from '../service/session.ts'
import { toStoredLot } from './stored-lot.ts'
import { isFinalRefusal } from '../service/final-refusal.ts'
import { within } from '../timing/within.ts'

export interface LotsParts {
  readonly api: Pick<ApiPort, 'listBatches'>
  readonly session: Pick<Session, 'isSignedIn' | 'withAccess'>
  readonly line: Pick<Line, 'isOffline'>
  readonly clock: ClockPort
  readonly catalogue: Pick<CatalogueStore, 'variant'>
  readonly store: LotsStore
  /** How long the operator waits for the service, in milliseconds. */
  readonly askMs: number
}

type Read = ApiOutcome<readonly StoredLot[]>

/** No variant has so many lots that anybody would look at them all. */
const mostPages = 20

/** The stock lots of a variant: the service's present word, or what it said last. */
export class Lots {
  readonly #parts: LotsParts

  constructor(parts: LotsParts) {
    this.#parts = parts
  }

  async lots(variantId: string): Promise<Result<LotsView>> {
    const { session, line, clock, catalogue, store, askMs } = this.#parts
    const variant = catalogue.variant(variantId)?.variant
    if (!variant) return fail('article.unknown')
    if (session.isSignedIn && !line.isOffline()) {
      const read = await within<Read | null>(
        clock,
        askMs,
        this.#ask(variantId, variant.article_code),
        () => null,
      )
      if (read?.kind === 'answer')
        return ok(toLotsView(variantId, read.value, read.serverDate ?? clock.now(), 'service'))
      // a refusal has a reason that an old answer would hide
      if (read && isFinalRefusal(read)) return { ok: false, error: read.failure }
    }
    const kept = store.kept(variantId)
    return kept ? ok(toLotsView(variantId, kept.lots, kept.asOf, 'kept')) : fail('article.lots_not_kept')
  }

  /** Goes on, and keeps what it finds, also when nobody waits any more. */
  async #ask(variantId: string, articleCode: string): Promise<Read> {
    const { api, session, store, clock } = this.#parts
    const lots = new Map<string, { readonly variantId: string; readonly lot: StoredLot }>()
    for (let page = 1; ; page++) {
      const outcome = await session.withAccess((token) => api.listBatches(token, articleCode, page))
      if (outcome.kind !== 'answer') return outcome
      const { rows, skipped } = outcome.value
      const known = lots.size
      for (const row of rows) lots.set(row.id, { variantId: row.variant.id, lot: toStoredLot(row) })
      // some services give fewer rows than they are asked for, but none fewer than their default
      const isLast = lots.size === known || rows.length + skipped.length < defaultPage
      if (!isLast && page < mostPages) continue
      // a service that does not know the filter answers with everything
      const own = [...lots.values()]
        .flatMap((one) => (one.variantId === variantId ? one.lot : []))
        .sort(byExpiry)
        .slice(0, mostLots + 1)
      store.keep(variantId, own, outcome.serverDate ?? clock.now())
      return { ...outcome, value: own }
    }
  }
}

function toLotsView(
  variantId: string,
  lots: readonly StoredLot[],
  asOf: number,
  source: LotsView['source'],
): LotsView {
  const shown = lots.toSorted(byExpiry).slice(0, mostLots)
  return { variantId, lots: shown, more: lots.length > mostLots, asOf: isoTime(asOf), source }
}

/** Oldest expiry first, those without one last, then by id, so that the order never changes by itself. */
function byExpiry(a: StoredLot, b: StoredLot): number {
  const [one, other] = [a.expirationDate ?? '9999-12-31~', b.expirationDate ?? '9999-12-31~']
  if (one !== other) return one < other ? -1 : 1
  return a.id < b.id ? -1 : a.id > b.id ? 1 : 0
}
