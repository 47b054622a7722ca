import type { LabelId } from '#shared/domain/ids.ts'
import { SvelteMap } from 'svelte/reactivity'
import type { LabelFormSubject } from '#place/place.ts'
import type { ScandeskBridge } from '#shared/bridge/contract.ts'
import type { LabelMode, ReturnLabelView } from '#shared/bridge/label-views.ts'
import type { DeskStatus, SessionView } from '#shared/bridge/views.ts'
import { type Command, type CommandsOf, worksIn } from '#shared/domain/commands.ts'
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
import { outcomeOfPhase } from './label-words.ts'
import type { Card, CardAct, ShownCard } from './shown-card.svelte.ts'

/** What opens the label's form: a label to make from a shipment, or a label to change or make anew. */
export type FormSubject = Exclude<LabelFormSubject, { kind: 'hand' }>

/** What the acts of a label need of the window. */
export interface LabelWindow {
  readonly bridge: ScandeskBridge
  readonly session: () => SessionView
  readonly play: (sound: Sound) => void
  /** A command that the card does not take: says where it works. */
  readonly onRefused: (command: Command) => void
  /** Opens the form of a label to make or to change. */
  readonly openForm: (subject: FormSubject) => void
}

interface Question {
  readonly about: LabelQuestion
  readonly card: Card
  readonly printId: string | null
}

/** Acts that are one call about the label. */
type WriteAct = 'request' | 'fetch' | 'reprint' | ReprintAct | 'confirm_cancel'

const actsOfCommands: Readonly<Record<CommandsOf<'card' | 'label' | 'reason'>, CardAct>> = {
  REPRINT: 'reprint',
  METHOD: 'method',
  ADDRESS: 'address',
  CANCEL: 'cancel',
  DAMAGED: 'reprint_damaged',
  GONE: 'reprint_lost',
  FAINT: 'reprint_misprint',
  OTHER: 'reprint_other',
}

/** Acts that end with a printed label. */
const printing: readonly CardAct[] = ['make', 'request', 'fetch', 'reprint', 'make_again']

/** The return labels that this window has seen, and what is done with the one on the stage. */
export class LabelDesk {
  readonly #window: LabelWindow
  readonly #shown: ShownCard
  readonly #labels = new SvelteMap<LabelId, ReturnLabelView>()
  /** What the card asks before an act; it counts for this card and this print only. */
  #question = $state.raw<Question | null>(null)
  #busy = $state(false)
  #savesFiles = $state(false)
  /** The id of the last notice that another desk did the same. */
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
  /** Whether a call to the desk is under way: one at a time. */
  get busy(): boolean {
    return this.#busy
  }
  /** Whether labels go into the label folder, and not to a printer. */
  get savesFiles(): boolean {
    return this.#savesFiles
  }
  /** What the zone asks before the act is done, or null. */
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

  has(id: LabelId): boolean {
    return this.#labels.has(id)
  }

  /** Returns false for a view older than the known one: an event can overtake the result of a call. */
  put(label: ReturnLabelView): boolean {
    const known = this.#labels.get(label.id)
    if (known && known.told > label.told) return false
    this.#labels.set(label.id, label)
    return true
  }

  /** The labels that existed before the window opened. Sounds once where one of them waits for the operator. */
  load(labels: readonly ReturnLabelView[]): void {
    const asking = labels.filter((label) => asks(label) && !asks(this.#labels.get(label.id)))
    for (const label of labels) this.put(label)
    if (asking.length > 0) this.#window.play('decide')
  }

  newestOf(shipmentId: string): LabelId | null {
    const labels = [...this.#labels.values()].filter((label) => label.shipmentId === shipmentId)
    return labels.toSorted((a, b) => b.createdAt.localeCompare(a.createdAt))[0]?.id ?? null
  }

  /** Roles that an act needs and the operator's login lacks. */
  missingFor(act: CardAct): readonly Role[] {
    const { state, roles: held } = this.#window.session()
    // without a login the write queues; the service judges it once somebody is logged in again
    if (state !== 'signed_in') return []
    return rolesFor(act, this.label?.bars ?? null).filter((role) => !held.includes(wireRole(role)))
  }

  /** Whether the act stands on the card and may run now. */
  allows(act: CardAct): boolean {
    const { primary, others } = this.acts
    const offered = primary === act || others.includes(act)
    return offered && !this.#busy && this.missingFor(act).length === 0
  }

  /** A label changed: its shipment's card shows it. Sounds once when it is finished, stopped or waits for a decision. */
  onLabel(label: ReturnLabelView): void {
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

  /** Runs what a scanned command means for the card. */
  async runCommand(command: Command): Promise<void> {
    const act = this.#actOf(command)
    if (act === null) this.#window.onRefused(command)
    // a scanner that reads twice asks twice, and prints nothing
    else if (this.allows(act) || (act === 'reprint' && this.question === 'reprint')) await this.run(act)
    else this.#window.onRefused(command)
  }

  /** Does it where the card offers it and the operator may; else plays the sound that says to look. */
  async run(act: CardAct): Promise<void> {
    const { label } = this
    const { play } = this.#window
    // a scanner that reads twice asks twice, and prints nothing
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
      if (done || act === 'confirm_cancel') this.#question = null
    }
  }

  /** Withdraws the question and does nothing; returns whether there was one. */
  keep(): boolean {
    const { question } = this
    this.#question = null
    return question !== null
  }

  /** The card, where it is one of a label or of a shipment, which may have none. */
  get #card(): Extract<Card, { kind: 'shipment' | 'label' }> | null {
    const card = this.#shown.now
    return card.kind === 'shipment' || card.kind === 'label' ? card : null
  }

  #actOf(command: Command): CardAct | null {
    if (command === 'PRINTNOW') return this.#printAct
    return worksIn(command, 'card', 'label', 'reason') ? actsOfCommands[command] : null
  }

  /** What puts this card's label on paper, or null. */
  get #printAct(): CardAct | null {
    const { primary, others } = this.acts
    if (primary !== null && printing.includes(primary)) return primary
    return others.find((act) => printing.includes(act)) ?? null
  }

  #ask(about: LabelQuestion): void {
    this.#question = { about, card: this.#shown.now, printId: this.label?.print?.id ?? null }
    this.#window.play('decide')
  }

  #callOf(act: WriteAct, { id, print }: ReturnLabelView): () => Promise<Result<ReturnLabelView>> {
    const { returnLabel } = this.#window.bridge
    if (act === 'request' || act === 'fetch') return () => returnLabel.request({ id })
    if (act === 'confirm_cancel') return () => returnLabel.cancel({ id })
    // of an unknown print the operator looked, and nothing had come out
    const notOut = print?.state === 'unknown' ? 'not_out' : null
    return () => returnLabel.reprint({ id, reason: reasonOfAct(act) ?? notOut })
  }

  /** One write at a time; null where it failed, which the card that it was for then shows. */
  async #write(call: () => Promise<Result<ReturnLabelView>>): Promise<ReturnLabelView | null> {
    if (this.#busy) return null
    this.#busy = true
    this.#shown.failure = null
    const card = this.#shown.now
    const result = await call()
    this.#busy = false
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
    // the card shows the new label, unless another card came meanwhile
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
    // a sender that was typed for a label is not typed twice because its method was refused
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

/** Whether it waits for a decision. A label with an unknown print is not one: it sounds when it changes. */
function asks(label: ReturnLabelView | undefined): boolean {
  return label !== undefined && (label.asked !== null || label.phase === 'print_held')
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
