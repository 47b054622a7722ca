import { drawLabel } from '#labels/draw/draw-label.ts'
import type { LabelBrand } from '#labels/draw/label-spec.ts'
import type { LabelLayout, WorldAddress } from '../world.ts'

/**
 * A return label to draw. `serial` is the number that the middleware gave the label. The same serial always gives the
 * same codes.
 */
export interface ReturnLabelJob {
  readonly reference: string
  /** The address from which the goods are sent: on a return label, the address of the person who returns them. */
  readonly sender: WorldAddress
  /** The address to which the goods are sent: on a return label, the customer's return address. */
  readonly recipient: WorldAddress
  readonly layout: LabelLayout
  readonly methodDescription: string
  /** Labels of a sandbox are marked SAMPLE. */
  readonly sandbox: boolean
  readonly serial: number
  /** When the label was requested. The PDF has this creation time, and the label shows its date. */
  readonly requestedAt: Date
}

/** The label of a parcel that the carrier picks up, or has picked up, at the warehouse. */
interface PickupLabelJob extends Omit<ReturnLabelJob, 'serial' | 'requestedAt'> {
  readonly trackingCode: string
  readonly trackingUrl: string
  readonly shippedAt: Date
}

/** The codes of a parcel at its carrier (API.md 7.1). */
interface ParcelCodes {
  readonly labelCode: string
  /** The content of the label's barcodes. */
  readonly trackingCode: string
  readonly trackingUrl: string
}

export interface ReturnLabelResult extends ParcelCodes {
  readonly pdf: Uint8Array
}

export interface Carrier {
  readonly key: string
  readonly name: string
  /** Returns the codes of the sent parcel with this serial number. They differ from the codes of all returns. */
  outboundParcel(serial: number): ParcelCodes
  returnParcel(serial: number): ParcelCodes
  /** Whether a text is one of this carrier's tracking codes, check digit included. */
  isTrackingCode(text: string): boolean
  /** Draws the label of `returnParcel(job.serial)`. The same job always gives the same bytes. */
  drawReturnLabel(job: ReturnLabelJob): Promise<ReturnLabelResult>
  /** Draws a pickup label and returns the bytes of its PDF. The same job always gives the same bytes. */
  drawPickupLabel(job: PickupLabelJob): Promise<Uint8Array>
}

type Direction = 'outbound' | 'return'

/** The properties in which carriers differ; `defineCarrier` adds the common behaviour. */
interface CarrierProfile {
  readonly key: string
  readonly brand: LabelBrand
  readonly serviceMark: string
  /** The first two letters of label codes. */
  readonly labelPrefix: string
  trackingCode(direction: Direction, serial: number): string
  isTrackingCode(text: string): boolean
  /** Formats the code in the groups that are printed under the barcode. */
  printed(trackingCode: string): string
  trackingUrl(trackingCode: string): string
  routing(recipient: WorldAddress): { readonly code: string; readonly detail: string }
}

function codes(profile: CarrierProfile, direction: Direction, serial: number): ParcelCodes {
  const trackingCode = profile.trackingCode(direction, serial)
  const kind = direction === 'return' ? 'R' : 'S'
  return {
    labelCode: `${profile.labelPrefix}${kind}${String(serial).padStart(9, '0')}`,
    trackingCode,
    trackingUrl: profile.trackingUrl(trackingCode),
  }
}

async function drawReturn(profile: CarrierProfile, job: ReturnLabelJob): Promise<ReturnLabelResult> {
  const parcel = codes(profile, 'return', job.serial)
  const pdf = await draw(profile, { ...job, ...parcel, mark: profile.serviceMark, date: job.requestedAt })
  return { pdf, ...parcel }
}

async function draw(
  profile: CarrierProfile,
  job: Omit<PickupLabelJob, 'shippedAt'> & { readonly mark: string; readonly date: Date },
): Promise<Uint8Array> {
  return drawLabel({
    layout: job.layout,
    brand: profile.brand,
    service: { mark: job.mark, name: job.methodDescription },
    routing: profile.routing(job.recipient),
    trackingCode: job.trackingCode,
    trackingText: profile.printed(job.trackingCode),
    trackingUrl: job.trackingUrl,
    reference: job.reference,
    sender: job.sender,
    recipient: job.recipient,
    date: job.date,
    sample: job.sandbox,
  })
}

/**
 * The mark for the shipping method on the labels of outbound parcels, the same for every carrier and method. The mark
 * on return labels is `serviceMark` of the carrier's profile.
 */
const outboundMark = 'P'

/** Creates a carrier from its profile. */
export function defineCarrier(profile: CarrierProfile): Carrier {
  return {
    key: profile.key,
    name: profile.brand.name,
    outboundParcel: (serial) => codes(profile, 'outbound', serial),
    returnParcel: (serial) => codes(profile, 'return', serial),
    isTrackingCode: (text) => profile.isTrackingCode(text),
    drawReturnLabel: (job) => drawReturn(profile, job),
    drawPickupLabel: (job) => draw(profile, { ...job, mark: outboundMark, date: job.shippedAt }),
  }
}
