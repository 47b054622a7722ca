import type { InboundStatus, OrderStatus } from '#shared/domain/resource-states.ts'
import type { StoredTracking } from '../../data/engine/stored-json.ts'

/**
 * Maximum number of lots from which one call may take pieces, because with SQLite no other call runs meanwhile. A call
 * that needs more lots is refused with `invalid`.
 */
export const mostLotsTaken = 5000

/**
 * The commands of a warehouse management system to this service. The simulated warehouse calls them in process; a real
 * warehouse sends them over HTTP under /warehouse/. A warehouse serves all customers.
 *
 * Each call is one transaction: state, ledger and events change together or not at all. A call that the transition
 * tables do not allow is refused with `too_late` (412) and changes nothing. Missing pieces, or more pieces than an
 * order still needs, are refused with `invalid` (400), an unknown id with `not_found` (404). A call for the state that
 * is already reached changes nothing.
 */
export interface WarehousePort {
  /**
   * Moves an order to another status, except to `shipped` and `partially_shipped`. `shared/domain/resource-states.ts`
   * has the table of allowed transitions.
   */
  moveOrder(orderId: string, to: Exclude<OrderStatus, 'shipped' | 'partially_shipped'>): Promise<void>
  /**
   * Ships an order in `processing`, `shipment_waiting_for_ewh` or `partially_shipped`. Takes the pieces from pickable
   * lots outside quarantine that have not expired: from the named location, otherwise the earliest expiry date first,
   * then the oldest lot. Creates the shipment and moves the order to `shipped` or, if pieces are left, to
   * `partially_shipped`. Refuses with `invalid` a serial number that was shipped before, until an inbound has received
   * it again.
   */
  shipOrder(orderId: string, shipment: NewShipment): Promise<{ id: string; reference: string }>
  /** Sets tracking data that became known after the shipment. */
  trackShipment(shipmentId: string, labels: StoredTracking): Promise<void>

  /** Creates an inbound in `process_no_announcement` for goods that no client announced. */
  arrive(inbound: Arrival): Promise<{ id: string; reference: string }>
  /**
   * Moves an inbound to another status, except to `completed`. `shared/domain/resource-states.ts` has the table of
   * allowed transitions.
   */
  moveInbound(inboundId: string, to: Exclude<InboundStatus, 'completed'>): Promise<void>
  /**
   * Counts goods of an inbound in `processing`: creates lots or adds to them. `complete` ends the inbound. Refused with
   * `invalid` if a serial number of a variant is counted a second time in this inbound. A serial number that was
   * shipped earlier can be shipped again after it is counted here.
   */
  receive(inboundId: string, receipt: Receipt): Promise<void>
  controlQuality(inboundId: string, control: NewQualityControl): Promise<{ id: string }>

  /** Changes the stock by the lines. Refused with `invalid` if a location has fewer pieces than a line takes away. */
  approveModification(modificationId: string): Promise<void>
  disapproveModification(modificationId: string): Promise<void>

  beginTransfer(transferId: string): Promise<void>
  /**
   * Moves the pieces from the source's lots outside quarantine to the destination's variants, at the same locations.
   * Refused with `invalid` if these lots have too few pieces.
   */
  acceptTransfer(transferId: string): Promise<void>
  denyTransfer(transferId: string): Promise<void>

  /** Corrects the stock without a modification, after a count that differs from the stored stock. */
  correctStock(correction: StockCorrection): Promise<void>
  /** Moves pieces to another location, for example out of quarantine. */
  moveLot(move: LotMove): Promise<void>
  /**
   * Creates a location, or changes `pickable` of the location with that code. A change of `pickable` changes the stock
   * of the variants with pieces at the location. Usually the change of stock is recorded in the same transaction. In
   * two cases it is recorded for some or all of the variants in steps after the call: if there are many such variants,
   * or if too many events of a customer who owns some of them wait to be written.
   */
  nameLocation(location: { code: string; pickable: boolean }): Promise<{ id: string }>
  /**
   * Deletes an article. Refused with `too_late` while pieces of the article are in stock, announced, ordered or being
   * moved.
   */
  deleteArticle(articleId: string): Promise<void>
  /**
   * Deletes a variant. Refused with `too_late` while pieces of the variant are in stock, announced, ordered or being
   * moved. The last variant of an article can be deleted only with its article.
   */
  deleteVariant(variantId: string): Promise<void>
}

export interface NewShipment {
  readonly lines: readonly {
    readonly variantId: string
    readonly quantity: number
    /** One serial number for each piece if the variant has serial numbers. Empty for any other variant. */
    readonly serialNumbers: readonly string[]
    /** Location to take the pieces from. Null: the lots are chosen by expiry date and age. */
    readonly locationId: string | null
  }[]
  /** Shipping method of the shipment. Null: the order's shipping method. */
  readonly shippingMethodId: string | null
  readonly labels: StoredTracking
  /** External reference, which the API shows as `shipment_external_reference`. */
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
    /** Expiry date as YYYY-MM-DD. Null: the pieces do not expire. */
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
  /** Number of pieces to add; negative: number of pieces to take away. */
  readonly quantity: number
  readonly expirationDate: string | null
}

export interface LotMove {
  readonly batchId: string
  readonly quantity: number
  readonly toLocationId: string
}
