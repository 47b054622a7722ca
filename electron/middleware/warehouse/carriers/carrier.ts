import type { LabelLayout, WorldAddress } from '../world.ts'

/** One return label to be made. `serial` is the middleware's own count: a serial always gives the same codes. */
export interface ReturnLabelJob {
  readonly reference: string
  /** Who sends the goods; of a return, `recipient` is the customer's return address. */
  readonly sender: WorldAddress
  readonly recipient: WorldAddress
  readonly layout: LabelLayout
  readonly methodDescription: string
  /** Sandbox labels say SAMPLE. */
  readonly sandbox: boolean
  readonly serial: number
  /** When it was requested: printed as a date and stamped into the PDF. */
  readonly requestedAt: Date
}

/** The label of a parcel that is picked up at the warehouse, or was. */
export interface PickupLabelJob extends Omit<ReturnLabelJob, 'serial' | 'requestedAt'> {
  readonly trackingCode: string
  readonly trackingUrl: string
  readonly shippedAt: Date
}

/** What identifies a parcel with its carrier (api.md, Shipment: shipment_labels). */
export interface ParcelCodes {
  readonly labelCode: string
  /** What the label's barcodes carry. */
  readonly trackingCode: string
  readonly trackingUrl: string
}

export interface ReturnLabelResult extends ParcelCodes {
  readonly pdf: Uint8Array
}

export interface Carrier {
  readonly key: string
  readonly name: string
  /** Codes of the n-th parcel sent out, or sent back: two series that never meet. */
  outboundParcel(serial: number): ParcelCodes
  returnParcel(serial: number): ParcelCodes
  /** Whether a text is one of this carrier's tracking codes, check digit included. */
  isTrackingCode(text: string): boolean
  /** The label of `returnParcel(job.serial)`. The same job gives the same bytes. */
  drawReturnLabel(job: ReturnLabelJob): Promise<ReturnLabelResult>
  /** PDF bytes; the same job gives the same. */
  drawPickupLabel(job: PickupLabelJob): Promise<Uint8Array>
}
