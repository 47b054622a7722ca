import { Agent, request as httpRequest } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { z } from 'zod'
import { sandbox } from '#shared/domain/sandbox.ts'
import { tokens } from '#shared/wire/auth.ts'
import { returnLabel } from '#shared/wire/return-label.ts'
import { bulkVariant } from '#support/bulk-goods.ts'
import { shipmentCount, shipmentId, shipmentOrder, variantCount } from './server-data.ts'

/** The kinds of calls that a desk makes. */
export const callKinds = [
  'login',
  'refresh',
  'look for the label of a shipment',
  'shipment by its order',
  'variant by its id',
  'list of 50 variants',
  'recent labels before a creation',
  'label create',
  'label request',
  'PDF download',
  'modification',
  'sync of 200 shipments',
  'sync of 200 labels',
  'sync of 100 changed variants',
  'small lists of a sync',
  'full catalogue page of 1000',
  'page of 250 lots',
] as const
export type CallKind = (typeof callKinds)[number]

/** Called after each call of a desk, with the kind and the milliseconds of the call. */
export type NoteCall = (kind: CallKind, ms: number) => void

interface Call {
  readonly method?: 'GET' | 'POST'
  readonly body?: unknown
  readonly expand?: string
  /** Statuses other than 200 and 201 with which the call succeeds. */
  readonly expects?: readonly number[]
}

const created = z.object({ id: z.string() })
const listed = z.array(z.object({ id: z.string(), reference: z.string().optional() }))

/**
 * Makes the calls of one desk over plain HTTP, in the order in which electron/desk makes them, but stores nothing.
 * Reads use a connection that stays open; each write opens a new connection. Every method throws if a call fails.
 */
export class DeskTraffic {
  readonly #url: string
  readonly #note: NoteCall
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 2 })
  #token = ''
  #refreshToken = ''
  #location: string | null = null

  constructor(url: string, note: NoteCall) {
    this.#url = url
    this.#note = note
  }

  async logIn(): Promise<void> {
    const { username, password } = sandbox
    const body = { username, password }
    this.#take(await this.#call('login', '/wms/auth/login/', { method: 'POST', body }))
  }

  async refresh(): Promise<void> {
    const body = { refresh_token: this.#refreshToken }
    this.#take(await this.#call('refresh', '/wms/auth/refresh/', { method: 'POST', body }))
  }

  #take(answer: Buffer): void {
    const { token, refresh_token: refreshToken } = tokens.parse(JSON.parse(answer.toString()))
    this.#token = token
    this.#refreshToken = refreshToken
  }

  /** Reads the label of a shipment, as a desk does after the scan of a shipment that it has stored. */
  async look(shipment: number): Promise<void> {
    const path = `/wms/shipments/${shipmentId(shipment % shipmentCount)}/return-label`
    await this.#call('look for the label of a shipment', path, { expects: [404] })
  }

  /**
   * Searches the service for the shipments of an order, as a desk does after the scan of an order reference that it has
   * not stored.
   */
  async findByOrder(shipment: number): Promise<void> {
    const order = shipmentOrder(shipment % shipmentCount)
    const query = `?order_external_reference=${order}&sort=createdAt&direction=desc`
    await this.#call('shipment by its order', `/wms/shipments/${query}`, { expand: shipmentGroups })
  }

  async readVariant(number: number): Promise<void> {
    await this.#call('variant by its id', `/wms/variants/${bulkVariant(number % variantCount).id}/`)
  }

  async listVariants(): Promise<void> {
    await this.#call('list of 50 variants', '/wms/variants/?limit=50')
  }

  /**
   * Makes the calls for a label that an operator prints: the reads that search for an existing label, the creation, the
   * request and the PDF.
   */
  async makeLabel(shipment: number): Promise<void> {
    const label = this.label(shipment)
    await Promise.all([label.readRecent(), this.look(shipment)])
    await label.create()
    await label.request()
    await label.download()
  }

  /** Returns the calls that make one label, as separate steps. */
  label(shipment: number): LabelSteps {
    return new LabelSteps((...call) => this.#call(...call), shipmentId(shipment % shipmentCount), this.#url)
  }

  /** Makes the call of a booking of one piece. */
  async book(number: number): Promise<void> {
    this.#location ??= await this.#findLocation()
    const line = { variant: bulkVariant(number % variantCount).id, location: this.#location, quantity: 1 }
    const body = { note: `Found ${number}`, reason: 'CORRECTION', modification_lines: [line] }
    await this.#call('modification', '/wms/modifications/', { method: 'POST', body })
  }

  /**
   * Returns the location of an existing modification. A real desk also learns locations from modifications, because the
   * API has no list of locations.
   */
  async #findLocation(): Promise<string> {
    const list = await this.#send('/wms/modifications/?limit=1', {})
    const [first] = listed.parse(JSON.parse(list.toString()))
    const one = await this.#send(`/wms/modifications/${first?.id}/`, { expand: 'modification_lines' })
    const { modification_lines: lines } = z
      .object({ modification_lines: z.array(z.object({ location: z.object({ id: z.string() }) })) })
      .parse(JSON.parse(one.toString()))
    return lines[0]?.location.id ?? ''
  }

  /**
   * Makes the reads that a desk repeats each minute: the newest shipments and labels, the changed articles, and the
   * small lists.
   */
  async sync(): Promise<void> {
    await this.syncShipments()
    await this.syncLabels()
    await this.syncSmallLists()
    await this.syncVariants()
  }

  async syncShipments(): Promise<void> {
    await this.#call('sync of 200 shipments', `/wms/shipments/${newest()}`, { expand: shipmentGroups })
  }

  async syncLabels(): Promise<void> {
    await this.#call('sync of 200 labels', `/wms/return-labels/${newest()}`, { expand: 'shipment' })
  }

  /** Reads the small lists with two calls: shipping methods and location types. */
  async syncSmallLists(): Promise<void> {
    const methods = '/wms/shippingmethods/?sort=createdAt&direction=asc&page=1&limit=100'
    await this.#call('small lists of a sync', methods)
    await this.#call('small lists of a sync', '/wms/locationtypes/')
  }

  async syncVariants(): Promise<void> {
    const changed = '/wms/variants/?sort=modifiedAt&direction=desc&page=1&limit=100'
    await this.#call('sync of 100 changed variants', changed)
  }

  /** Reads one page of the daily read of all variants. */
  async readCataloguePage(page: number): Promise<void> {
    const query = `?sort=createdAt&direction=asc&page=${page}&limit=1000`
    await this.#call('full catalogue page of 1000', `/wms/variants/${query}`)
  }

  /** Reads one page of a read of all lots. */
  async readLotsPage(page: number): Promise<void> {
    const query = `?direction=asc&sort=createdAt&page=${page}&limit=250`
    await this.#call('page of 250 lots', `/wms/batches/${query}`)
  }

  leave(): void {
    this.#agent.destroy()
  }

  async #call(kind: CallKind, path: string, call: Call = {}): Promise<Buffer> {
    const began = performance.now()
    const answer = await this.#send(path, call)
    this.#note(kind, performance.now() - began)
    return answer
  }

  #send(path: string, { method = 'GET', body, expand, expects = [] }: Call): Promise<Buffer> {
    const sent = body === undefined ? '' : JSON.stringify(body)
    const headers = {
      'x-wms-code': sandbox.wmsCode,
      'x-customer-code': sandbox.customerCode,
      ...(this.#token !== '' && { authorization: `Bearer ${this.#token}` }),
      ...(expand !== undefined && { expand }),
      ...(sent !== '' && { 'content-type': 'application/json' }),
      ...(method === 'POST' && { 'content-length': String(Buffer.byteLength(sent)) }),
    }
    return new Promise((resolve, reject) => {
      const agent = method === 'GET' ? this.#agent : false
      const call = httpRequest(this.#url + path, { method, headers, agent })
      call.on('error', reject)
      call.on('response', (response) => {
        const { statusCode = 0 } = response
        void buffer(response).then((content) => {
          if (statusCode === 200 || statusCode === 201 || expects.includes(statusCode)) resolve(content)
          else reject(new Error(`${method} ${path}: ${statusCode} ${content.toString().slice(0, 300)}`))
        }, reject)
      })
      call.end(sent)
    })
  }
}

/** Returns the query for the newest 200 rows of the last half year. */
function newest(): string {
  const since = new Date(Date.now() - 183 * 24 * 3600_000).toISOString().slice(0, 10)
  return `?from=${since}&page=1&limit=200&sort=createdAt&direction=desc`
}

type MakeCall = (kind: CallKind, path: string, call?: Call) => Promise<Buffer>

class LabelSteps {
  readonly #call: MakeCall
  readonly #shipmentId: string
  readonly #url: string
  #id = ''
  #pdf = ''

  constructor(call: MakeCall, shipment: string, url: string) {
    this.#call = call
    this.#shipmentId = shipment
    this.#url = url
  }

  async readRecent(): Promise<void> {
    const recent = '/wms/return-labels/?page=1&limit=100&sort=createdAt&direction=desc'
    await this.#call('recent labels before a creation', recent, { expand: 'shipment' })
  }

  async create(): Promise<void> {
    const body = { shipment_id: this.#shipmentId }
    const made = await this.#call('label create', '/wms/return-labels/', { method: 'POST', body })
    this.#id = created.parse(JSON.parse(made.toString())).id
  }

  async request(): Promise<void> {
    const path = `/wms/return-labels/${this.#id}/request`
    const requested = await this.#call('label request', path, { method: 'POST' })
    const { url } = returnLabel.parse(JSON.parse(requested.toString()))
    if (url === null) throw new Error('a requested label has no PDF')
    this.#pdf = url.slice(this.#url.length)
  }

  async download(): Promise<void> {
    const pdf = await this.#call('PDF download', this.#pdf)
    if (!pdf.subarray(0, 5).equals(Buffer.from('%PDF-'))) throw new Error('a label is no PDF')
  }
}

/** The groups of related records that a desk requests with a shipment, as an Expand header. */
const shipmentGroups =
  'shipment_lines,shipment_labels,shipping_address,shipping_method,serial_numbers,variant'
