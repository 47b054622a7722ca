import type { LabelFormSubject } from '#place/place.ts'
import type { LabelMode, ReturnLabelView } from '#shared/bridge/label-views.ts'
import { isOpen } from '#shared/domain/command-state.ts'
import { isCountryReference } from '#shared/domain/country.ts'
import type { PrintState } from '#shared/domain/print-state.ts'
import { type AskedReason, askedReasons } from '#shared/domain/reprint-commands.ts'
import { retryPolicy } from '#shared/errors/catalogue.ts'
import type { SenderAddress, SenderAddressInput } from '#shared/wire/address.ts'
import type { Role } from '#shared/wire/roles.ts'
import { canMakeAgain, type LabelPhase } from './label-phase.ts'

/** Says why a label of which there may be a paper is printed once more, and prints it. */
export type ReprintAct = `reprint_${AskedReason}`

/** What can be done with the label on the stage, or with a shipment that has none. */
export type LabelAct =
  | 'make'
  /** The same once more, after something outside the desk was put right. */
  | 'make_again'
  | 'request'
  /** The label is there, but its PDF did not come as one. */
  | 'fetch'
  /** Where there may be a paper already it asks why; nothing is printed yet. */
  | 'reprint'
  | ReprintAct
  /** Nothing is printed again after all. */
  | 'as_is'
  /** These two open the label's form. */
  | 'method'
  | 'address'
  /** Asks whether it is meant; nothing is sent yet. */
  | 'cancel'
  | 'confirm_cancel'
  | 'keep'

/** What the zone may ask before an act is done. */
export type LabelQuestion = 'cancel' | 'reprint'

export interface LabelActs {
  readonly primary: LabelAct | null
  /** At most three, in the order in which they stand; the reasons of a reprint are more. */
  readonly others: readonly LabelAct[]
}

/** What opens the label's form: a label to make from a shipment, or a label to change or make anew. */
export type FormSubject = Exclude<LabelFormSubject, { kind: 'hand' }>

const none: LabelActs = { primary: null, others: [] }

/** The acts of a card with this label (null: a shipment that has none yet). */
export function labelActs(
  label: ReturnLabelView | null,
  phase: LabelPhase | null,
  question: LabelQuestion | null = null,
): LabelActs {
  if (!label || phase === null) return { primary: 'make', others: ['method', 'address'] }
  if (question === 'cancel') return { primary: 'confirm_cancel', others: ['keep'] }
  // Enter must not choose a reason
  if (question === 'reprint') return { primary: null, others: [...askedReasons.map(reprintActOf), 'as_is'] }
  const printed: LabelActs = label.stored ? { primary: null, others: ['reprint'] } : none
  switch (phase) {
    case 'unrequested':
      return { primary: 'request', others: ['address', 'cancel'] }
    case 'unchanged':
      return label.patch === 'rejected'
        ? { primary: 'address', others: ['request', 'cancel'] }
        : { primary: 'request', others: ['address'] }
    case 'requested':
      return { primary: 'reprint', others: [] }
    case 'waiting':
    case 'login':
      // what has not left yet can still be changed and taken back
      return isOpenForChange(label) ? { primary: null, others: ['address', 'cancel'] } : printed
    case 'cancelled':
    case 'set_aside':
      return anew(label, 'make')
    case 'stopped':
      return stoppedActs(label)
    case 'print_held':
      // what is wrong with it is seen and decided where the paper is
      return none
    case 'not_printed':
      return label.stored ? { primary: 'reprint', others: [] } : none
    default:
      return printed
  }
}

function reprintActOf(reason: AskedReason): ReprintAct {
  return `reprint_${reason}`
}

/** The reason that an act gives for one more paper, or null where it is another act. */
export function reasonOfAct(act: LabelAct): AskedReason | null {
  return askedReasons.find((reason) => reprintActOf(reason) === act) ?? null
}

/** Whether a paper of it may exist, from which a second one has to be told. Of an unknown one the operator knows. */
export function mayBeOnPaper({ print }: ReturnLabelView): boolean {
  const states: readonly PrintState[] = ['sent', 'spooled', 'confirmed', 'scan_confirmed']
  return print !== null && states.includes(print.state)
}

/** A label by hand is made anew in its form; one of a shipment needs only a word, or another method or sender. */
function anew({ shipmentId }: ReturnLabelView, primary: LabelAct): LabelActs {
  if (shipmentId === null) return { primary: 'address', others: [] }
  return { primary, others: ['method', 'address'] }
}

function stoppedActs(label: ReturnLabelView): LabelActs {
  const reprint: readonly LabelAct[] = label.stored ? ['reprint'] : []
  // its PDF is what is missing: never a reason for a second label
  if (label.requested && !label.stored) return { primary: isHopeless(label) ? null : 'fetch', others: [] }
  // the label exists: a second one would be a second parcel to pay for
  if (label.create === 'done' && label.requested && !canMakeAgain(label))
    return { primary: null, others: reprint }
  const code = label.failure?.code
  // a label that is there keeps its method: another one means cancelling it first
  const exists = isOpenForChange(label)
  if (code === 'return_label.method_unsupported')
    return exists ? { primary: null, others: ['cancel'] } : { primary: 'method', others: [] }
  if (code === 'return_label.address_invalid') return { primary: 'address', others: [] }
  if (canMakeAgain(label)) return anew(label, 'make')
  if (code !== 'api.rejected' && code !== 'api.role_missing') return { primary: null, others: reprint }
  const other: LabelAct = exists ? 'cancel' : 'method'
  const others: LabelAct[] = [
    'make_again',
    ...(label.shipmentId === null && !exists ? [] : [other]),
    'address',
  ]
  return { primary: null, others }
}

/** Asking again would meet the same answer. */
function isHopeless({ failure }: ReturnLabelView): boolean {
  return failure !== null && retryPolicy(failure.code) === 'never'
}

/** Roles that an act needs. `asked`: making also requests the label at once. */
export function rolesFor(act: LabelAct, label: ReturnLabelView | null): readonly Role[] {
  switch (act) {
    case 'make':
    case 'make_again':
      return ['RETURN_LABELS_CREATE', 'RETURN_LABELS_REQUEST']
    case 'method':
      return ['RETURN_LABELS_CREATE']
    case 'address':
      return isOpenForChange(label) ? ['RETURN_LABELS_UPDATE'] : ['RETURN_LABELS_CREATE']
    case 'request':
      return ['RETURN_LABELS_REQUEST']
    case 'cancel':
    case 'confirm_cancel':
      return ['RETURN_LABELS_CANCEL']
    default:
      return []
  }
}

/** Whether the service still takes another sender for it (api.md, States, Return label). */
export function isOpenForChange(label: ReturnLabelView | null): boolean {
  if (label === null || label.requested || label.cancelled) return false
  const isOver = label.create === 'rejected' || label.create === 'discarded'
  return !isOver && (label.cancel === null || !isOpen(label.cancel))
}

/** How to make a label like this one, or null where what it was made from is not known any more. */
export function modeLike(label: ReturnLabelView): LabelMode | null {
  const { shipmentId, shippingMethodId, externalReference } = label
  const sender = toInput(label.sender)
  if (shipmentId !== null) {
    // a sender that the operator never changed is the shipment's own
    if (label.patch === null) return { by: 'shipment', shipmentId, shippingMethodId, sender: null }
    return sender && { by: 'shipment', shipmentId, shippingMethodId, sender }
  }
  return sender && shippingMethodId !== null
    ? { by: 'hand', shippingMethodId, sender, externalReference }
    : null
}

/** An address as the service takes it, or null where a field it asks for is not known. */
function toInput(sender: SenderAddress | null): SenderAddressInput | null {
  if (!sender) return null
  const { addressed_to, street, street_number, zipcode, city, country } = sender
  if (addressed_to === null || street === null || street_number === null) return null
  if (zipcode === null || city === null || country === null || isCountryReference(country)) return null
  return { ...sender, addressed_to, street, street_number, zipcode, city, country }
}
