import { getLocale } from '#messages/runtime.js'
import type { LabelFormSubject, Place, PlaceWindow } from '#place/place.ts'
import type { ScandeskBridge } from '#shared/bridge/contract.ts'
import type { LabelDraft, LabelMode, ReturnLabelView } from '#shared/bridge/label-views.ts'
import type { SessionView } from '#shared/bridge/views.ts'
import type { Command } from '#shared/domain/commands.ts'
import { isCountryReference } from '#shared/domain/country.ts'
import type { Failure } from '#shared/errors/catalogue.ts'
import type { Result } from '#shared/errors/result.ts'
import { type Role, wireRole } from '#shared/wire/roles.ts'
import type { Sound } from '#scanner/sound.ts'
import { DraftKeeper } from './draft-keeper.ts'
import { MethodChoice } from './method-choice.svelte.ts'
import {
  countries,
  countryCode,
  faultOf,
  type FieldFault,
  isChanged,
  type SenderField,
  senderFields,
  toSenderInput,
  toSenderPatch,
  toShipmentSender,
  type TypedSender,
  typedFrom,
  typedFromDraft,
} from './sender-fields.ts'

export interface LabelFormDeps {
  readonly bridge: ScandeskBridge
  readonly session: () => SessionView
  readonly stationId: PlaceWindow['stationId']
  readonly play: (sound: Sound) => void
  /** Shows the label that was made or changed. */
  readonly onDone: (label: ReturnLabelView) => void
  readonly onCancel: () => void
}

/**
 * A part of the form to which the cursor can be moved: a field of the sender, the choice of the method, or the
 * reference.
 */
export type FormSpot = SenderField | 'method' | 'reference'

/**
 * The form with which the operator makes or changes a label. Its state exists as long as the window exists, so a scan
 * does not remove what the operator entered.
 */
export class LabelFormState implements Place {
  readonly methods: MethodChoice
  readonly #deps: LabelFormDeps
  readonly #draft: DraftKeeper
  #subject = $state.raw<LabelFormSubject>({ kind: 'hand' })
  #typed = $state<TypedSender>(typedFrom(null))
  #reference = $state('')
  /** Whether the form was opened and neither sent nor reset since then. */
  #isOpen = false
  #before: TypedSender = typedFrom(null)
  /**
   * Fields that the cursor has left. Before the first attempt to send the form, a missing value or an unknown country
   * is marked only in these fields; after it, in all fields.
   */
  #visited = $state.raw<readonly SenderField[]>([])
  #refused = $state.raw<readonly SenderField[]>([])
  #tried = $state(false)
  #busy = $state(false)
  #failure = $state.raw<Failure | null>(null)
  #spot = $state.raw<{ readonly at: FormSpot } | null>(null)

  constructor(deps: LabelFormDeps) {
    this.#deps = deps
    this.#draft = new DraftKeeper(deps.bridge, deps.stationId)
    this.methods = new MethodChoice(deps.bridge)
  }

  get subject(): LabelFormSubject {
    return this.#subject
  }
  get busy(): boolean {
    return this.#busy
  }
  get failure(): Failure | null {
    return this.#failure
  }
  /** Where the cursor must move now. Each request is a new object, so that a repeated request also moves the cursor. */
  get spot(): { readonly at: FormSpot } | null {
    return this.#spot
  }
  /**
   * The operator's reference for a label without a shipment. For the label of a shipment the service sets the
   * reference.
   */
  get reference(): string {
    return this.#reference
  }
  /** Whether the form changes the sender of an existing label. Otherwise it makes a label. */
  get isChange(): boolean {
    const { subject } = this
    return subject.kind === 'label' && subject.label.bars.change === null
  }
  /**
   * The id of the shipment that the label is for; null for a label without a shipment. For a shipment, the service
   * already has a method and an address.
   */
  get shipmentId(): string | null {
    const { subject } = this
    if (subject.kind === 'shipment') return subject.shipment.id
    return subject.kind === 'label' ? subject.label.shipmentId : null
  }
  get isMethodMissing(): boolean {
    return !this.isChange && this.shipmentId === null && this.methods.chosenId === null
  }
  get saysMethodMissing(): boolean {
    return this.#tried && this.isMethodMissing
  }
  get referenceTooLongBy(): number {
    return Math.max(0, this.#reference.trim().length - referenceLimit)
  }

  valueOf(field: SenderField): string {
    return this.#typed[field]
  }

  /** Returns the fault that is shown at a field now, or null. */
  faultOf(field: SenderField): FieldFault | null {
    if (this.#refused.includes(field)) return { kind: 'refused' }
    const fault = faultOf(field, this.#typed[field], this.#before[field])
    if (fault?.kind === 'too_long') return fault
    return this.#tried || this.#visited.includes(field) ? fault : null
  }

  /** Returns the roles that are needed to send this form and that the operator's login lacks. */
  missingFor(request: boolean): readonly Role[] {
    const { state, roles } = this.#deps.session()
    if (state !== 'signed_in') return []
    const needed: Role[] = [this.isChange ? 'RETURN_LABELS_UPDATE' : 'RETURN_LABELS_CREATE']
    // the call that creates a shipment's label takes no address, so a changed address needs a second call and the role
    // for it
    if (!this.isChange && this.shipmentId !== null && this.#ownSender) needed.push('RETURN_LABELS_UPDATE')
    if (request) needed.push('RETURN_LABELS_REQUEST')
    return needed.filter((role) => !roles.includes(wireRole(role)))
  }

  /**
   * Opens the form. Keeps the entries if the form was last opened for the same subject, and was neither sent nor reset
   * since then.
   */
  async open(subject: LabelFormSubject): Promise<void> {
    const goesOn = this.#isOpen && keyOf(subject) === keyOf(this.#subject)
    // the cursor position is cleared first; otherwise the field that had the focus would be marked as left by the
    // operator
    this.#spot = null
    await this.#draft.flush()
    this.#subject = subject
    this.#isOpen = true
    this.#spot = { at: 'focus' in subject && subject.focus === 'address' ? 'addressed_to' : 'method' }
    void this.methods.load()
    if (goesOn) return
    this.#startWith(senderOf(subject), methodOf(subject))
    this.#reference = (subject.kind === 'label' && subject.label.externalReference) || ''
    if (subject.kind === 'label') this.#mark(subject.label.failure)
    if (subject.kind === 'hand') await this.#readDraft()
  }

  type(field: SenderField, value: string): void {
    this.#typed[field] = value
    this.#refused = this.#refused.filter((other) => other !== field)
    this.#keep()
  }

  typeReference(value: string): void {
    this.#reference = value
    this.#keep()
  }

  chooseMethod(id: string | null): void {
    this.methods.choose(id)
    this.#keep()
  }

  /** Moves the cursor to this part of the form. */
  goTo(at: FormSpot): void {
    this.#spot = { at }
  }

  /** Records that the cursor left a field. The typed name of a country is replaced by its code. */
  visited(field: SenderField): void {
    if (field === 'country') this.#takeCountryName()
    if (!this.#visited.includes(field)) this.#visited = [...this.#visited, field]
  }

  /** Empties the form of a label without a shipment, and deletes its saved draft. */
  async clear(): Promise<void> {
    this.#startWith(null, null)
    this.#reference = ''
    this.#spot = { at: 'method' }
    await this.#draft.forget(this.#deps.stationId())
  }

  async saveInput(): Promise<void> {
    await this.#draft.flush()
  }

  /**
   * Forgets the entries, because another station must not see them. The saved draft of a label without a shipment
   * belongs to the station: its next operator continues it.
   */
  async reset(): Promise<void> {
    await this.#draft.flush()
    this.#isOpen = false
    this.#subject = { kind: 'hand' }
    this.#startWith(null, null)
    this.#reference = ''
  }

  /** Does the action of the large button: prints a new label, or only saves a change. */
  async primary(): Promise<void> {
    await this.submit(!this.isChange)
  }

  /** Runs a scanned command. Returns false if this screen has no action for the command. */
  run(command: Command): boolean {
    if (command === 'PRIMARY') void this.primary()
    else if (command === 'HOME') this.cancel()
    else if (command === 'PRINTNOW') void this.submit(true)
    else if (command === 'MAKEONLY' && !this.isChange) void this.submit(false)
    else if (command === 'NEXT') this.#goOn()
    else return false
    return true
  }

  /** Moves the cursor to the next part of the form; after the last part, to the first. */
  #goOn(): void {
    const parts: FormSpot[] = this.isChange ? ['addressed_to'] : ['method', 'addressed_to']
    // only a new label without a shipment has a field for a reference
    if (!this.isChange && this.shipmentId === null) parts.push('reference')
    const at = parts.findIndex((part) => part === this.#spot?.at)
    this.goTo(parts[at + 1] ?? parts[0] ?? 'addressed_to')
  }

  /** Handles Escape: goes back to the card and keeps the entries. */
  back(): boolean {
    this.cancel()
    return true
  }

  cancel(): void {
    void this.#draft.flush()
    this.#deps.onCancel()
  }

  /**
   * Sends the form if every field is valid and the login has the needed roles. Otherwise plays the sound `look`, and
   * moves the cursor to the first invalid field if there is one.
   */
  async submit(request: boolean): Promise<void> {
    if (this.#busy) return
    // the name of a country is replaced here too, because a scanned command and Enter do not take the cursor from its
    // field
    this.#takeCountryName()
    this.#tried = true
    this.#failure = null
    const wrong = this.#firstWrong()
    if (wrong !== null || this.missingFor(request).length > 0) {
      this.#deps.play('look')
      if (wrong !== null) this.#spot = { at: wrong }
      return
    }
    this.#busy = true
    const station = this.#deps.stationId()
    await this.#draft.flush()
    const result = await (this.isChange ? this.#change(request, station) : this.#make(request, station))
    this.#busy = false
    if (result.ok) {
      await this.#finish(result.value, station)
      return
    }
    this.#deps.play('stop')
    this.#mark(result.error)
  }

  /**
   * Whether the operator entered this sender, in this form or for the label that the new label replaces. Otherwise the
   * sender is the address of the shipment.
   */
  get #ownSender(): boolean {
    const { subject } = this
    const given = subject.kind === 'label' && subject.label.patch !== null
    return given || isChanged(this.#before, this.#typed)
  }

  #takeCountryName(): void {
    const typed = this.#typed.country
    const code = countryCode(typed, countries(getLocale()))
    if (code !== typed) this.type('country', code)
  }

  #firstWrong(): FormSpot | null {
    if (this.isMethodMissing) return 'method'
    const wrong = senderFields.find((field) => this.#isWrong(field))
    return wrong ?? (this.referenceTooLongBy > 0 ? 'reference' : null)
  }

  /** Whether a field is invalid. An unchanged address of a shipment comes from the service and is always valid. */
  #isWrong(field: SenderField): boolean {
    if (this.shipmentId !== null && !this.#ownSender) return false
    if (this.isChange && this.#typed[field] === this.#before[field]) return false
    if (field === 'country' && this.#keepsCountry) return false
    return faultOf(field, this.#typed[field], this.#before[field]) !== null
  }

  /**
   * Whether the sender's country is an id of the service and not a country code. The desk cannot show such an id. The
   * service keeps the country unless the operator types another country.
   */
  get isCountryUnknown(): boolean {
    const { subject } = this
    if (subject.kind === 'hand') return false
    const sender = subject.kind === 'shipment' ? subject.shipment.sender : subject.label.sender
    return isCountryReference(sender?.country ?? '')
  }

  /**
   * Whether the service keeps the sender's country: the label has a shipment, the country is unknown to the desk
   * (`isCountryUnknown`), and the operator typed no country.
   */
  get #keepsCountry(): boolean {
    return this.shipmentId !== null && this.isCountryUnknown && this.#typed.country.trim() === ''
  }

  #make(request: boolean, station: string | undefined): Promise<Result<ReturnLabelView>> {
    const seen = this.#subject.kind === 'label' ? this.#subject.label.id : null
    return this.#deps.bridge.returnLabel.make({ mode: this.#mode(), request, seen }, station)
  }

  #mode(): LabelMode {
    const { shipmentId } = this
    const shippingMethodId = this.methods.chosenId
    if (shipmentId !== null) {
      const sender = this.#ownSender ? toShipmentSender(this.#typed) : null
      return { by: 'shipment', shipmentId, shippingMethodId, sender }
    }
    const externalReference = this.#reference.trim() || null
    return {
      by: 'hand',
      shippingMethodId: shippingMethodId ?? '',
      sender: toSenderInput(this.#typed),
      externalReference,
    }
  }

  async #change(request: boolean, station: string | undefined): Promise<Result<ReturnLabelView>> {
    const { returnLabel } = this.#deps.bridge
    if (this.#subject.kind !== 'label') throw new Error('only a label can be changed')
    const { label } = this.#subject
    const changed = isChanged(this.#before, this.#typed)
    const sender = toSenderPatch(this.#before, this.#typed)
    const patched = changed ? await returnLabel.patch({ id: label.id, sender }, station) : null
    if (patched?.ok === false || !request) return patched ?? { ok: true, value: label }
    return returnLabel.request({ id: label.id }, station)
  }

  async #finish(label: ReturnLabelView, station: string | undefined): Promise<void> {
    if (this.#subject.kind === 'hand') await this.#draft.forget(station)
    this.#isOpen = false
    this.#deps.onDone(label)
  }

  /** Shows why the service refused the form, at the field that the service named, if it named one. */
  #mark(failure: Failure | null): void {
    this.#failure = failure
    const named = failure?.code === 'return_label.address_invalid' ? failure.params['field'] : undefined
    const field = senderFields.find((one) => one === named)
    if (field === undefined) return
    this.#refused = [field]
    this.#spot = { at: field }
  }

  #startWith(sender: TypedSender | null, methodId: string | null): void {
    this.#before = sender ?? typedFrom(null)
    this.#typed = { ...this.#before }
    this.methods.choose(methodId)
    this.methods.filter = ''
    this.#visited = []
    this.#refused = []
    this.#tried = false
    this.#failure = null
  }

  async #readDraft(): Promise<void> {
    const kept = await this.#draft.read()
    if (!kept) return
    this.#typed = typedFromDraft(kept.sender)
    this.#reference = kept.externalReference
    this.methods.choose(kept.shippingMethodId)
  }

  #keep(): void {
    if (this.#subject.kind !== 'hand') return
    const draft: LabelDraft = {
      shippingMethodId: this.methods.chosenId,
      externalReference: this.#reference,
      sender: { ...this.#typed },
    }
    this.#draft.keep(draft)
  }
}

/** Longest reference that the contract of the bridge accepts, in characters. */
const referenceLimit = 100

/** Returns a key for a subject. Subjects with the same key share their entries. */
function keyOf(subject: LabelFormSubject): string {
  if (subject.kind === 'shipment') return `shipment ${subject.shipment.id}`
  return subject.kind === 'label' ? `label ${subject.label.id}` : 'hand'
}

/** Returns the sender with which the form begins; null for an empty form. */
function senderOf(subject: LabelFormSubject): TypedSender | null {
  if (subject.kind === 'hand') return null
  return typedFrom(subject.kind === 'shipment' ? subject.shipment.sender : subject.label.sender)
}

/**
 * Returns the method with which the form begins, unless a draft is stored. Null: no method is chosen. The service then
 * uses its default method for the label of a shipment; any other label cannot be made until the operator chooses one.
 */
function methodOf(subject: LabelFormSubject): string | null {
  return subject.kind === 'label' ? subject.label.shippingMethodId : null
}
