import type { RoundParts } from '#desk/catalogue/catalogue-round.ts'
import type { BatchQuery, RowPage, VariantQuery } from '#desk/ports/api.ts'
import type {
  CatalogueFiles,
  FillState,
  LotsFile,
  NextFile,
  VariantRows,
} from '#desk/ports/catalogue-sync.ts'
import type { Batch } from '#shared/wire/batch.ts'
import type { Variant } from '#shared/wire/variant.ts'
import { goodsBatch, goodsVariant, sorted } from './goods-service.ts'

export const start = Date.parse('2026-03-01T12:00:00Z')

/** A simulated service. Before it reads the rows of a response, it runs the next function of `events`, if any. */
export class World {
  readonly rows = new Map<string, Variant>()
  lots: Batch[] = []
  now = start
  made = 0
  /** What the test changes before the next responses: one function for each response, in their order. */
  events: (() => void)[] = []
  /** The maximum number of rows of a page. */
  cap = 7

  make(): void {
    this.#put(goodsVariant(++this.made, { created_at: this.#time() }))
  }
  makeLot(): void {
    this.lots.push(goodsBatch(++this.made, 1))
  }
  remove(which: number): void {
    const ids = [...this.rows.keys()].sort()
    this.rows.delete(ids[which % Math.max(1, ids.length)] ?? '')
    this.lots.splice(which % Math.max(1, this.lots.length), 1)
  }
  listLots({ direction, page, limit }: BatchQuery): RowPage<Batch> {
    this.events.shift()?.()
    this.now += 1_000
    const rows = direction === 'asc' ? this.lots : this.lots.toReversed()
    const length = Math.min(limit, this.cap)
    return { rows: rows.slice((page - 1) * length, page * length), skipped: [] }
  }
  change(which: number): void {
    const ids = [...this.rows.keys()].sort()
    const row = this.rows.get(ids[which % Math.max(1, ids.length)] ?? '')
    if (row) this.#put({ ...row, name: `${row.name}*` })
  }
  list({ sort, direction, page, limit }: VariantQuery): RowPage<Variant> {
    this.events.shift()?.()
    this.now += 1_000
    const query = new URLSearchParams({ sort, direction })
    const length = Math.min(limit, this.cap)
    const rows = sorted([...this.rows.values()], query).slice((page - 1) * length, page * length)
    return { rows, skipped: [] }
  }
  #put(row: Variant): void {
    this.rows.set(row.id, { ...row, modified_at: this.#time() })
  }
  #time(): string {
    this.now += 1_000
    return new Date(this.now).toISOString()
  }
}

class MemoryLots implements LotsFile {
  current = new Set<string>()
  upcoming = new Set<string>()
  fill: FillState | null = null
  asOf: number | null = null
  facts(): ReturnType<LotsFile['facts']> {
    return { asOf: this.asOf, pageRows: null, count: this.current.size }
  }
  resume(): ReturnType<LotsFile['resume']> {
    return this.fill && { ...this.fill, rows: this.upcoming.size }
  }
  keepPageRows(): void {}
  dropped = 0
  drop(): void {
    this.dropped++
  }
  begin(): void {
    this.upcoming = new Set()
    this.fill = null
  }
  add({ rows }: Parameters<LotsFile['add']>[0], state: FillState): number {
    const before = this.upcoming.size
    for (const { lot } of rows) this.upcoming.add(lot.id)
    this.fill = state
    return this.upcoming.size - before
  }
  publish(asOf: number): void {
    this.current = this.upcoming
    this.fill = null
    this.asOf = asOf
  }
}

/**
 * The catalogue files in memory: the current file and the next file. If a round is interrupted, the next file is kept.
 */
export class MemoryFiles implements CatalogueFiles {
  current = new Map<string, Variant>()
  upcoming = new Map<string, Variant>()
  fill: FillState | null = null
  readonly lots = new MemoryLots()
  pageRows: number | null = null
  watermark: number | null = null
  fullReadAt: number | null = null
  fulls = 0
  facts(): ReturnType<CatalogueFiles['facts']> {
    const { watermark, fullReadAt, pageRows } = this
    return { complete: fullReadAt !== null, watermark, fullReadAt, pageRows, variants: this.current.size }
  }
  keepPageRows(rows: number): void {
    this.pageRows = rows
  }
  putMethods: CatalogueFiles['putMethods'] = () => undefined
  putLocationTypes: CatalogueFiles['putLocationTypes'] = () => undefined
  change({ rows }: VariantRows): void {
    for (const row of rows) this.current.set(row.id, row)
  }
  settle(watermark: number): void {
    this.watermark = watermark
  }
  readonly next: NextFile = {
    drop: () => undefined,
    resume: () => this.fill,
    begin: () => {
      this.upcoming = new Map()
      this.fill = null
      this.fulls++
    },
    add: ({ rows }: VariantRows, state: FillState) => {
      for (const row of rows) this.upcoming.set(row.id, row)
      this.fill = state
    },
    index: () => undefined,
    change: ({ rows }: VariantRows) => {
      for (const row of rows) this.upcoming.set(row.id, row)
    },
    publish: (watermark: number, fullReadAt: number) => {
      this.current = this.upcoming
      this.fill = null
      this.watermark = watermark
      this.fullReadAt = fullReadAt
    },
  }
}

export const empty = {
  kind: 'answer',
  status: 200,
  value: { rows: [], skipped: [] },
  serverDate: null,
} as const

export function partsOf(world: World, files: CatalogueFiles, rest: Partial<RoundParts> = {}): RoundParts {
  return {
    api: {
      listVariants: (_access, query) =>
        Promise.resolve({ kind: 'answer', status: 200, value: world.list(query), serverDate: world.now }),
      listShippingMethods: () => Promise.resolve(empty),
      listLocationTypes: () => Promise.resolve(empty),
      listAllBatches: (_access, query) =>
        Promise.resolve({ kind: 'answer', status: 200, value: world.listLots(query), serverDate: world.now }),
    },
    files,
    listener: {
      access: () => Promise.resolve({ ok: true, token: 't' }),
      progress: () => undefined,
      lots: () => undefined,
      changed: () => undefined,
    },
    now: () => world.now,
    ticks: () => world.now,
    fullEveryMs: 24 * 3600_000,
    lotsEveryMs: 6 * 3600_000,
    isStopped: () => false,
    ...rest,
  }
}
