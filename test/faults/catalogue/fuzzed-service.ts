import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { goodsBatch, goodsVariant, sorted } from '#support/goods-service.ts'
import { spoiltBody, spoiltRow } from './fuzz.ts'

type Random = () => number
type Row = Record<string, unknown>

/** Serves lists of goods over HTTP. Some rows and some whole responses do not conform to API.md. */
export class FuzzedService {
  pages = 0
  spoiltPages = 0
  /** Probability, from 0 to 1, that a response is damaged as a whole. */
  unrest = 0.15
  variants: unknown[] = []
  batches: unknown[] = []
  methods: unknown[] = []
  cap = 20
  #random: Random = () => 1
  #server: Server | null = null
  url = ''

  async start(): Promise<void> {
    const server = createServer((request, response) => {
      const url = new URL(request.url ?? '/', this.url)
      const body = JSON.stringify(this.#rows(url))
      const isSpoilt = this.#random() < this.unrest
      this.pages++
      if (isSpoilt) this.spoiltPages++
      response.writeHead(isSpoilt && this.#random() < 0.1 ? 500 : 200, { 'content-type': 'application/json' })
      response.end(isSpoilt ? spoiltBody(body, this.#random) : body)
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    this.#server = server
  }

  async stop(): Promise<void> {
    this.#server?.closeAllConnections()
    await new Promise((resolve) => this.#server?.close(resolve))
  }

  /**
   * Replaces the variants, lots and shipping methods of the service with new ones. Some of the new rows are invalid on
   * purpose.
   */
  refill(random: Random): void {
    this.#random = random
    this.cap = 5 + Math.floor(random() * 30)
    const some = (most: number): number[] => Array.from({ length: Math.floor(random() * most) }, (_, n) => n)
    const odd = (row: object): unknown => (random() < 0.12 ? spoiltRow({ ...row }, random) : row)
    this.variants = some(90).map((n) => odd(goodsVariant(n, { sku: `SKU-${n}` })))
    this.batches = some(60).map((n) => odd(goodsBatch(n, n)))
    this.methods = some(6).map((n) => odd(method(n)))
  }

  /** Makes all rows valid and sets the time of the last change of all variants to now. */
  heal(): void {
    const at = new Date().toISOString()
    this.unrest = 0
    this.variants = this.variants.map((_, n) => goodsVariant(n, { sku: `SKU-${n}`, modified_at: at }))
    this.batches = this.batches.map((_, n) => goodsBatch(n, n))
    this.methods = this.methods.map((_, n) => method(n))
  }

  #rows({ pathname, searchParams }: URL): unknown[] {
    const limit = Math.min(Number(searchParams.get('limit') ?? 50), this.cap)
    const page = Number(searchParams.get('page') ?? 1)
    const cut = (rows: readonly unknown[]): unknown[] => rows.slice((page - 1) * limit, page * limit)
    switch (pathname) {
      case '/wms/variants/':
        return cut(this.#sorted(searchParams))
      case '/wms/batches/':
        return cut(searchParams.get('direction') === 'desc' ? this.batches.toReversed() : this.batches)
      case '/wms/shippingmethods/':
        return this.methods
      default:
        return []
    }
  }

  /**
   * If the query asks for the sort by time of change, sorts by the text of `modified_at`, even if this text is not a
   * valid time. Otherwise keeps the order of the rows.
   */
  #sorted(query: URLSearchParams): unknown[] {
    if (query.get('sort') !== 'modifiedAt') return this.variants
    const rows = this.variants.map((row, n) => ({
      row,
      id: String(n).padStart(9, '0'),
      modified_at: String(Reflect.get(new Object(row), 'modified_at')),
    }))
    return sorted(rows, query).map(({ row }) => row)
  }
}

function method(number: number): Row {
  return {
    id: goodsBatch(1_000 + number, 1).id,
    shipper: 'Shipper',
    shipper_code: 'S',
    code: `M${number}`,
    description: null,
    shipping_software: null,
    created_at: '2026-01-01T00:00:00Z',
    modified_at: '2026-01-01T00:00:00Z',
  }
}
