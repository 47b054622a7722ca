import type { ShipmentView } from '#shared/bridge/scan-views.ts'
import type { Meanings } from '#shared/domain/barcode/meanings.ts'
import type { Milliseconds } from '#shared/domain/instants.ts'
import { normaliseCode, parseReference } from '#shared/domain/references.ts'
import { type Failure, failure } from '#shared/errors/catalogue.ts'
import { senderAddress, type ShippingAddress } from '#shared/wire/address.ts'
import { orderReferences, type Shipment } from '#shared/wire/shipment.ts'
import type { Variant } from '#shared/wire/variant.ts'
import type { ApiPort } from '../ports/api.ts'
import type { ClockPort } from '../ports/clock.ts'
import type { ShipmentIndexStore, StoredShipment } from '../ports/recent-store.ts'
import type { Line } from '../service/line.ts'
import type { Session } from '../service/session.ts'
import { isoTime } from '../view-parts.ts'
import { withTimeout } from '../timing/calls.ts'
import { saidAt } from '../timing/said-at.ts'

interface ShipmentsParts {
  readonly api: ApiPort
  readonly session: Session
  readonly store: ShipmentIndexStore
  /** Reads the newest shipments. Resolves when their first page has been read or has failed. */
  readonly index: { refresh(): Promise<void> }
  readonly line: Line
  readonly clock: ClockPort
  /** How long a scan waits for a fresh response when the index has a copy, in milliseconds. */
  readonly freshMs: Milliseconds
  /** How long a scan waits for the service if this desk has no copy, in milliseconds. */
  readonly askMs: Milliseconds
}

/** Those meanings of a scanned text by which a shipment can be found. */
type CodeMeanings = Pick<Meanings, 'text' | 'orders' | 'parcels' | 'nearParcels'>

export type ShipmentAnswer =
  | { readonly kind: 'found'; readonly stored: StoredShipment }
  /** `askedService`: whether the service was asked for exactly this code. */
  | { readonly kind: 'absent'; readonly askedService: boolean }
  | { readonly kind: 'failed'; readonly failure: Failure }

/**
 * Longest order reference, in characters. A longer text, such as the payload of a carrier's label, is not searched as
 * an order.
 */
const longestReference = 120

/**
 * Finds a shipment, first in the index and then at the service. Replaces a copy by the service's current state, if the
 * connection allows it; otherwise the copy is shown with its date.
 */
export class Shipments {
  readonly #parts: ShipmentsParts
  /** Number of reads of shipments that are under way although their scan has stopped waiting. */
  #overdue = 0

  constructor(parts: ShipmentsParts) {
    this.#parts = parts
  }

  /** Returns the shipment with this code in the index; of several shipments of one order, the newest. */
  known(code: string): StoredShipment | null {
    return this.#parts.store.find(code, 1)[0] ?? null
  }

  /** Returns the shipment by the serial number of one of its items. */
  knownBySerial(code: string): StoredShipment | null {
    return this.#parts.store.findSerial(code, 1)[0] ?? null
  }

  /** Returns at most `most` shipments with this code in the index, newest first. */
  all(code: string, most: number): StoredShipment[] {
    return this.#parts.store.find(code, most)
  }

  /**
   * Returns the service's current state of the shipment. Returns the copy if the service does not return the shipment
   * within `freshMs`, or without a connection or a login.
   */
  async refreshed(copy: StoredShipment): Promise<StoredShipment> {
    const { line, clock, freshMs, session } = this.#parts
    // if an earlier scan has stopped waiting for a response that is still missing, later scans do not wait either, and
    // show the stored copy of their shipment at once
    if (line.isOffline() || !session.isSignedIn || this.#overdue > 0) return copy
    let isOverdue = false
    const fresh = this.#read(copy.shipment.id)
      .then((answer) => (answer.kind === 'found' ? answer.stored : copy))
      .finally(() => {
        if (isOverdue) this.#overdue--
      })
    return withTimeout(clock, freshMs, fresh, () => {
      isOverdue = true
      this.#overdue++
      return copy
    })
  }

  /** Returns a shipment by id, from the index or from the service. */
  async byId(id: string): Promise<ShipmentAnswer> {
    const stored = this.#parts.store.get(id)
    return stored ? { kind: 'found', stored } : this.#read(id)
  }

  /**
   * Searches for a shipment at the service by a code that the index does not have. The API finds a shipment by its
   * order reference, but not by its own reference or a tracking code. A shipment that the index lacks is probably new.
   * So the desk also reads the newest shipments, and searches them for the codes `parcels` and `nearParcels`. Makes at
   * most three calls.
   */
  ask(meanings: CodeMeanings): Promise<ShipmentAnswer> {
    const { session, line, clock, askMs } = this.#parts
    if (!session.isSignedIn || line.isOffline())
      return Promise.resolve({ kind: 'absent', askedService: false })
    return withTimeout(clock, askMs, this.#ask(meanings), () => ({
      kind: 'failed',
      failure: failure('network.timeout'),
    }))
  }

  async #ask({ text, orders, parcels, nearParcels }: CodeMeanings): Promise<ShipmentAnswer> {
    const isOrder = (order: string): boolean =>
      parseReference(order)?.kind !== 'shipment' && order.length <= longestReference
    const answers = await Promise.all(orders.filter(isOrder).map((order) => this.#askForOrder(order)))
    const answer =
      answers.find(({ kind }) => kind === 'found') ?? answers.find(({ kind }) => kind === 'failed')
    if (answer) return answer
    const askedService =
      answers.length > 0 && answers.every((one) => 'askedService' in one && one.askedService)
    await this.#parts.index.refresh()
    const firstOf = (codes: readonly string[]): StoredShipment | null =>
      codes.map((code) => this.known(code)).find((one) => one !== null) ?? null
    const stored = firstOf(parcels) ?? this.knownBySerial(normaliseCode(text)) ?? firstOf(nearParcels)
    return stored ? { kind: 'found', stored } : { kind: 'absent', askedService }
  }

  async #askForOrder(order: string): Promise<ShipmentAnswer> {
    const { api, session, store, clock } = this.#parts
    const outcome = await session.withAccess((token) => api.shipmentsOfOrder(token, order))
    if (outcome.kind === 'refused') return { kind: 'failed', failure: outcome.failure }
    if (outcome.kind !== 'answer') return { kind: 'absent', askedService: false }
    const asOf = saidAt(outcome, clock)
    // leaves out the shipments of other orders, because a service that does not support the filter returns all
    // shipments
    const code = normaliseCode(order)
    const exact = outcome.value.filter((one) =>
      orderReferences(one).some((reference) => normaliseCode(reference) === code),
    )
    await store.put(exact, asOf, null)
    const [newest] = exact
    return newest
      ? { kind: 'found', stored: { shipment: newest, asOf } }
      : { kind: 'absent', askedService: true }
  }

  async #read(id: string): Promise<ShipmentAnswer> {
    const { api, session, store, clock } = this.#parts
    const outcome = await session.withAccess((token) => api.getShipment(token, id))
    if (outcome.kind !== 'answer') return { kind: 'failed', failure: outcome.failure }
    const stored = { shipment: outcome.value, asOf: saidAt(outcome, clock) }
    await store.put([stored.shipment], stored.asOf, null)
    return { kind: 'found', stored }
  }
}

/**
 * Converts a shipment for its card; `asOf` in milliseconds since 1970. `catalogued`: returns the catalogue's data of a
 * variant that the service named only by its id (API.md 3.2).
 */
export function toShipmentView(
  shipment: Shipment,
  asOf: number,
  catalogued: (variantId: string) => Pick<Variant, 'name' | 'article_code' | 'ean'> | undefined,
): ShipmentView {
  const { shipping_method: method, shipping_address: address } = shipment
  return {
    id: shipment.id,
    reference: shipment.reference,
    orderReference: shipment.order_external_reference,
    createdAt: shipment.created_at,
    carrier: method?.shipper ?? method?.shipper_code ?? null,
    methodDescription: method?.description ?? method?.code ?? null,
    recipient: address ? toRecipient(address) : null,
    // parsing removes the fields that only an order's address has
    sender: address ? senderAddress.parse(address) : null,
    trackingCodes: (shipment.shipment_labels ?? []).flatMap((label) => label.tracking_code ?? []),
    lines: (shipment.shipment_lines ?? []).map((line) => {
      const lineVariant = line.variant
      const variant =
        lineVariant && lineVariant.name === undefined ? (catalogued(lineVariant.id) ?? null) : lineVariant
      return {
        quantity: line.shipped_quantity,
        name: variant?.name ?? line.shipped_article_code ?? line.shipped_ean ?? '',
        articleCode: line.shipped_article_code ?? variant?.article_code ?? null,
        ean: line.shipped_ean ?? variant?.ean ?? null,
        serialNumbers: line.serial_numbers ?? [],
      }
    }),
    asOf: isoTime(asOf),
  }
}

function toRecipient(address: ShippingAddress): ShipmentView['recipient'] {
  return {
    name: address.addressed_to ?? address.contact_person ?? '',
    street: joined(
      address.street,
      joined(address.street_number, address.street_number_addition),
      address.street2,
    ),
    place: joined(address.zipcode, address.city),
    country: address.country ?? '',
  }
}

function joined(...parts: readonly (string | null)[]): string {
  return parts.filter((part) => part !== null && part !== '').join(' ')
}
