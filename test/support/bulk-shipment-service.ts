import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type BulkShipments, bulkShipment, madeAt } from './bulk-shipments.ts'

const dayMs = 24 * 3600_000
const longestPage = 200

/** Lists shipments in bulk as api.md has it: newest first, whole days, pages by offset. Everything else it has none of. */
export class BulkShipmentService {
  /** Pages of shipments that were asked for: which, and of which days. */
  readonly pages: { readonly page: number; readonly from: string; readonly to: string }[] = []
  /** Whether a page is answered; a call that is not ends without an answer. */
  lets: () => boolean = () => true
  readonly bulk: BulkShipments
  readonly #first: number
  #server: Server | null = null
  #port = 0

  constructor(bulk: BulkShipments) {
    this.bulk = bulk
    this.#first = bulk.count - 1
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`
  }

  createdAt(number: number): number {
    return madeAt(this.bulk, number, this.#first)
  }

  async start(): Promise<void> {
    const server = createServer((request, response) => {
      request.resume()
      const url = new URL(request.url ?? '/', this.url)
      const body = url.pathname.startsWith('/wms/auth/')
        ? { token: 'bulk', iat: 0, exp: 86_400, refresh_token: 'bulk' }
        : url.pathname === '/wms/shipments/'
          ? this.#list(url.searchParams)
          : []
      if (body === null) request.socket.destroy()
      else response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    })
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen(this.#port, '127.0.0.1', resolve)
    })
    this.#port = (server.address() as AddressInfo).port
    this.#server = server
  }

  async stop(): Promise<void> {
    const server = this.#server
    this.#server = null
    if (!server) return
    server.closeAllConnections()
    await new Promise<void>((resolve) => server.close(() => resolve()))
  }

  #list(query: URLSearchParams): unknown[] | null {
    const order = query.get('order_external_reference')
    if (order !== null) return this.#ofOrder(order)
    const [from, to] = [query.get('from') ?? '1970-01-01', query.get('to') ?? '9999-12-31']
    const page = Number(query.get('page') ?? 1)
    this.pages.push({ page, from, to })
    if (!this.lets()) return null
    const limit = Math.min(longestPage, Number(query.get('limit') ?? 50))
    const { newestAt, stepMs, count } = this.bulk
    const numberAt = (ms: number): number => this.#first + (ms - newestAt) / stepMs
    const newest = Math.min(count - 1, Math.ceil(numberAt(Date.parse(to) + dayMs)) - 1)
    const oldest = Math.max(0, Math.ceil(numberAt(Date.parse(from))))
    const begin = newest - (page - 1) * limit
    const length = Math.max(0, Math.min(limit, begin - oldest + 1))
    return Array.from({ length }, (_, index) => this.#shipment(begin - index))
  }

  #ofOrder(order: string): unknown[] {
    const number = Number(/^WEB-(\d{9})$/.exec(order)?.[1] ?? Number.NaN)
    return number < this.bulk.count ? [this.#shipment(number)] : []
  }

  #shipment(number: number): unknown {
    return bulkShipment(number, this.createdAt(number))
  }
}
