import { errorBody } from '#shared/wire/error-body.ts'
import { webhookDeliveryPage } from '#shared/wire/webhook.ts'
import type { Operation } from './api-operations.ts'
import type { Reply, TestServer } from './middleware-server.ts'
import { Known, type Wish } from './random-requests.ts'
import { smallGoods } from './small-goods.ts'
import { smallIds } from './small-world.ts'

/** Maps the name of a property to the collection whose ids the property accepts. */
const collections: Readonly<Record<string, string>> = {
  variant: 'variants',
  article: 'articles',
  location: 'locations',
  shipment_id: 'shipments',
  shipping_method: 'shippingmethods',
  customer: 'customer',
  to_customer: 'to_customer',
  locationtype: 'locationtypes',
}

/** Statuses that are accepted from every operation, even if the operation does not list them. */
const always = new Set([404, 405, 413, 414, 415])

export interface Judged {
  readonly reply: Reply
  /** The faults of the response. An empty list means that it is correct. */
  readonly complaints: string[]
  /** The request in a readable form. */
  readonly sent: string
}

/**
 * Sends the requests of `random-requests` with ids, codes and tokens from earlier responses, and checks every response
 * against the route table.
 */
export class RandomClient {
  readonly #server: TestServer
  readonly #customer: string
  readonly #known = new Map<string, string[]>()

  constructor(server: TestServer, customer: 'ALDER' | 'BIRCH' = 'ALDER') {
    this.#server = server
    this.#customer = customer
    this.#learn('locations', smallGoods.shelf)
    this.#learn('customer', customer === 'ALDER' ? smallIds.alder : smallIds.birch)
    this.#learn('to_customer', customer === 'ALDER' ? smallIds.birch : smallIds.alder)
  }

  /** Returns ids and codes from responses, by collection. */
  get known(): ReadonlyMap<string, readonly string[]> {
    return this.#known
  }

  /** Sends the request and checks the response. */
  async send(operation: Operation, wish: Wish): Promise<Judged> {
    return this.sendAs(this.#customer, operation, wish)
  }

  /** Sends the request with the code of the given customer, but with the ids that this client knows. */
  async sendAs(customer: string, operation: Operation, wish: Wish): Promise<Judged> {
    const { path, body } = this.#fill(operation, wish)
    const reply = await this.#server.call(path, {
      method: operation.method,
      customer,
      ...(body !== undefined && { body }),
      ...(wish.expand.length > 0 && { expand: wish.expand.join(', ') }),
    })
    if (reply.status < 300 && customer === this.#customer) {
      this.#remember(operation, reply.body)
      this.#rememberDeliveries(path, reply.body)
    }
    return {
      reply,
      complaints: judge(operation, reply),
      sent: `${operation.method} ${path} ${text(body).slice(0, 2000)}`,
    }
  }

  #fill(operation: Operation, wish: Wish): { path: string; body: unknown } {
    const places = ['body', 'body', 'body', 'query', 'id', 'text'] as const
    const place = wish.harm === null ? null : places[wish.harm.where % places.length]
    const harm = (value: unknown, here: typeof place): unknown =>
      wish.harm !== null && place === here ? harmed(value, wish.harm.where, wish.harm.by) : value
    const id =
      place === 'id' && operation.path.includes(':id') ? text(wish.harm?.by) : this.#idFor(operation, wish)
    const query = new URLSearchParams()
    for (const [name, value] of Object.entries(Object(harm(this.#resolve(wish.query), 'query')) as object))
      for (const each of [value].flat()) query.append(name, text(each))
    const body = harm(this.#resolve(wish.body), 'body')
    const path = `${this.#pathOf(operation, id, wish)}?${query.toString()}`
    if (place === 'text' && operation.method !== 'GET') return { path, body: text(wish.harm?.by) || '{' }
    return { path, body: operation.method === 'GET' ? undefined : body }
  }

  /** A delivery belongs to one webhook, so both ids are filled in together if a delivery is known. */
  #pathOf({ path }: Operation, id: string, wish: Wish): string {
    const nth = wish.id instanceof Known ? wish.id.nth : 0
    const delivery =
      path.includes(':delivery') && wish.harm === null ? this.#pick('deliveries', nth) : undefined
    const [webhook = id, number = '1'] = delivery?.split('/') ?? []
    return path.replace(':id', encodeURIComponent(webhook.toWellFormed())).replace(':delivery', number)
  }

  #idFor(operation: Operation, { id }: Wish): string {
    const nth = id instanceof Known ? id.nth : 0
    const collection = collectionOf(operation.path)
    return this.#pick(collections[collection] ?? collection, nth) ?? smallIds.everything
  }

  #resolve(value: unknown): unknown {
    if (value instanceof Known)
      return this.#pick(collections[value.property] ?? value.property, value.nth) ?? smallIds.everything
    if (Array.isArray(value)) return value.map((each) => this.#resolve(each))
    if (value === null || typeof value !== 'object') return value
    return Object.fromEntries(Object.entries(value).map(([key, field]) => [key, this.#resolve(field)]))
  }

  #pick(collection: string, nth: number): string | undefined {
    const ids = this.#known.get(collection) ?? []
    return ids[nth % Math.max(1, ids.length)]
  }

  #learn(collection: string, value: string): void {
    const values = this.#known.get(collection) ?? []
    if (!values.includes(value)) values.push(value)
    this.#known.set(collection, values)
  }

  /**
   * Stores the ids of the top-level records by their collection. Also stores the article codes, refresh tokens and ids
   * of documents at any depth of the response.
   */
  #remember(operation: Operation, body: unknown): void {
    const records = Array.isArray(body) ? body : [body]
    for (const record of records as unknown[])
      if (typeof record === 'object' && record !== null && 'id' in record && typeof record.id === 'string')
        this.#learn(collectionOf(operation.path), record.id)
    this.#gather(body)
  }

  #rememberDeliveries(path: string, body: unknown): void {
    const [, webhook] = /^\/webhooks\/([0-9a-f-]{36})\/deliveries\/\?/.exec(path) ?? []
    if (webhook === undefined) return
    for (const { id } of webhookDeliveryPage.parse(body).results)
      this.#learn('deliveries', `${webhook}/${id}`)
  }

  #gather(value: unknown): void {
    if (typeof value === 'string') {
      const [, document] = /\/wms\/files\/([0-9a-f-]{36})/.exec(value) ?? []
      if (document !== undefined) this.#learn('documents', document)
    } else if (Array.isArray(value)) for (const each of value) this.#gather(each)
    else if (typeof value === 'object' && value !== null)
      for (const [key, field] of Object.entries(value)) {
        if ((key === 'article_code' || key === 'refresh_token') && typeof field === 'string')
          this.#learn(key, field)
        this.#gather(field)
      }
  }
}

/**
 * Returns the collection of a path: `/wms/orders/:id/documents/` -> `documents`, `/wms/orders/:id/cancel/` -> `orders`.
 */
export function collectionOf(path: string): string {
  const parts = path.split('/').filter((part) => part !== '' && part !== 'wms')
  const at = parts.indexOf(':id')
  return (at < 0 ? parts[0] : parts[at - 1]) ?? ''
}

function judge(operation: Operation, reply: Reply): string[] {
  const { route, statuses } = operation
  const complaints: string[] = []
  if (!statuses.has(reply.status) && !always.has(reply.status))
    complaints.push(`answered ${reply.status}, which the OpenAPI document does not name`)
  if (reply.status >= 300) {
    const { success } = errorBody.strict().safeParse(reply.body)
    if (!success) complaints.push(`an error body of another form: ${JSON.stringify(reply.body)}`)
  } else if (reply.status !== route.status)
    complaints.push(`answered ${reply.status} instead of ${route.status}`)
  else if (route.status === 204) {
    if (reply.body !== '') complaints.push('a 204 with a body')
  } else complaints.push(...judgeBody(route.response.safeParse(reply.body), reply.body))
  return complaints
}

/**
 * Returns the faults of a body: it does not match its schema, or has fields that the schema does not name. Such a field
 * could reveal internal data.
 */
function judgeBody(parsed: { success: boolean; data?: unknown; error?: unknown }, body: unknown): string[] {
  if (!parsed.success) return [`the answer does not fit its schema: ${String(parsed.error)}`]
  const extra = keysBeyond(body, parsed.data, '')
  return extra.length === 0
    ? []
    : [`the answer has fields that its schema does not name: ${extra.join(', ')}`]
}

function keysBeyond(given: unknown, declared: unknown, at: string): string[] {
  if (Array.isArray(given) && Array.isArray(declared))
    return given.flatMap((each, index) => keysBeyond(each, (declared as unknown[])[index], `${at}[${index}]`))
  if (typeof given !== 'object' || given === null) return []
  if (typeof declared !== 'object' || declared === null) return [at]
  const fields = new Map(Object.entries(declared))
  return Object.entries(given).flatMap(([key, value]) =>
    fields.has(key) ? keysBeyond(value, fields.get(key), `${at}.${key}`) : [`${at}.${key}`],
  )
}

/** Returns the value with one error: the part that `where` selects is replaced, removed or extended. */
function harmed(value: unknown, where: number, by: unknown): unknown {
  if (typeof value !== 'object' || value === null || where % 11 === 0) return by
  const entries: [string, unknown][] = Object.entries(value)
  const at = where % (entries.length + 1)
  if (at === entries.length && !Array.isArray(value)) return { ...value, unheard_of: by }
  const changed = entries.flatMap(([key, field], index): [string, unknown][] => {
    if (index !== at) return [[key, field]]
    if (where % 7 === 0) return []
    return [[key, where % 3 === 0 ? by : harmed(field, where >> 1, by)]]
  })
  return Array.isArray(value) ? changed.map(([, field]) => field) : Object.fromEntries(changed)
}

function text(value: unknown): string {
  if (value === undefined) return ''
  return typeof value === 'string' ? value : JSON.stringify(value)
}
