import { drawLabel } from '#labels/draw/draw-label.ts'
import type { LabelBrand } from '#labels/draw/label-spec.ts'
import type { WorldAddress } from '../world.ts'
import type { Carrier, ParcelCodes, PickupLabelJob, ReturnLabelJob, ReturnLabelResult } from './carrier.ts'

export type Direction = 'outbound' | 'return'

/** What tells one carrier from another; the rest of its behaviour is the same. */
export interface CarrierProfile {
  readonly key: string
  readonly brand: LabelBrand
  readonly serviceMark: string
  /** Two letters that label codes start with. */
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

/** Service mark of what goes out; returns bear the carrier's own. */
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
