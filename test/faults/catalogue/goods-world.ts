import type { PageQuery } from '#desk/ports/api.ts'
import type { Batch } from '#shared/wire/batch.ts'
import type { Variant } from '#shared/wire/variant.ts'
import { goodsBatch, goodsVariant, sorted } from '#support/goods-service.ts'

const start = Date.parse('2026-03-01T12:00:00Z')

/** The articles and lots of a service, which change over time. The service has its own clock. */
export class GoodsWorld {
  readonly variants = new Map<string, Variant>()
  lots: Batch[] = []
  now = start
  /** The maximum number of rows of a page. */
  cap = 50
  changes = 0
  /** All versions that the articles have had so far. A desk must not show any other version. */
  readonly #told = new Set<string>()
  #made = 0

  makeVariant(): void {
    const number = ++this.#made
    this.#put(
      goodsVariant(number, { created_at: this.#time(), sku: `SKU-${number}`, name: `Word${number} thing` }),
    )
  }
  changeVariant(which: number): void {
    const row = nth([...this.variants.values()], which)
    if (row) this.#put({ ...row, name: `${row.name} x`, sku: `${row.sku ?? ''}x` })
  }
  removeVariant(which: number): void {
    const row = nth([...this.variants.values()], which)
    if (row && this.variants.delete(row.id)) this.changes++
  }
  makeLot(): void {
    this.changes++
    this.lots.push(goodsBatch(++this.#made, 1 + (this.#made % 40), { expiration_date: '2026-04-01' }))
  }
  changeLot(which: number): void {
    const at = this.lots.length === 0 ? -1 : which % this.lots.length
    this.changes++
    this.lots = this.lots.map((lot, n) => (n === at ? { ...lot, quantity: lot.quantity + 1 } : lot))
  }
  removeLot(which: number): void {
    this.changes++
    this.lots = this.lots.filter((_, n) => n !== which % this.lots.length)
  }

  variantPage({ page, limit, ...order }: PageQuery & { sort: string; direction: string }): Variant[] {
    return this.#cut(sorted([...this.variants.values()], new URLSearchParams(order)), page, limit)
  }
  lotPage({ page, limit, direction }: PageQuery & { direction: 'asc' | 'desc' }): Batch[] {
    return this.#cut(direction === 'asc' ? this.lots : this.lots.toReversed(), page, limit)
  }

  wasTold(row: Variant): boolean {
    return this.#told.has(JSON.stringify(row))
  }

  #cut<Row>(rows: readonly Row[], page: number, limit: number): Row[] {
    const length = Math.min(limit, this.cap)
    return rows.slice((page - 1) * length, page * length)
  }
  #put(row: Variant): void {
    const now = { ...row, modified_at: this.#time() }
    this.#told.add(JSON.stringify(now))
    this.variants.set(row.id, now)
    this.changes++
  }
  #time(): string {
    this.now += 1_000
    return new Date(this.now).toISOString()
  }
}

function nth<Row>(rows: readonly Row[], which: number): Row | undefined {
  return rows[which % Math.max(1, rows.length)]
}
