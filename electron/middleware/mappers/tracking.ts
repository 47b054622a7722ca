import type { TrackingInformation } from '#shared/wire/shipment.ts'
import { readTracking } from '../data/engine/stored-json.ts'

/** Stored tracking as api.md names it (Shipment: shipment_labels; Return label: tracking_information). */
export function toWireTracking(stored: string): TrackingInformation[] {
  return readTracking(stored).map((parcel) => ({
    label_code: parcel.labelCode,
    tracking_code: parcel.trackingCode,
    tracking_url: parcel.trackingUrl,
  }))
}
