import { SvelteMap } from 'svelte/reactivity'
import type { ScandeskBridge } from '#shared/bridge/contract.ts'
import type { LabelMode, ReturnLabelView } from '#shared/bridge/label-views.ts'
import type { DeskStatus, SessionView } from '#shared/bridge/views.ts'
import { type Command, type CommandsOf, worksIn } from '#shared/domain/commands.ts'
import type { Result } from '#shared/errors/result.ts'
import { type Role, wireRole } from '#shared/wire/roles.ts'
import type { Sound } from '#scanner/sound.ts'
import type { Card } from './shown-card.svelte.ts'
import {
  type FormSubject,
  isOpenForChange,
  type LabelAct,
  type LabelActs,
  labelActs,
  type LabelQuestion,
  mayBeOnPaper,
  modeLike,
  reasonOfAct,
  type ReprintAct,
  rolesFor,
} from './label-acts.ts'
import { type LabelPhase, labelPhase, outcomeOfPhase } from './label-phase.ts'

/** What the label's acts need of the stage around them. */
export interface LabelStage {
  readonly bridge: ScandeskBridge
  readonly session: () => SessionView
  readonly play: (sound: Sound) => void
  /** The card does not take that command. */
  readonly refuse: (command: Command) => void
  readonly openForm: (subject: FormSubject) => void
  readonly card: () => Card
  readonly busy: () => boolean
  /** Runs one write at a time, and shows why it failed on the card it was for. */
  readonly act: (call: () => Promise<Result<ReturnLabelView>>) => Promise<ReturnLabelView | null>
  /** The card made way for a label: shows it there, unless another card came meanwhile. */
  readonly showOn: (card: Card, label: ReturnLabelView) => void
}

interface Question {
  readonly about: LabelQuestion
  readonly card: Card
  readonly printId: string | null
}

/** Acts that are one call about the label. */
type WriteAct = 'request' | 'fetch' | 'reprint' | ReprintAct | 'confirm_cancel'

const actsOfCommands: Readonly<Record<CommandsOf<'card' | 'label' | 'reason'>, LabelAct>> = {
  REPRINT: 'reprint',
  METHOD: 'method',
  ADDRESS: 'address',
  CANCEL: 'cancel',
  DAMAGED: 'reprint_damaged',
  GONE: 'reprint_lost',
  FAINT: 'reprint_misprint',
  OTHER: 'reprint_other',
}

/** Acts of which the end is a printed label. */
const printing: readonly LabelAct[] = ['make', 'request', 'fetch', 'reprint', 'make_again']

/** The return labels that this window has seen, and what can be done with the one on the stage. */
export class LabelDesk {
  readonly #stage: LabelStage
  readonly #labels = new SvelteMap<string, ReturnLabelView>()
  /** Labels whose write the operator must decide about. */
  #asked = $state.raw<readonly string[]>([])
  /** Labels whose print waits for somebody to look at it. */
  #held = $state.raw<readonly string[]>([])
  /** What a card asks before an act is done; another card does not ask, nor does this one about a later print. */
  #question = $state.raw<Question | null>(null)

  #savesFiles = $state(false)
  /** Of the notice that another desk did the same. */
  #twiceId: string | null = null

  constructor(stage: LabelStage) {
    this.#stage = stage
  }

  /** The label on the stage. */
  get label(): ReturnLabelView | null {
    const card = this.#stage.card()
    if (card.kind !== 'shipment' && card.kind !== 'label') return null
    return card.labelId === null ? null : (this.#labels.get(card.labelId) ?? null)
  }
  get phase(): LabelPhase | null {
    return this.label && this.phaseOf(this.label)
  }
  /** Whether the desk waits for the operator's word on this card's label. */
  get asked(): boolean {
    return this.label !== null && this.#asked.includes(this.label.id)
  }
  /** Whether labels go into the label folder, and not to a printer. */
  get savesFiles(): boolean {
    return this.#savesFiles
  }
  /** What the zone asks before the act is done, or null. */
  get question(): LabelQuestion | null {
    const asked = this.#question
    const { label } = this
    if (asked === null || label === null || asked.card !== this.#stage.card()) return null
    if (asked.about === 'cancel') return isOpenForChange(label) ? 'cancel' : null
    return asked.printId === label.print?.id && mayBeOnPaper(label) ? 'reprint' : null
  }
  /** Whether the print of the label on the stage waits for somebody to look at it. */
  get isHeld(): boolean {
    return this.phase === 'print_held'
  }
  get acts(): LabelActs {
    const card = this.#stage.card()
    if (card.kind !== 'shipment' && card.kind !== 'label') return { primary: null, others: [] }
    if (card.labelId !== null && !this.label) return { primary: null, others: [] }
    return labelActs(this.label, this.phase, this.question)
  }

  has(id: string): boolean {
    return this.#labels.has(id)
  }

  /** Answers whether it was news: an answer that an event overtook is none. */
  put(label: ReturnLabelView): boolean {
    const known = this.#labels.get(label.id)
    if (known && known.told > label.told) return false
    this.#labels.set(label.id, label)
    return true
  }

  newestOf(shipmentId: string): string | null {
    const labels = [...this.#labels.values()].filter((label) => label.shipmentId === shipmentId)
    return labels.toSorted((a, b) => b.createdAt.localeCompare(a.createdAt))[0]?.id ?? null
  }

  phaseOf(label: ReturnLabelView): LabelPhase {
    return labelPhase(label, this.#asked.includes(label.id), this.#held.includes(label.id))
  }

  /** Roles that an act needs and the operator's login lacks. */
  missingFor(act: LabelAct): readonly Role[] {
    const { state, roles: held } = this.#stage.session()
    // without a login the write queues; the service judges it once somebody is logged in again
    if (state !== 'signed_in') return []
    return rolesFor(act, this.label).filter((role) => !held.includes(wireRole(role)))
  }

  /** Whether the act stands on the card and may run now. */
  allows(act: LabelAct): boolean {
    const { primary, others } = this.acts
    const offered = primary === act || others.includes(act)
    return offered && !this.#stage.busy() && this.missingFor(act).length === 0
  }

  /** A label moved on. Sounds once where that asks for ears: finished, stopped, waiting. */
  onLabel(label: ReturnLabelView): void {
    const before = this.#labels.get(label.id)
    if (!this.put(label)) return
    const outcome = outcomeOfPhase(this.phaseOf(label))
    const changed = !before || outcomeOfPhase(this.phaseOf(before)) !== outcome
    if (changed && outcome !== 'none') this.#stage.play(outcome)
  }

  onStatus({ waitingWrites, waitingPrints, printer, twice }: DeskStatus): void {
    this.#savesFiles = printer.folder !== null
    const asked = waitingWrites
      .filter(({ needsOperator, subject }) => needsOperator && subject.kind === 'return_label')
      .map(({ subject }) => subject.id)
    // one of unknown outcome sounds when its label says so
    const held = waitingPrints.filter(({ asks, state }) => asks && state !== 'unknown')
    const heldIds = held.map(({ labelId }) => labelId)
    const isNews = asked.some((id) => !this.#asked.includes(id))
    const isTwice = twice !== null && twice.id !== this.#twiceId
    this.#twiceId = twice?.id ?? null
    if (isNews || isTwice || heldIds.some((id) => !this.#held.includes(id))) this.#stage.play('decide')
    this.#asked = asked
    this.#held = heldIds
  }

  /** Runs what a scanned command means for the card. */
  async runCommand(command: Command): Promise<void> {
    const act = this.#actOf(command)
    if (act === null) this.#stage.refuse(command)
    // a scanner that reads twice asks twice, and prints nothing
    else if (this.allows(act) || (act === 'reprint' && this.question === 'reprint')) await this.run(act)
    else this.#stage.refuse(command)
  }

  /** Does it where the card offers it and the operator may; else the desk asks to look. */
  async run(act: LabelAct): Promise<void> {
    const { label } = this
    const { play } = this.#stage
    // a scanner that reads twice asks twice, and prints nothing
    if (act === 'reprint' && this.question === 'reprint') play('decide')
    else if (!this.allows(act)) play('look')
    else if (act === 'make') await this.#make(this.#modeOfCard())
    else if (act === 'make_again') await this.#make(label && modeLike(label))
    else if (act === 'method' || act === 'address') this.#openForm(act)
    else if (act === 'keep' || act === 'as_is') this.keep()
    else if (act === 'cancel') this.#ask('cancel')
    else if (!label) return
    else if (act === 'reprint' && mayBeOnPaper(label)) this.#ask('reprint')
    else {
      const done = await this.#stage.act(() => this.#write(act, label))
      if (done || act === 'confirm_cancel') this.#question = null
    }
  }

  /** Nothing is done of what was asked about; answers whether anything had been. */
  keep(): boolean {
    const { question } = this
    this.#question = null
    return question !== null
  }

  #actOf(command: Command): LabelAct | null {
    if (command === 'PRINTNOW') return this.#printAct
    return worksIn(command, 'card', 'label', 'reason') ? actsOfCommands[command] : null
  }

  /** What puts this card's label on paper, or null. */
  get #printAct(): LabelAct | null {
    const { primary, others } = this.acts
    if (primary !== null && printing.includes(primary)) return primary
    return others.find((act) => printing.includes(act)) ?? null
  }

  #ask(about: LabelQuestion): void {
    this.#question = { about, card: this.#stage.card(), printId: this.label?.print?.id ?? null }
    this.#stage.play('decide')
  }

  #write(act: WriteAct, { id, print }: ReturnLabelView): Promise<Result<ReturnLabelView>> {
    const { returnLabel } = this.#stage.bridge
    if (act === 'request' || act === 'fetch') return returnLabel.request({ id })
    if (act === 'confirm_cancel') return returnLabel.cancel({ id })
    // that nothing came out is why: the operator looked
    const notOut = print?.state === 'unknown' ? 'not_out' : null
    return returnLabel.reprint({ id, reason: reasonOfAct(act) ?? notOut })
  }

  async #make(mode: LabelMode | null): Promise<void> {
    if (!mode) return
    const card = this.#stage.card()
    const seen = this.label?.id ?? null
    const { returnLabel } = this.#stage.bridge
    const label = await this.#stage.act(() => returnLabel.make({ mode, request: true, seen }))
    if (label) this.#stage.showOn(card, label)
  }

  #modeOfCard(): LabelMode | null {
    const card = this.#stage.card()
    const shipmentId = card.kind === 'shipment' ? card.outcome.shipment.id : (this.label?.shipmentId ?? null)
    if (shipmentId === null) return null
    const shippingMethodId = this.label?.shippingMethodId ?? null
    return { by: 'shipment', shipmentId, shippingMethodId, sender: null }
  }

  #openForm(focus: 'method' | 'address'): void {
    const card = this.#stage.card()
    const { label } = this
    const { openForm } = this.#stage
    const code = label?.failure?.code
    // a sender that was typed for a label is not typed twice because its method was refused
    const goesOnFromLabel =
      isOpenForChange(label) ||
      code === 'return_label.address_invalid' ||
      (code === 'return_label.method_unsupported' && label?.patch !== null)
    if (card.kind === 'shipment' && !goesOnFromLabel)
      openForm({ kind: 'shipment', shipment: card.outcome.shipment, focus })
    else if (label) {
      // a label whose sender nobody changed bears its shipment's
      const known = card.kind === 'shipment' ? card.outcome.shipment.sender : null
      openForm({ kind: 'label', label: { ...label, sender: label.sender ?? known }, focus })
    }
  }
}
