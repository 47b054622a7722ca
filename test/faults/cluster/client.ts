import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import type { Random } from '#middleware/warehouse/demo/random.ts'
import { exportRecord } from '#shared/wire/export.ts'
import { returnLabel } from '#shared/wire/return-label.ts'
import type { Reply } from '#support/middleware-server.ts'
import { newAddress, newOrder } from '#support/order-payloads.ts'
import { smallGoods } from '#support/small-goods.ts'
import { smallIds } from '#support/small-world.ts'
import type { Diary } from './diary.ts'
import { Session } from './session.ts'

/**
 * Ids of the labels whose request or cancellation was not confirmed to any client yet. All clients request and cancel
 * these labels, often at the same time.
 */
export type OpenLabels = Set<string>

interface OwnOrder {
  readonly id: string
  note: number
}

const record = z.object({ id: z.string() })
const order = z.object({ id: z.string(), reference: z.string(), customer_note: z.string().nullable() })
const labels = z.array(z.object({ id: z.string(), external_reference: z.string().nullable() }))
const shipmentLabel = z.object({ url: z.string() })

/**
 * Maximum milliseconds that a client waits between two actions. Endless calls without a pause would not be realistic.
 */
const longestPauseMs = 40
/** Maximum number of attempts to create a record. Each attempt may fail because of a fault. */
const mostTries = 20

/**
 * A client with random actions. If it gets no response when it creates or changes an order, or creates or requests a
 * label, it reads the service to learn the outcome.
 */
export class Client {
  readonly #name: string
  readonly #session: Session
  readonly #random: Random
  readonly #diary: Diary
  readonly #open: OpenLabels
  /** The orders of this client that can still be changed. */
  readonly #orders: OwnOrder[] = []
  #made = 0

  constructor({
    name,
    random,
    diary,
    urls,
    open,
  }: {
    readonly name: string
    readonly random: Random
    readonly diary: Diary
    readonly urls: () => readonly string[]
    readonly open: OpenLabels
  }) {
    this.#name = name
    this.#random = random
    this.#diary = diary
    this.#open = open
    this.#session = new Session({ random, diary, urls })
  }

  async logIn(): Promise<void> {
    await this.#session.logIn()
  }

  async run(isOver: () => boolean): Promise<void> {
    while (!isOver()) {
      const act = this.#random.weighted([
        [() => this.#createOrder(), 6],
        [() => this.#changeOrder(), 6],
        [() => this.#cancelOrder(), 1],
        [() => this.#createLabel(), 4],
        [() => this.#requestLabel(), 8],
        [() => this.#cancelLabel(), 1],
        [() => this.#labelShipment(), 2],
        [() => this.#announceInbound(), 2],
        [() => this.#modifyStock(), 2],
        [() => this.#export(), 3],
        [() => this.#session.refresh(), 2],
      ])
      await act()
      await sleep(this.#random.int(0, longestPauseMs))
    }
  }

  /** Registers the webhook of the run unless it is already registered. */
  async subscribe(url: string, action: 'created' | 'updated', secret: string): Promise<void> {
    const body = { url, group: 'order', action, hash_secret: secret }
    const page = z.object({ results: z.array(z.object({ id: z.string(), action: z.string() })) })
    for (;;) {
      const { results } = page.parse((await this.#session.read('/webhooks/')).body)
      const known = results.find((each) => each.action === action)
      if (known !== undefined) {
        this.#diary.webhooks.add(known.id)
        return
      }
      await this.#session.call('/webhooks/', { method: 'POST', body })
    }
  }

  /**
   * Returns a new reference. Each record of a client has a different reference, by which the client finds the record
   * again.
   */
  #newReference(): string {
    return `run-${this.#name}-${(this.#made += 1)}`
  }

  async #createOrder(): Promise<void> {
    const reference = this.#newReference()
    const article = this.#random.pick(['A-0', 'A-1', 'A-2'])
    const line = { article_code: article, quantity: this.#random.int(1, 3), description: 'As ordered' }
    const body = newOrder({ external_reference: reference, order_lines: [line] })
    await this.#createOnce('an order', {
      create: () => this.#session.call('/wms/orders/', { method: 'POST', body }),
      find: async () => {
        const found = await this.#session.read(`/wms/orders/?external_reference=${reference}`)
        return z.array(z.unknown()).parse(found.body)[0]
      },
      keep: (found) => this.#keepOrder(found),
    })
  }

  /**
   * Creates a record with a unique reference. After a call without a response or with a refusal, the client searches
   * for the record before it creates it again.
   */
  async #createOnce(
    what: string,
    {
      create,
      find,
      keep,
    }: {
      readonly create: () => Promise<Reply | null>
      readonly find: () => Promise<unknown>
      readonly keep: (body: unknown) => void
    },
  ): Promise<void> {
    for (let tries = 0; tries < mostTries; tries += 1) {
      const reply = await create()
      const body = reply?.status === 201 ? reply.body : await find()
      if (body !== undefined) {
        keep(body)
        return
      }
      // 400 is allowed: the service refuses a reference that is in use, and an earlier attempt without a response may
      // have been committed after the search for its record
      if (reply !== null && reply.status !== 400) this.#unexpected(`create ${what}`, reply)
      await sleep(longestPauseMs)
    }
    this.#diary.problems.push(`${what} could not be created by ${mostTries} tries`)
  }

  #keepOrder(body: unknown): void {
    const { id, reference } = order.parse(body)
    this.#orders.push({ id, note: 0 })
    this.#diary.orders.push({ id, reference })
    this.#diary.notes.push({ order: id, note: 0 })
    this.#diary.acknowledge()
  }

  async #changeOrder(): Promise<void> {
    const own = this.#someOrder()
    if (own === null) return
    const note = own.note + 1
    const reply = await this.#session.call(`/wms/orders/${own.id}/`, {
      method: 'PATCH',
      body: { customer_note: String(note) },
    })
    // a change without a response may still be applied later, so the next change sends a higher number as the note
    own.note = note
    if (reply?.status === 200) this.#acknowledgeNote(own.id, note)
    else if (reply === null) {
      const { body } = await this.#session.read(`/wms/orders/${own.id}/`)
      if (order.parse(body).customer_note === String(note)) this.#acknowledgeNote(own.id, note)
    } else this.#refusedOrder(own, reply)
  }

  async #cancelOrder(): Promise<void> {
    const own = this.#someOrder()
    if (own === null) return
    const reply = await this.#session.call(`/wms/orders/${own.id}/cancel/`, { method: 'PATCH' })
    if (reply === null) return
    if (reply.status >= 300) {
      this.#refusedOrder(own, reply)
      return
    }
    this.#forgetOrder(own)
    this.#diary.cancelledOrders.add(own.id)
    this.#diary.acknowledge()
  }

  async #createLabel(): Promise<void> {
    const reference = this.#newReference()
    const body = {
      shipping_method: smallIds.standard,
      sender_address: newAddress(),
      external_reference: reference,
    }
    await this.#createOnce('a label', {
      create: () => this.#session.call('/wms/return-labels/', { method: 'POST', body }),
      find: async () => {
        const newest = await this.#session.read('/wms/return-labels/?limit=200')
        // the service appends `.R` to the reference of a requested label
        const shown = [reference, `${reference}.R`]
        return labels.parse(newest.body).find((each) => shown.includes(each.external_reference ?? ''))
      },
      keep: (found) => this.#keepLabel(record.parse(found).id),
    })
  }

  #keepLabel(id: string): void {
    this.#diary.labels.add(id)
    this.#open.add(id)
    this.#diary.acknowledge()
  }

  /** Requests a label, often with two calls at the same time. Other clients may request it too. */
  async #requestLabel(): Promise<void> {
    const id = this.#someLabel()
    if (id === null) return
    const request = () => this.#session.call(`/wms/return-labels/${id}/request`, { method: 'POST' })
    const calls = Array.from({ length: this.#random.chance(0.5) ? 2 : 1 }, request)
    for (const reply of await Promise.all(calls)) {
      // 417: another process is requesting the label, or the carrier failed
      if (reply?.status === 417 || reply?.status === 400) this.#diary.refused += 1
      else await this.#judgeRequest(id, reply)
    }
  }

  /**
   * Evaluates the response to a call that requests a label. If there was no response, reads the label instead. The
   * label counts as requested if it has a document and one parcel.
   */
  async #judgeRequest(id: string, reply: Reply | null): Promise<void> {
    const shown = reply ?? (await this.#session.read(`/wms/return-labels/${id}/`))
    if (shown.status !== 200) {
      this.#unexpected('request a label', shown)
      return
    }
    const { url, tracking_information: parcels } = returnLabel.parse(shown.body)
    const isRequested = url !== null && parcels.length === 1
    if (reply !== null && !isRequested)
      this.#diary.problems.push(`a request was acknowledged without a label: ${JSON.stringify(shown.body)}`)
    if (!isRequested) return
    this.#open.delete(id)
    this.#diary.requestedLabels.add(id)
    this.#diary.acknowledge()
  }

  async #cancelLabel(): Promise<void> {
    const id = this.#someLabel()
    if (id === null) return
    const reply = await this.#session.call(`/wms/return-labels/${id}/cancel`, { method: 'POST' })
    if (reply === null) return
    if (reply.status === 412) this.#diary.refused += 1
    else if (reply.status !== 200) this.#unexpected('cancel a label', reply)
    else {
      this.#open.delete(id)
      this.#diary.cancelledLabels.add(id)
      this.#diary.acknowledge()
    }
  }

  /**
   * Requests the return label of one of the newest shipments. A shipment must get only one label, however many clients
   * request it.
   */
  async #labelShipment(): Promise<void> {
    const newest = await this.#session.read('/wms/shipments/?sort=createdAt&direction=desc&limit=3')
    const { id } = this.#random.pick(z.array(record).parse(newest.body))
    const ensure = () => this.#session.call(`/wms/shipments/${id}/return-label`, { method: 'POST' })
    for (const reply of await Promise.all([ensure(), ensure()])) {
      if (reply === null) continue
      if (reply.status === 417) this.#diary.refused += 1
      else if (reply.status !== 200) this.#unexpected('ensure a label', reply)
      else {
        shipmentLabel.parse(reply.body)
        this.#diary.labelledShipments.add(id)
        this.#diary.acknowledge()
      }
    }
  }

  /**
   * Announces an inbound. Without a response it is not announced again, because the client cannot reliably find out
   * whether the first call was applied.
   */
  async #announceInbound(): Promise<void> {
    const body = {
      external_reference: this.#newReference(),
      inbound_date: '2026-06-10',
      inbound_lines: [{ article_code: this.#random.pick(['A-0', 'A-2']), quantity: this.#random.int(1, 9) }],
    }
    const reply = await this.#session.call('/wms/inbounds/', { method: 'POST', body })
    if (reply !== null) this.#keep('announce an inbound', reply, this.#diary.inbounds)
  }

  async #modifyStock(): Promise<void> {
    const line = {
      variant: this.#random.pick([smallGoods.teaBox, smallGoods.shirtBlue]),
      location: smallGoods.shelf,
      quantity: this.#random.pick([-2, -1, 3, 5]),
    }
    const body = { note: this.#newReference(), reason: 'CORRECTION', modification_lines: [line] }
    const reply = await this.#session.call('/wms/modifications/', { method: 'POST', body })
    if (reply !== null) this.#keep('modify stock', reply, this.#diary.modifications)
  }

  #keep(what: string, reply: Reply, kept: Set<string>): void {
    if (reply.status !== 201) {
      this.#unexpected(what, reply)
      return
    }
    kept.add(record.parse(reply.body).id)
    this.#diary.acknowledge()
  }

  async #export(): Promise<void> {
    const ordersBefore = this.#diary.orders.length
    const body = { type: 'orders', fields: ['reference'] }
    const reply = await this.#session.call('/wms/exports/', { method: 'POST', body })
    if (reply === null) return
    // the service may refuse the request, because the number of waiting exports of a customer is limited
    if (reply.status !== 201) {
      this.#diary.refused += 1
      return
    }
    this.#diary.exports.set(exportRecord.parse(reply.body).id, ordersBefore)
    this.#diary.acknowledge()
  }

  #someOrder(): OwnOrder | null {
    return this.#orders.length === 0 ? null : this.#random.pick(this.#orders)
  }

  #someLabel(): string | null {
    return this.#open.size === 0 ? null : this.#random.pick([...this.#open].slice(0, 5))
  }

  #acknowledgeNote(id: string, note: number): void {
    this.#diary.notes.push({ order: id, note })
    this.#diary.acknowledge()
  }

  /**
   * Removes from the list of this client an order that can no longer be changed. Either the warehouse has started to
   * work on it, or an earlier call without a response has cancelled it.
   */
  #refusedOrder(own: OwnOrder, reply: Reply): void {
    this.#forgetOrder(own)
    if (reply.status === 412 || reply.status === 400) this.#diary.refused += 1
    else this.#unexpected('change an order', reply)
  }

  #forgetOrder(own: OwnOrder): void {
    this.#orders.splice(this.#orders.indexOf(own), 1)
  }

  #unexpected(what: string, { status, body }: Reply): void {
    this.#diary.problems.push(`${what}: ${status} ${JSON.stringify(body)}`)
  }
}
