import type { Failure } from '#shared/errors/catalogue.ts'
import { defaultPage } from '#shared/wire/listing.ts'
import type { Variant } from '#shared/wire/variant.ts'
import {
  advance,
  beginAll,
  beginChanges,
  type CataloguePass,
  countByProbing,
  queryOf,
  withShorterPages,
} from './catalogue-pass.ts'
import { CatalogueMeter } from './catalogue-meter.ts'
import type { ApiOutcome, ApiPort, RowPage } from './ports/api.ts'
import type { CatalogueFiles, VariantRows } from './ports/catalogue-file.ts'
import type { SyncEnd, SyncListener } from './ports/catalogue-store.ts'

export interface RoundParts {
  readonly api: Pick<ApiPort, 'listVariants' | 'listShippingMethods' | 'listLocationTypes'>
  readonly files: CatalogueFiles
  readonly listener: Pick<SyncListener, 'access' | 'changed' | 'progress'>
  /** Wall clock, where an answer carries no Date; milliseconds since 1970. */
  readonly now: () => number
  /** Monotonic milliseconds. */
  readonly ticks: () => number
  /** Everything is read again when that is so long ago, in milliseconds: what the service removed is never a change. */
  readonly fullEveryMs: number
  readonly isStopped: () => boolean
}

/** Ends a round wherever it stands. */
class Ended extends Error {
  readonly end: SyncEnd
  constructor(end: SyncEnd) {
    super(end.kind)
    this.end = end
  }
}

/** An interrupted read of everything is taken up again for so long, in milliseconds; then it begins anew. */
const resumableMs = 6 * 3600_000

/**
 * One round: the small lists, then all variants or what changed of them. Never throws for what the service does;
 * a failing file throws.
 */
export async function readCatalogue(parts: RoundParts): Promise<SyncEnd> {
  const round = new Round(parts)
  try {
    await round.run()
    return { kind: 'done' }
  } catch (error) {
    if (error instanceof Ended) return error.end
    throw error
  } finally {
    parts.listener.progress(null)
  }
}

class Round {
  readonly #parts: RoundParts
  #token: string | null = null

  constructor(parts: RoundParts) {
    this.#parts = parts
  }

  async run(): Promise<void> {
    const { files, listener, now, fullEveryMs } = this.#parts
    const refusal = await this.#lists()
    listener.changed()
    const { complete, watermark, fullReadAt } = files.facts()
    const isDue = fullReadAt === null || now() - fullReadAt > fullEveryMs
    if (!complete || watermark === null || isDue) await this.#readAll()
    else {
      const startedAt = await this.#readChanges(watermark, (page) => {
        files.change(page)
        listener.changed()
      })
      files.settle(startedAt)
    }
    listener.changed()
    if (refusal) throw new Ended({ kind: 'failed', failure: refusal })
  }

  /** A list that this user may not read does not keep the articles from coming; it is told at the end. */
  async #lists(): Promise<Failure | null> {
    const { api, files } = this.#parts
    const methods = await this.#ask((token) => readPages((page) => api.listShippingMethods(token, page)))
    if (methods.kind === 'answer') files.putMethods(methods.value.rows, this.#asOf(methods))
    const types = await this.#ask((token) => api.listLocationTypes(token))
    if (types.kind === 'answer') files.putLocationTypes(types.value.rows, this.#asOf(types))
    return methods.kind === 'refused' ? methods.failure : types.kind === 'refused' ? types.failure : null
  }

  async #readAll(): Promise<void> {
    const { next } = this.#parts.files
    const { now, listener } = this.#parts
    const earlier = next.resume()
    const isFresh = earlier !== null && now() - earlier.startedAt < resumableMs
    if (!isFresh) next.begin()
    const first = isFresh ? { ...beginAll(), ...earlier, page: earlier.page + 1 } : beginAll()
    const startedAt = await this.#walkAll(first)
    next.index()
    // what changed while all of it was read, also what moved to a page that was read before
    const watermark = await this.#readChanges(startedAt, (page) => next.change(page))
    next.publish(watermark, startedAt)
    listener.changed()
  }

  /** When the walk began. */
  async #walkAll(first: CataloguePass): Promise<number> {
    const { next } = this.#parts.files
    const meter = new CatalogueMeter(this.#parts, (first.page - 1) * (first.pageLength ?? 0))
    let count: Promise<void> | null = null
    let pass = first
    let ahead = this.#page(pass)
    try {
      for (;;) {
        const page = await ahead
        pass = page.pass
        const step = advance(pass, page.facts)
        // the next page comes while this one is written
        if (!step.isOver) ahead = this.#page(step.pass)
        // a page that fails is met at its own turn
        ahead.catch(() => undefined)
        const { startedAt, pageLength } = step.pass
        if (startedAt === null || pageLength === null)
          throw new Error('a page was read without leaving a trace')
        next.add(page.rows, { startedAt, limit: pass.limit, page: pass.page, pageLength })
        meter.add(page.facts.length)
        if (step.isOver) return startedAt
        count ??= this.#count(meter)
        pass = step.pass
      }
    } finally {
      meter.stop()
      await count
    }
  }

  async #count(meter: CatalogueMeter): Promise<void> {
    const { api } = this.#parts
    const isThere = async (nth: number): Promise<boolean | null> => {
      if (meter.isStopped || this.#parts.isStopped()) return null
      const query = { ...queryOf(beginAll()), page: nth, limit: 1 }
      const outcome = await api.listVariants(this.#token ?? '', query)
      return outcome.kind === 'answer' ? lengthOf(outcome.value) > 0 : null
    }
    meter.expect(await countByProbing(isThere, meter.rows))
  }

  /** Until when all changes are known then. */
  async #readChanges(watermark: number, keep: (page: VariantRows) => void): Promise<number> {
    for (let pass = beginChanges(watermark); ;) {
      const page = await this.#page(pass)
      if (lengthOf(page.rows) > 0) keep(page.rows)
      const step = advance(page.pass, page.facts)
      pass = step.pass
      if (step.isOver) return pass.startedAt ?? watermark
    }
  }

  async #page(wanted: CataloguePass): Promise<{
    pass: CataloguePass
    rows: VariantRows
    facts: { length: number; oldestChange: number; asOf: number }
  }> {
    const { api } = this.#parts
    for (let pass = wanted; ;) {
      const query = queryOf(pass)
      const outcome = await this.#ask((token) => api.listVariants(token, query))
      if (outcome.kind === 'answer') {
        const asOf = this.#asOf(outcome)
        const facts = { length: lengthOf(outcome.value), oldestChange: oldestOf(outcome.value.rows), asOf }
        return { pass, rows: { ...outcome.value, asOf }, facts }
      }
      const shorter = outcome.status === 400 ? withShorterPages(pass) : null
      if (!shorter) throw new Ended({ kind: 'failed', failure: outcome.failure })
      pass = shorter
    }
  }

  /** An answer or a refusal; anything else ends the round. A 401 is answered with one fresh token. */
  async #ask<T>(
    call: (token: string) => Promise<ApiOutcome<T>>,
  ): Promise<Extract<ApiOutcome<T>, { kind: 'answer' | 'refused' }>> {
    for (let refused: string | null = null; ; refused = this.#token) {
      if (this.#parts.isStopped()) throw new Ended({ kind: 'stopped' })
      if (this.#token === null || refused !== null) {
        const access = await this.#parts.listener.access(refused)
        if (!access.ok) throw new Ended({ kind: 'failed', failure: access.failure })
        this.#token = access.token
      }
      const outcome = await call(this.#token)
      if (outcome.kind === 'refused' && outcome.status === 401 && refused === null) continue
      if (outcome.kind === 'answer' || (outcome.kind === 'refused' && isFinal(outcome.status))) return outcome
      throw new Ended({ kind: 'failed', failure: outcome.failure })
    }
  }

  #asOf(answer: { readonly serverDate: number | null }): number {
    return answer.serverDate ?? this.#parts.now()
  }
}

/** Whether asking again is pointless: neither the token nor the number of calls was the reason. */
function isFinal(status: number): boolean {
  return status !== 401 && status !== 429
}

function lengthOf({ rows, skipped }: RowPage<unknown>): number {
  return rows.length + skipped.length
}

function oldestOf(rows: readonly Variant[]): number {
  return rows.reduce((oldest, row) => Math.min(oldest, Date.parse(row.modified_at)), Infinity)
}

const mostSmallPages = 100

/** All pages of a small list; ends also where a service knows no pages and answers with the same rows again. */
async function readPages<Row extends { readonly id: string }>(
  read: (page: number) => Promise<ApiOutcome<RowPage<Row>>>,
): Promise<ApiOutcome<RowPage<Row>>> {
  const rows = new Map<string, Row>()
  for (let page = 1; ; page++) {
    const outcome = await read(page)
    if (outcome.kind !== 'answer') return outcome
    const known = rows.size
    for (const row of outcome.value.rows) rows.set(row.id, row)
    const isShort = lengthOf(outcome.value) < defaultPage
    if (isShort || rows.size === known || page === mostSmallPages)
      return { ...outcome, value: { rows: [...rows.values()], skipped: [] } }
  }
}
