import { SvelteMap } from 'svelte/reactivity'
import type { ScandeskBridge } from '#shared/bridge/contract.ts'
import type {
  DeskStatus,
  ReturnLabelView,
  ScanEntry,
  ScanOutcome,
  SessionView,
} from '#shared/bridge/views.ts'
import { type Command, parseCommand } from '#shared/domain/commands.ts'
import type { Failure } from '#shared/errors/catalogue.ts'
import type { Result } from '#shared/errors/result.ts'
import { type Role, wireRole } from '#shared/wire/roles.ts'
import type { Sound } from '#scanner/sound.ts'
import { type Card, cardOf, type PrimaryAction } from './card.ts'
import { canMakeAgain, type LabelPhase, labelPhase, outcomeOfPhase } from './label-phase.ts'
import { ScanMemory } from './scan-memory.svelte.ts'

export interface StageDeps {
  readonly bridge: ScandeskBridge
  readonly session: () => SessionView
  readonly play: (sound: Sound) => void
  /** Commands that are not the stage's own: language, logout. */
  readonly onCommand: (command: Command) => void
}

/** Answers are usually quicker than this; a card that flashes by is worse than the one that stood. */
const lookingDelayMs = 150
const rolesToMake: readonly Role[] = ['RETURN_LABELS_CREATE', 'RETURN_LABELS_REQUEST']

/** What the stage shows and what can be done with it. */
export class StageState {
  /** What is being typed in place of a scan; stays while cards come and go. */
  typed = $state('')
  /** The unknown code that the stage itself put into `typed`; leaves with its card. */
  #offered = ''
  readonly #deps: StageDeps
  readonly #memory = new ScanMemory()
  readonly #labels = new SvelteMap<string, ReturnLabelView>()
  #card = $state.raw<Card>({ kind: 'home' })
  #actionFailure = $state.raw<Failure | null>(null)
  #busy = $state(false)
  /** Labels whose write the operator must decide about. */
  #asked = $state.raw<readonly string[]>([])
  /** Scans and visits are numbered; what belongs to an older number never replaces a newer card. */
  #lastTurn = 0
  #shownTurn = 0
  /** Look-ups and actions under way, for commands scanned right behind them. */
  #underWay: readonly Promise<unknown>[] = []

  constructor(deps: StageDeps) {
    this.#deps = deps
  }

  get card(): Card {
    return this.#card
  }
  get recent(): readonly ScanEntry[] {
    return this.#memory.recent
  }
  get actionFailure(): Failure | null {
    return this.#actionFailure
  }
  get busy(): boolean {
    return this.#busy
  }
  get label(): ReturnLabelView | null {
    const card = this.#card
    if (card.kind !== 'shipment' && card.kind !== 'label') return null
    return card.labelId === null ? null : (this.#labels.get(card.labelId) ?? null)
  }
  get phase(): LabelPhase | null {
    return this.label && this.#phaseOf(this.label)
  }
  /** Whether the desk waits for the operator's word on this card's label. */
  get asked(): boolean {
    return this.label !== null && this.#asked.includes(this.label.id)
  }
  /** Whether the login ended while the stage stayed: labels are made, but wait for a login. */
  get loginEnded(): boolean {
    return this.#deps.session().state === 'expired'
  }
  /** Roles that making a label needs and the operator's login lacks. */
  get missingRoles(): readonly Role[] {
    const { state, roles: held } = this.#deps.session()
    // without a login the label queues; the service judges it once somebody is logged in again
    if (state !== 'signed_in') return []
    return rolesToMake.filter((role) => !held.includes(wireRole(role)))
  }

  get primary(): PrimaryAction | null {
    const { card, phase } = this
    if (card.kind === 'failed') return 'retry'
    if (card.kind !== 'shipment' && card.kind !== 'label') return null
    if (phase === null) return card.labelId === null ? 'make' : null
    if (phase === 'not_printed') return 'reprint'
    if (phase === 'set_aside') return 'make'
    return phase === 'stopped' && this.label && canMakeAgain(this.label) ? 'make' : null
  }
  /** Whether the primary action may run now: its role is there and nothing else is on its way. */
  get primaryAllowed(): boolean {
    const { primary } = this
    return primary !== null && !this.#busy && (primary !== 'make' || this.missingRoles.length === 0)
  }

  /** Fills the rail; labels on their way are followed from the start. */
  async load(): Promise<void> {
    const { bridge } = this.#deps
    const [recent, labels] = await Promise.all([bridge.scan.recent(), bridge.returnLabel.recent()])
    if (recent.ok) this.#memory.load(recent.value)
    if (labels.ok) for (const label of labels.value) this.#labels.set(label.id, label)
  }

  /** Saves and looks up a scan; sounds when main answered, so that a beep means saved. */
  async submit(raw: string): Promise<void> {
    const command = parseCommand(raw)
    const takesATurn = command === null || command === 'HOME' || command === 'HELP'
    const turn = takesATurn ? ++this.#lastTurn : this.#lastTurn
    const earlier = this.#underWay
    await this.#follow(command ? this.#scanCommand(raw, turn, earlier) : this.#scan(raw, turn))
  }

  home(): void {
    this.#show({ kind: 'home' }, ++this.#lastTurn)
  }

  help(): void {
    this.#show({ kind: 'help' }, ++this.#lastTurn)
  }

  /** Brings a scan of the rail back; one of an earlier start is looked up again. */
  async bringBack(entry: ScanEntry): Promise<void> {
    const known = this.#memory.outcomeOf(entry)
    if (known) this.#showOutcome(known, ++this.#lastTurn)
    else await this.submit(entry.raw)
  }

  async showLabel(labelId: string): Promise<void> {
    const turn = ++this.#lastTurn
    const result = await this.#deps.bridge.returnLabel.get({ id: labelId })
    if (result.ok) this.#labels.set(labelId, result.value)
    if (!this.#labels.has(labelId)) this.#deps.play('stop')
    else if (turn > this.#shownTurn) this.#show({ kind: 'label', raw: null, labelId }, turn)
  }

  /** A label moved on. Sounds once where that asks for ears: finished, stopped, waiting. */
  onLabel(label: ReturnLabelView): void {
    const before = this.#labels.get(label.id)
    this.#labels.set(label.id, label)
    const card = this.#card
    if (card.kind === 'shipment' && card.labelId === null && card.outcome.shipment.id === label.shipmentId) {
      this.#card = { ...card, labelId: label.id }
    }
    const outcome = outcomeOfPhase(this.#phaseOf(label))
    const changed = !before || outcomeOfPhase(this.#phaseOf(before)) !== outcome
    if (changed && outcome !== 'none') this.#deps.play(outcome)
  }

  onStatus({ waitingWrites }: DeskStatus): void {
    const asked = waitingWrites.filter((write) => write.needsOperator).map((write) => write.labelId)
    if (asked.some((labelId) => !this.#asked.includes(labelId))) this.#deps.play('decide')
    this.#asked = asked
  }

  async runPrimary(): Promise<void> {
    const { primary, card } = this
    if (!this.primaryAllowed) this.#deps.play('look')
    else if (primary === 'make') await this.make()
    else if (primary === 'reprint') await this.reprint()
    else if (card.kind === 'failed') await this.submit(card.raw)
  }

  async make(): Promise<void> {
    const card = this.#card
    const shipmentId = card.kind === 'shipment' ? card.outcome.shipment.id : this.label?.shipmentId
    if (shipmentId === undefined) return
    const label = await this.#act(() => this.#deps.bridge.returnLabel.make({ shipmentId }))
    const now = this.#card
    if (!label || (now.kind !== 'shipment' && now.kind !== 'label')) return
    if (now === card || now.labelId === label.id) this.#card = { ...now, labelId: label.id }
  }

  async reprint(): Promise<void> {
    const { label } = this
    if (label?.stored !== true) this.#deps.play('look')
    else await this.#act(() => this.#deps.bridge.returnLabel.reprint({ id: label.id }))
  }

  async resolve(commandId: string, decision: 'send_again' | 'discard'): Promise<void> {
    await this.#act(() => this.#deps.bridge.desk.resolveUnknown({ commandId, decision }))
  }

  async #scan(raw: string, turn: number): Promise<void> {
    const timer = setTimeout(() => {
      if (turn > this.#shownTurn) this.#card = { kind: 'looking', raw }
    }, lookingDelayMs)
    const result = await this.#deps.bridge.scan.submit({ raw })
    clearTimeout(timer)
    if (result.ok) {
      this.#memory.add(result.value)
      if ('label' in result.value && result.value.label)
        this.#labels.set(result.value.label.id, result.value.label)
      this.#deps.play(this.#soundOf(result.value))
      if (turn > this.#shownTurn) this.#showOutcome(result.value, turn)
    } else {
      this.#deps.play('stop')
      const failed: Card = { kind: 'failed', raw, failure: result.error, saved: false }
      if (turn > this.#shownTurn) this.#show(failed, turn)
    }
  }

  /** PRIMARY and REPRINT mean the card of the scan before them, also when its answer is still on its way. */
  async #scanCommand(raw: string, turn: number, earlier: readonly Promise<unknown>[]): Promise<void> {
    const result = await this.#deps.bridge.scan.submit({ raw })
    if (!result.ok || result.value.kind !== 'command') {
      this.#deps.play('stop')
      return
    }
    const { command } = result.value
    if (command === 'PRIMARY' || command === 'REPRINT') {
      await Promise.allSettled(earlier)
      if (turn !== this.#shownTurn) this.#deps.play('look')
      else await (command === 'PRIMARY' ? this.runPrimary() : this.reprint())
      return
    }
    this.#deps.play('done')
    if (command !== 'HOME' && command !== 'HELP') this.#deps.onCommand(command)
    else if (turn > this.#shownTurn) this.#show({ kind: command === 'HOME' ? 'home' : 'help' }, turn)
  }

  async #act(call: () => Promise<Result<ReturnLabelView>>): Promise<ReturnLabelView | null> {
    if (this.#busy) return null
    this.#busy = true
    this.#actionFailure = null
    const card = this.#card
    const result = await this.#follow(call())
    this.#busy = false
    if (result.ok) {
      this.onLabel(result.value)
      return result.value
    }
    this.#deps.play('stop')
    if (this.#card === card) this.#actionFailure = result.error
    return null
  }

  async #follow<T>(work: Promise<T>): Promise<T> {
    this.#underWay = [...this.#underWay, work]
    try {
      return await work
    } finally {
      this.#underWay = this.#underWay.filter((other) => other !== work)
    }
  }

  #show(card: Card, turn: number): void {
    this.#shownTurn = turn
    this.#card = card
    this.#actionFailure = null
    if (this.typed === this.#offered) this.typed = ''
    this.#offered = card.kind === 'unknown' && this.typed === '' ? card.outcome.raw : ''
    this.typed ||= this.#offered
  }

  #showOutcome(outcome: ScanOutcome, turn: number): void {
    const card = cardOf(outcome, (shipmentId) => this.#newestLabelOf(shipmentId))
    if (card) this.#show(card, turn)
  }

  #newestLabelOf(shipmentId: string): string | null {
    const labels = [...this.#labels.values()].filter((label) => label.shipmentId === shipmentId)
    return labels.toSorted((a, b) => b.createdAt.localeCompare(a.createdAt))[0]?.id ?? null
  }

  #phaseOf(label: ReturnLabelView): LabelPhase {
    return labelPhase(label, this.#asked.includes(label.id))
  }

  #soundOf(outcome: ScanOutcome): Sound {
    if (outcome.kind === 'unknown' || outcome.kind === 'failed') return 'look'
    const label = 'label' in outcome ? outcome.label : null
    return label && this.#phaseOf(label) === 'decide' ? 'decide' : 'done'
  }
}
