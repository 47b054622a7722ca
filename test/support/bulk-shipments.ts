import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Shipment } from '#shared/wire/shipment.ts'

/**
 * Shipments in bulk, numbered from 0. The codes of a shipment depend only on its number, so they are the same in every
 * process. The shipments are created in the order of their numbers, at intervals of `stepMs`. At the start of the test,
 * the newest shipment has the number `count - 1` and the time of creation `newestAt`; a test may increase `count` to
 * add newer shipments.
 */
export interface BulkShipments {
  count: number
  readonly newestAt: number
  readonly stepMs: number
}

const minuteMs = 60_000

/**
 * Describes `count` shipments that are created at equal intervals over a period of `days` days. The period ended an
 * hour before `now`. Times are in milliseconds since 1970.
 */
export function bulkShipments(count: number, days: number, now: number): BulkShipments {
  return { count, newestAt: now - 60 * minuteMs, stepMs: Math.floor((days * 24 * 60 * minuteMs) / count) }
}

/** Returns the time of creation of a shipment. `first`: number of the newest shipment at the start of the test. */
export function madeAt({ newestAt, stepMs }: BulkShipments, number: number, first: number): number {
  return newestAt + (number - first) * stepMs
}

const carriers = ['PostNL', 'DHL', 'DPD', 'UPS', 'GLS']

export function bulkShipment(number: number, createdAt: number): Shipment {
  const at = new Date(createdAt).toISOString()
  const tail = String(number).padStart(9, '0')
  const carrier = carriers[number % carriers.length] ?? ''
  return {
    id: `00000000-0000-4000-9000-${String(number).padStart(12, '0')}`,
    customer: '00000000-0000-4000-8000-000000000001',
    reference: `SHP${String(number).padStart(11, '0')}`,
    po_number: number % 3 === 0 ? `PO-${tail}` : null,
    order_external_reference: `WEB-${tail}`,
    shipment_external_reference: number % 4 === 0 ? `EXT/${tail}` : null,
    created_at: at,
    modified_at: at,
    shipping_method: {
      id: '00000000-0000-4000-8000-000000000011',
      code: 'standard',
      description: `${carrier} Standard`,
      shipper_code: carrier,
      shipper: carrier,
      shipping_software: null,
      created_at: at,
      modified_at: at,
    },
    shipping_address: {
      addressed_to: `Receiver ${tail}`,
      contact_person: null,
      street: 'Kadeweg',
      street2: null,
      street_number: String(number % 400),
      street_number_addition: null,
      zipcode: '1234 AB',
      city: 'Utrecht',
      country: 'NL',
      state: null,
      phone_number: null,
      mobile_number: null,
      fax_number: null,
      email_address: null,
      invalid: false,
    },
    shipment_labels: [
      {
        label_code: `JVGL${tail}`,
        tracking_code: `3SQWE ${tail}`,
        tracking_url: `https://t.example.org/${tail}`,
      },
      ...(number % 10 === 0 ? [{ label_code: null, tracking_code: `3SRTY${tail}`, tracking_url: null }] : []),
    ],
    shipment_lines: Array.from({ length: 1 + (number % 3) }, (_, line) => ({
      shipped_quantity: 1 + line,
      shipped_ean: null,
      shipped_article_code: `BULK-${(number * 7 + line) % 5_000}`,
      shipped_sku: null,
      serial_numbers: number % 5 === 0 ? [`SN-${tail}-${line}`] : [],
      variant: null,
    })),
  }
}

/** Returns all codes by which the shipment can be found, except serial numbers, in the form that a scanner reads. */
export function bulkCodes(one: Shipment): string[] {
  return [
    one.reference,
    one.order_external_reference,
    one.po_number,
    one.shipment_external_reference,
    ...(one.shipment_labels ?? []).flatMap((label) => [
      label.label_code,
      label.tracking_code?.replaceAll(' ', '') ?? null,
    ]),
  ].filter((code) => code !== null)
}

export function bulkSerials(one: Shipment): string[] {
  return (one.shipment_lines ?? []).flatMap((line) => line.serial_numbers ?? [])
}

const dayMs = 24 * 3600_000
const longestPage = 200

/**
 * A service that lists shipments in bulk (API.md 1.8): the newest first, filtered by whole days, in pages by offset.
 * All other lists are empty.
 */
export class BulkShipmentService {
  /** The requested pages of the list of shipments, each with the first and the last day of its request. */
  readonly pages: { readonly page: number; readonly from: string; readonly to: string }[] = []
  /** Whether the next call for a page gets a response. If not, its connection is closed. */
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
