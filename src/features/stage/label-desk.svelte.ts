import type { LabelId } from '#shared/domain/ids.ts'
import { SvelteMap } from 'svelte/reactivity'
import type { LabelFormSubject } from '#place/place.ts'
import { LastAct } from '#place/repeated-reads.ts'
import type { ScandeskBridge } from '#shared/bridge/contract.ts'
import type { LabelMode, ReturnLabelView } from '#shared/bridge/label-views.ts'
import type { DeskStatus, SessionView } from '#shared/bridge/views.ts'
import type { Command } from '#shared/domain/commands.ts'
import { isCountryReference } from '#shared/domain/country.ts'
import {
  type LabelActs,
  type LabelQuestion,
  labelQuestions,
  type ReprintAct,
  reasonOfAct,
  rolesFor,
  withoutLabel,
} from '#shared/domain/label-state.ts'
import type { Result } from '#shared/errors/result.ts'
import type { SenderAddress, SenderAddressInput } from '#shared/wire/address.ts'
import { type Role, wireRole } from '#shared/wire/roles.ts'
import type { Sound } from '#scanner/sound.ts'
import { outcomeOfPhase } from './label-card-words.ts'
import type { Card, CardAct, ShownCard } from './shown-card.svelte.ts'

/**
 * The subject of the form of a label: a shipment that gets a new label, or a label that is changed or replaced by a new
 * label.
 */
export type FormSubject = Exclude<LabelFormSubject, { kind: 'hand' }>

/** The parts of the window that the actions on a label need. */
export interface LabelWindow {
  readonly bridge: ScandeskBridge
  readonly session: () => SessionView
  readonly play: (sound: Sound) => void
  /** Shows a notice that the card does not take this command, and where the command works. */
  readonly onRefused: (command: Command) => void
  /** Shows a notice that PRIMARY or Enter was ignored, because it came too soon after the previous act. */
  readonly onTooSoon: () => void
  /** Returns the milliseconds of a monotonic clock. */
  readonly nowMs: () => number
  /** Opens the form of a label to make or to change. */
  readonly openForm: (subject: FormSubject) => void
}

interface Question {
  readonly about: LabelQuestion
  readonly card: Card
  readonly printId: string | null
}

/** Acts that consist of a single call about the label. */
type WriteAct = 'request' | 'fetch' | 'reprint' | ReprintAct | 'confirm_cancel'

/** Acts that end with a printed label. */
const printing: readonly CardAct[] = ['make', 'request', 'fetch', 'reprint', 'make_again']

/**
 * Stores the return labels that this window has received, and carries out the operator's acts on the label of the card.
 */
export class LabelDesk {
  readonly #window: LabelWindow
  readonly #shown: ShownCard
  readonly #labels = new SvelteMap<LabelId, ReturnLabelView>()
  /** Number of calls of `forget`. The result of an act that began before the last of them is dropped. */
  #visit = 0
  /** The question before an act. It is closed when another card or another print is shown. */
  #question = $state.raw<Question | null>(null)
  #busy = $state(false)
  /**
   * The operator's last act on a label. An act is identified by the number (turn) of the scan or act that opened its
   * card. The time in which a second PRIMARY or Enter only repeats this act begins when the primary act changes.
   */
  readonly #lastAct = new LastAct<number>()
  #savesFiles = $state(false)
  /** The id of the last notice which said that another desk did the same act. */
  #twiceId: string | null = null

  constructor(window: LabelWindow, shown: ShownCard) {
    this.#window = window
    this.#shown = shown
  }

  /** The label on the stage. */
  get label(): ReturnLabelView | null {
    const labelId = this.#card?.labelId ?? null
    return labelId === null ? null : (this.#labels.get(labelId) ?? null)
  }
  /** Whether a call to main is under way. At most one call is under way at a time. */
  get busy(): boolean {
    return this.#busy
  }
  /** Whether labels are saved in the label folder. Otherwise they are printed. */
  get savesFiles(): boolean {
    return this.#savesFiles
  }
  /** The question that is asked before an act, or null. */
  get question(): LabelQuestion | null {
    const asked = this.#question
    const { label } = this
    if (asked === null || label === null || asked.card !== this.#shown.now) return null
    if (asked.about === 'cancel') return label.bars.change === null ? 'cancel' : null
    return asked.printId === label.print?.id && label.print.mayBeOnPaper ? 'reprint' : null
  }
  get acts(): LabelActs<CardAct> {
    const { label, question } = this
    const card = this.#card
    if (card === null || (card.labelId !== null && !label)) return { primary: null, others: [] }
    if (question !== null) return labelQuestions[question]
    return label ? label.acts : withoutLabel
  }

  /** The act that prints the label of this card, or null. */
  get printAct(): CardAct | null {
    const { primary, others } = this.acts
    if (primary !== null && printing.includes(primary)) return primary
    return others.find((act) => printing.includes(act)) ?? null
  }

  /**
   * Whether the primary act of the card changed after the operator's act, and so recently that the operator cannot have
   * read it. PRIMARY or Enter then repeats that act and does not mean the new one.
   */
  get isActNew(): boolean {
    return this.acts.primary !== null && this.#lastAct.isRepeated(this.#shown.turn, this.#window.nowMs())
  }

  /** Called after an act in another place led to the card. The primary act of the card then counts as new. */
  offerAnew(): void {
    this.#lastAct.acted(this.#shown.turn, this.#window.nowMs())
  }

  /** Called at each scan except PRIMARY. */
  endAct(): void {
    this.#lastAct.end()
  }

  has(id: LabelId): boolean {
    return this.#labels.has(id)
  }

  /**
   * Stores a view of a label. Returns false, and stores nothing, if the stored view is newer, because an event may
   * arrive before the response to an earlier call.
   */
  put(label: ReturnLabelView): boolean {
    const known = this.#labels.get(label.id)
    if (known && known.told > label.told) return false
    this.#labels.set(label.id, label)
    return true
  }

  /**
   * Stores the recent labels that the main process returned. Plays one sound if at least one label waits for a decision
   * of the operator and did not wait for one when it was last stored.
   */
  load(labels: readonly ReturnLabelView[]): void {
    const asking = labels.filter((label) => asks(label) && !asks(this.#labels.get(label.id)))
    for (const label of labels) this.put(label)
    if (asking.length > 0) this.#window.play('decide')
  }

  /** Forgets all labels and closes the question, because another operator or station must not see them. */
  forget(): void {
    this.#visit += 1
    this.#labels.clear()
    this.#question = null
  }

  newestOf(shipmentId: string): LabelId | null {
    const labels = [...this.#labels.values()].filter((label) => label.shipmentId === shipmentId)
    return labels.toSorted((a, b) => b.createdAt.localeCompare(a.createdAt))[0]?.id ?? null
  }

  /** Returns the roles that an act needs and the operator's login lacks. */
  missingFor(act: CardAct): readonly Role[] {
    const { state, roles: held } = this.#window.session()
    // without a login the write is queued, and the service checks the roles after the next login, so no role counts as
    // missing
    if (state !== 'signed_in') return []
    return rolesFor(act, this.label?.bars ?? null).filter((role) => !held.includes(wireRole(role)))
  }

  /** Whether the card offers the act, no other act is running, and no role that the act needs is missing. */
  allows(act: CardAct): boolean {
    const { primary, others } = this.acts
    const offered = primary === act || others.includes(act)
    return offered && !this.#busy && this.missingFor(act).length === 0
  }

  /**
   * Handles a changed label. The card of its shipment then shows this label in three cases: the card has no label, the
   * label of the card is the same label at the service, or the label of the card is void and this label is not. Plays a
   * sound when the label is finished, is stopped, waits, or needs a decision.
   */
  onLabel(label: ReturnLabelView): void {
    const { primary } = this.acts
    this.#take(label)
    if (this.acts.primary !== primary) this.#lastAct.changed(this.#window.nowMs())
  }

  #take(label: ReturnLabelView): void {
    const card = this.#shown.now
    const { label: stood } = this
    if (card.kind === 'shipment' && card.outcome.shipment.id === label.shipmentId) {
      const isSame = label.serverId !== null && stood?.serverId === label.serverId
      const isBetter = stood?.isVoid !== false && !label.isVoid
      if (isSame || card.labelId === null || isBetter) this.#shown.become({ ...card, labelId: label.id })
    }
    const before = this.#labels.get(label.id)
    if (!this.put(label)) return
    const outcome = outcomeOfPhase(label.phase)
    const changed = !before || outcomeOfPhase(before.phase) !== outcome
    if (label.asked && !before?.asked) this.#window.play('decide')
    else if (changed && outcome !== 'none') this.#window.play(outcome)
  }

  onStatus({ printer, twice }: DeskStatus): void {
    this.#savesFiles = printer.folder !== null
    if (twice !== null && twice.id !== this.#twiceId) this.#window.play('decide')
    this.#twiceId = twice?.id ?? null
  }

  /**
   * Runs `act`, which belongs to the scanned command. If the card has no act for the command, `act` is null. If `act`
   * is null or not allowed now, a notice is shown.
   */
  async runCommand(command: Command, act: CardAct | null): Promise<void> {
    if (act === null) this.#window.onRefused(command)
    // a scanner may read the barcode twice: if the question about a reprint is already open, `run` only asks it again
    else if (this.allows(act) || (act === 'reprint' && this.question === 'reprint')) await this.run(act)
    else this.#window.onRefused(command)
  }

  /** Runs an act if the card offers it and the operator may run it. Otherwise plays the sound `look`. */
  async run(act: CardAct): Promise<void> {
    const { label } = this
    const { play } = this.#window
    // a scanner may read the barcode twice: if the question about a reprint is already open, nothing is printed
    if (act === 'reprint' && this.question === 'reprint') play('decide')
    else if (!this.allows(act)) play('look')
    else if (act === 'make') await this.#make(this.#modeOfCard())
    else if (act === 'make_again') await this.#make(label && modeLike(label))
    else if (act === 'method' || act === 'address') this.#openForm(act)
    else if (act === 'keep' || act === 'as_is') this.keep()
    else if (act === 'cancel') this.#ask('cancel')
    else if (!label) return
    else if (act === 'reprint' && label.print?.mayBeOnPaper) this.#ask('reprint')
    else {
      const done = await this.#write(this.#callOf(act, label))
      if (done || act === 'confirm_cancel') {
        this.#question = null
        this.#lastAct.changed(this.#window.nowMs())
      }
    }
  }

  /** Closes the question without an act. Returns whether a question was open. */
  keep(): boolean {
    const { question } = this
    this.#question = null
    return question !== null
  }

  /** The card, if it shows a label or a shipment; null for other cards. */
  get #card(): Extract<Card, { kind: 'shipment' | 'label' }> | null {
    const card = this.#shown.now
    return card.kind === 'shipment' || card.kind === 'label' ? card : null
  }

  #ask(about: LabelQuestion): void {
    this.#lastAct.acted(this.#shown.turn)
    this.#question = { about, card: this.#shown.now, printId: this.label?.print?.id ?? null }
    this.#window.play('decide')
  }

  #callOf(act: WriteAct, { id, print }: ReturnLabelView): () => Promise<Result<ReturnLabelView>> {
    const { returnLabel } = this.#window.bridge
    if (act === 'request' || act === 'fetch') return () => returnLabel.request({ id })
    if (act === 'confirm_cancel') return () => returnLabel.cancel({ id })
    // after an unknown outcome, the reason is `not_out`: the operator has checked the printer and found no paper
    const notOut = print?.state === 'unknown' ? 'not_out' : null
    return () => returnLabel.reprint({ id, reason: reasonOfAct(act) ?? notOut })
  }

  /**
   * Sends a call that changes a label; one call at a time. If the call fails, returns null and shows the failure on the
   * card from which the call was made.
   */
  async #write(call: () => Promise<Result<ReturnLabelView>>): Promise<ReturnLabelView | null> {
    if (this.#busy) return null
    this.#lastAct.acted(this.#shown.turn)
    this.#busy = true
    this.#shown.failure = null
    const card = this.#shown.now
    const visit = this.#visit
    const result = await call()
    this.#busy = false
    if (result.ok && visit !== this.#visit) return null
    if (result.ok) {
      this.onLabel(result.value)
      return result.value
    }
    this.#window.play('stop')
    if (this.#shown.now === card) this.#shown.failure = result.error
    return null
  }

  async #make(mode: LabelMode | null): Promise<void> {
    if (!mode) return
    const card = this.#shown.now
    const seen = this.label?.id ?? null
    const { returnLabel } = this.#window.bridge
    const label = await this.#write(() => returnLabel.make({ mode, request: true, seen }))
    const now = this.#card
    // the new label is shown on this card, unless another card was shown during the call
    if (label && now && (now === card || now.labelId === label.id))
      this.#shown.become({ ...now, labelId: label.id })
  }

  #modeOfCard(): LabelMode | null {
    const card = this.#card
    const { label } = this
    const shipmentId = card?.kind === 'shipment' ? card.outcome.shipment.id : (label?.shipmentId ?? null)
    if (shipmentId === null) return null
    return { by: 'shipment', shipmentId, shippingMethodId: label?.shippingMethodId ?? null, sender: null }
  }

  #openForm(focus: 'method' | 'address'): void {
    const card = this.#shown.now
    const { label } = this
    const { openForm } = this.#window
    const code = label?.failure?.code
    // The form starts with the data of the existing label if the label can be changed, if the service refused its
    // address, or if the service refused only the method of a change. In the last case the form keeps the sender that
    // the operator typed.
    const goesOnFromLabel =
      label?.bars.change === null ||
      code === 'return_label.address_invalid' ||
      (code === 'return_label.method_unsupported' && label?.patch !== null)
    if (card.kind === 'shipment' && !goesOnFromLabel)
      openForm({ kind: 'shipment', shipment: card.outcome.shipment, focus })
    else if (label) {
      // a label without a sender of its own has the sender of its shipment
      const known = card.kind === 'shipment' ? card.outcome.shipment.sender : null
      openForm({ kind: 'label', label: { ...label, sender: label.sender ?? known }, focus })
    }
  }
}

/**
 * Whether the label waits for the operator's decision. If it does, `load` plays the sound for it. A label whose print
 * has an unknown outcome does not count, because `onLabel` plays the sound when the print gets this state.
 */
function asks(label: ReturnLabelView | undefined): boolean {
  return label !== undefined && (label.asked !== null || label.phase === 'print_held')
}

/**
 * Returns the values from which a new label equal to this label is made; null if one of the values is no longer known.
 */
export function modeLike(label: ReturnLabelView): LabelMode | null {
  const { shipmentId, shippingMethodId, externalReference } = label
  const sender = toInput(label.sender)
  if (shipmentId !== null) {
    // the operator never changed the sender, so the label uses the shipment's sender, and no sender need be sent
    if (label.patch === null) return { by: 'shipment', shipmentId, shippingMethodId, sender: null }
    return sender && { by: 'shipment', shipmentId, shippingMethodId, sender }
  }
  return sender && shippingMethodId !== null
    ? { by: 'hand', shippingMethodId, sender, externalReference }
    : null
}

/** Returns an address in the form that the service accepts; null if a required field is unknown. */
function toInput(sender: SenderAddress | null): SenderAddressInput | null {
  if (!sender) return null
  const { addressed_to, street, street_number, zipcode, city, country } = sender
  if (addressed_to === null || street === null || street_number === null) return null
  if (zipcode === null || city === null || country === null || isCountryReference(country)) return null
  return { ...sender, addressed_to, street, street_number, zipcode, city, country }
}
