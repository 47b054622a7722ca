import type { LabelFormSubject } from '#place/place.ts'
import { isCountryReference } from '#shared/domain/country.ts'
import { type TypedSender, typedFrom } from './sender-fields.ts'

/** What was typed belongs to this. */
export function keyOf(subject: LabelFormSubject): string {
  if (subject.kind === 'shipment') return `shipment ${subject.shipment.id}`
  return subject.kind === 'label' ? `label ${subject.label.id}` : 'hand'
}

/** The sender that the form begins with; null: an empty one. */
export function senderOf(subject: LabelFormSubject): TypedSender | null {
  if (subject.kind === 'hand') return null
  return typedFrom(subject.kind === 'shipment' ? subject.shipment.sender : subject.label.sender)
}

/** Whether the service names a country of this sender in a way that nobody can read; it keeps it unless one is typed. */
export function isCountryUnknown(subject: LabelFormSubject): boolean {
  if (subject.kind === 'hand') return false
  const sender = subject.kind === 'shipment' ? subject.shipment.sender : subject.label.sender
  return isCountryReference(sender?.country ?? '')
}

/** The method that the form begins with; null: none, or the service's default. */
export function methodOf(subject: LabelFormSubject): string | null {
  return subject.kind === 'label' ? subject.label.shippingMethodId : null
}
