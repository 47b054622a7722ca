import { drawLabel } from '#labels/draw/draw-label.ts'
import type { LabelBrand } from '#labels/draw/label-spec.ts'
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
  /** The code in the groups that are printed under the bars. */
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

/** Service mark of outbound parcels; returns have the mark of the profile. */
const outboundMark = 'P'

/** A carrier from its profile. */
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
