import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Batch } from '#shared/wire/batch.ts'
import type { Variant } from '#shared/wire/variant.ts'
import { smallId } from './small-world.ts'

export function goodsVariant(number: number, rest: Partial<Variant> = {}): Variant {
  const at = new Date(Date.parse('2026-01-01T00:00:00Z') + number * 1_000).toISOString()
  return {
    id: smallId(10_000 + number),
    article_code: `A-${number}`,
    name: `Article ${number}`,
    description: null,
    ean: null,
    sku: null,
    hs_tariff_code: null,
    height: null,
    depth: null,
    width: null,
    weight: null,
    expirable: false,
    country_of_origin: null,
    using_serial_numbers: false,
    value: null,
    created_at: at,
    modified_at: at,
    ...rest,
  }
}

/** Returns a lot of an article made by `goodsVariant`. */
export function goodsBatch(number: number, variantNumber: number, rest: Partial<Batch> = {}): Batch {
  return {
    id: smallId(5_000_000 + number),
    expiration_date: null,
    quantity: number + 1,
    variant: { id: goodsVariant(variantNumber).id },
    inbound: null,
    ...rest,
  }
}

/**
 * A simple service that serves the lists of goods with the rows of a test. Except for logins it accepts only `token`,
 * which every login returns.
 */
export class GoodsService {
  /** Variants in wire form, including malformed rows. */
  variants: (Variant | Record<string, unknown>)[] = []
  methods: Record<string, unknown>[] = []
  types: Record<string, unknown>[] = []
  /** Lots in wire form, in the order of their creation. */
  batches: (Batch | Record<string, unknown>)[] = []
  token = 'good'
  /** Largest allowed value of `limit`. A request with a larger value gets the status 400. */
  largestLimit = 1_000
  /** Maximum number of rows of a page, even if `limit` is larger. */
  longestPage = 1_000
  delayMs = 0
  readonly calls: URL[] = []
  onCall: (url: URL) => void = () => undefined
  /** Whether the rows stay unchanged between two calls. */
  isUnchanging = false
  readonly #orders = new Map<string, { of: unknown; rows: readonly unknown[] }>()
  #server: Server | null = null
  #port = 0

  get url(): string {
    return `http://127.0.0.1:${this.#port}`
  }

  async start(): Promise<void> {
    const server = createServer((request, response) => {
      const url = new URL(request.url ?? '/', this.url)
      this.calls.push(url)
      this.onCall(url)
      const isKnown = request.headers.authorization === `Bearer ${this.token}`
      const [status, body] =
        url.pathname === '/wms/auth/login/'
          ? [200, { token: this.token, iat: 0, exp: 3_600, refresh_token: 'refresh' }]
          : isKnown
            ? this.#answer(url)
            : [401, { code: 401, message: 'Invalid JWT Token' }]
      setTimeout(() => {
        response.writeHead(status, { 'content-type': 'application/json' })
        response.end(JSON.stringify(body))
      }, this.delayMs)
    })
    await new Promise<void>((resolve) => server.listen(this.#port, '127.0.0.1', resolve))
    this.#port = (server.address() as AddressInfo).port
    this.#server = server
  }

  async connections(): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#server?.getConnections((error, open) => (error ? reject(error) : resolve(open)))
    })
  }

  async stop(): Promise<void> {
    const server = this.#server
    this.#server = null
    if (!server) return
    server.closeAllConnections()
    await new Promise<void>((resolve) => server.close(() => resolve()))
  }

  /**
   * Returns the rows in the requested order. If `isUnchanging` is set, sorts them only once for each order, because a
   * large list is requested in many pages.
   */
  #sorted(query: URLSearchParams): readonly unknown[] {
    const order = `${String(query.get('sort'))} ${String(query.get('direction'))}`
    const known = this.#orders.get(order)
    if (known?.of === this.variants && this.isUnchanging) return known.rows
    const rows = sorted(this.variants, query)
    this.#orders.set(order, { of: this.variants, rows })
    return rows
  }

  #batchesOf(query: URLSearchParams): readonly unknown[] {
    const code = query.get('article_code')
    const variants = this.variants.filter((row) => code === null || Reflect.get(row, 'article_code') === code)
    const ids = new Set<unknown>(variants.map((row) => row.id))
    const rows =
      code === null
        ? this.batches
        : this.batches.filter((row) => ids.has(Reflect.get(new Object(row['variant']), 'id')))
    return query.get('direction') === 'desc' ? rows.toReversed() : rows
  }

  #answer(url: URL): [number, unknown] {
    const limit = Number(url.searchParams.get('limit') ?? 50)
    if (limit > this.largestLimit) return [400, { error: 'limit is too large' }]
    const page = Math.max(1, Number(url.searchParams.get('page') ?? 1))
    const cut = (rows: readonly unknown[]): unknown[] => {
      const length = Math.min(limit, this.longestPage)
      return rows.slice((page - 1) * length, page * length)
    }
    switch (url.pathname) {
      case '/wms/variants/':
        return [200, cut(this.#sorted(url.searchParams))]
      case '/wms/shippingmethods/':
        return [200, cut(this.methods)]
      case '/wms/locationtypes/':
        return [200, this.types]
      case '/wms/shipments/':
      case '/wms/return-labels/':
      case '/wms/articles/':
      case '/wms/customers/':
      case '/wms/modifications/':
        return [200, []]
      case '/wms/batches/':
        return [200, cut(this.#batchesOf(url.searchParams))]
      default:
        return [404, { error: 'Not found.' }]
    }
  }
}

/** Sorts like the service: by a time column, then by id. */
export function sorted<Row extends object>(rows: readonly Row[], query: URLSearchParams): Row[] {
  const field = query.get('sort') === 'modifiedAt' ? 'modified_at' : 'created_at'
  const sign = query.get('direction') === 'desc' ? -1 : 1
  const key = (row: Row): string => `${String(Reflect.get(row, field))} ${String(Reflect.get(row, 'id'))}`
  return [...rows].sort((a, b) => sign * (key(a) < key(b) ? -1 : 1))
}
