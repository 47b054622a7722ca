import type { InboundStatus, OrderStatus } from '#shared/domain/resource-states.ts'
import type { StoredTracking } from '../../data/engine/stored-json.ts'

/**
 * What a warehouse management system does to this service. It has two sides: the simulated warehouse calls it in
 * process, a real one over HTTP under /warehouse/. A warehouse serves all customers.
 *
 * Each call is one transaction: state, ledger and events change together or not at all. A call that the transition tables
 * do not allow is refused with `too_late` (412) and changes nothing; pieces that are not there, or more than an order asks
 * for, with `invalid` (400); an unknown id with `not_found` (404). A call that asks for the state that is reached already
 * changes nothing.
 */
export interface WarehousePort {
  /** Any move but those that ship; the table is in `shared/domain/resource-states.ts`. */
  moveOrder(orderId: string, to: Exclude<OrderStatus, 'shipped' | 'partially_shipped'>): Promise<void>
  /**
   * Ships an order in `processing`, `shipment_waiting_for_ewh` or `partially_shipped`: takes the pieces from pickable
   * lots outside quarantine that have not expired (those of the named location, else the earliest to expire first, then
   * the oldest), makes the shipment, and moves the order to `shipped` or, where pieces are left, `partially_shipped`.
   * A serial number that left before is refused with `invalid` until an inbound has received it again.
   */
  shipOrder(orderId: string, shipment: NewShipment): Promise<{ id: string; reference: string }>
  /** Tracking that became known after the goods had left. */
  trackShipment(shipmentId: string, labels: StoredTracking): Promise<void>

  /** Goods that nobody announced: an inbound in `process_no_announcement`. */
  arrive(inbound: Arrival): Promise<{ id: string; reference: string }>
  /** Any move but to `completed` (`shared/domain/resource-states.ts`). */
  moveInbound(inboundId: string, to: Exclude<InboundStatus, 'completed'>): Promise<void>
  /**
   * Counts goods of an inbound in `processing`: makes or adds to lots; `complete` ends the inbound. Refused with `invalid`
   * where it counts a serial number a second time; each that it counts may be shipped again.
   */
  receive(inboundId: string, receipt: Receipt): Promise<void>
  controlQuality(inboundId: string, control: NewQualityControl): Promise<{ id: string }>

  /** Moves the stock by the lines. Refused with `invalid` where a location has not as many pieces as one takes away. */
  approveModification(modificationId: string): Promise<void>
  disapproveModification(modificationId: string): Promise<void>

  beginTransfer(transferId: string): Promise<void>
  /** Moves the pieces from the source's lots to the destination's variants, at the same locations. */
  acceptTransfer(transferId: string): Promise<void>
  denyTransfer(transferId: string): Promise<void>

  /** A count that differs from the books; needs no modification. */
  correctStock(correction: StockCorrection): Promise<void>
  /** The same pieces at another location: out of quarantine, onto a shelf. */
  moveLot(move: LotMove): Promise<void>
  /** Makes a location, or changes one of that code. */
  nameLocation(location: { code: string; pickable: boolean }): Promise<{ id: string }>
  /** Refused with `too_late` while pieces of it are there, announced, ordered or being moved. */
  deleteArticle(articleId: string): Promise<void>
  /** Alike; the last variant of an article goes with its article only. */
  deleteVariant(variantId: string): Promise<void>
}

export interface NewShipment {
  readonly lines: readonly {
    readonly variantId: string
    readonly quantity: number
    /** As many as pieces for a variant that uses them, else none. */
    readonly serialNumbers: readonly string[]
    /** Null: chosen by expiry and age. */
    readonly locationId: string | null
  }[]
  /** Null: the order's. */
  readonly shippingMethodId: string | null
  readonly labels: StoredTracking
  /** Shown as `shipment_external_reference`. */
  readonly externalReference: string | null
}

export interface Arrival {
  readonly customerId: string
  readonly externalReference: string | null
  readonly isReturn: boolean
  readonly note: string | null
  readonly lines: readonly { readonly variantId: string; readonly quantity: number }[]
}

export interface Receipt {
  readonly lines: readonly {
    readonly variantId: string
    readonly quantity: number
    readonly locationId: string
    /** YYYY-MM-DD; null: does not expire. */
    readonly expirationDate: string | null
    readonly serialNumbers: readonly string[]
  }[]
  readonly complete: boolean
}

export interface NewQualityControl {
  readonly palletCount: string
  readonly wasDeliveryAppointment: boolean
  readonly hadPackingList: boolean
  readonly wasCorrectQuantity: boolean
  readonly hadProperMarkings: boolean
  readonly boxCondition: string
  readonly comments: string
}

export interface StockCorrection {
  readonly variantId: string
  readonly locationId: string
  /** Added; negative: taken away. */
  readonly quantity: number
  readonly expirationDate: string | null
}

export interface LotMove {
  readonly batchId: string
  readonly quantity: number
  readonly toLocationId: string
}
