import type { LabelId } from '#shared/domain/ids.ts'
import { commandOf, readScan, type Scan, stationCommand } from '#place/station-commands.svelte.ts'
import { ScanQuestion } from '#place/scan-question.svelte.ts'
import type { Place } from '#place/place.ts'
import type { ReturnLabelView } from '#shared/bridge/label-views.ts'
import type { ScanCandidate, ScanChoiceView, ScanEntry, ScanOutcome } from '#shared/bridge/scan-views.ts'
import type { VariantView } from '#shared/bridge/stock-views.ts'
import type { DeskStatus } from '#shared/bridge/views.ts'
import {
  type CardCommand,
  cardPlaces,
  type Command,
  commandRow,
  digitCommand,
  worksIn,
} from '#shared/domain/commands.ts'
import type { LabelPhase } from '#shared/domain/label-phase.ts'
import type { Failure } from '#shared/errors/catalogue.ts'
import type { Result } from '#shared/errors/result.ts'
import { type Role, wireRole } from '#shared/wire/roles.ts'
import type { Sound } from '#scanner/sound.ts'
import {
  type Card,
  type CardAct,
  labelCard,
  lookingDelayMs,
  type PrimaryAction,
  ShownCard,
  withoutSwap,
} from './shown-card.svelte.ts'
import { LabelDesk, type LabelWindow } from './label-desk.svelte.ts'
import { StageLook } from './label-look.svelte.ts'
import { ScanMemory } from './scan-memory.svelte.ts'

export interface StageDeps extends LabelWindow {
  /**
   * Handles a command that the stage does not handle itself, for example to change the language, to log out, or to open
   * a place.
   */
  readonly onCommand: (command: Command) => void
  /** Whether the stage is visible. */
  readonly isShown: () => boolean
  /**
   * Does the action of the large button on the card of a booking. The stage does not do it itself, because another
   * feature implements the actions for bookings.
   */
  readonly onBooking: (modificationId: string) => void
}

const bookingRole: Role = 'MODIFICATIONS_CREATE'

type CardHandler = (stage: StageState, command: CardCommand) => Promise<void>
const act =
  (name: CardAct): CardHandler =>
  ({ labels }, command) =>
    labels.runCommand(command, name)

/** The handler of each command that applies to the card. */
const cardHandlers: Readonly<Record<CardCommand, CardHandler>> = {
  PRIMARY: (stage) => stage.primary(),
  PRINTNOW: ({ labels }, command) => labels.runCommand(command, labels.printAct),
  REPRINT: act('reprint'),
  METHOD: act('method'),
  ADDRESS: act('address'),
  CANCEL: act('cancel'),
  DAMAGED: act('reprint_damaged'),
  GONE: act('reprint_lost'),
  FAINT: act('reprint_misprint'),
  OTHER: act('reprint_other'),
}

/** The state of the stage: the card that is shown, and the operator's acts on this card. */
export class StageState implements Place {
  readonly #deps: StageDeps
  readonly #memory = new ScanMemory()
  readonly labels: LabelDesk
  /** Asks the service whether the shipment on the stage has a label that this desk has not stored. */
  readonly look: StageLook
  /** The question about a scan on the stage that has several meanings. */
  readonly question: ScanQuestion
  readonly #shown: ShownCard
  /**
   * Look-ups and acts that are under way. A command that applies to the card waits for the look-ups and acts that began
   * before it.
   */
  #underWay: readonly Promise<unknown>[] = []
  /**
   * A number that increases when work by another operator or at another station begins. The result of an earlier scan
   * is then dropped, because it may contain the data of a recipient.
   */
  #visit = 0
  /**
   * The number (turn) of the scan or act whose card the last scanned PRIMARY applies to, even if this card is not shown
   * yet.
   */
  #primaryTurn: number | null = null

  constructor(deps: StageDeps) {
    this.#deps = deps
    this.question = new ScanQuestion(deps.bridge)
    this.#shown = new ShownCard((outcome) => {
      this.question.ask(outcome)
    })
    this.labels = new LabelDesk(deps, this.#shown)
    this.look = new StageLook(deps.bridge, this.#shown, this.labels)
  }

  get card(): Card {
    return this.#shown.now
  }

  /** A number that changes with each scan or act that replaces the card. */
  get turn(): number {
    return this.#shown.turn
  }
  /** The text typed in place of a scan. */
  get typed(): string {
    return this.#shown.typed
  }
  set typed(text: string) {
    this.#shown.typed = text
  }
  get recent(): readonly ScanEntry[] {
    return this.#memory.recent
  }
  get actionFailure(): Failure | null {
    return this.#shown.failure
  }
  get busy(): boolean {
    return this.labels.busy
  }
  /** The earlier answer of the operator that selected this card; null if no answer selected it. */
  get remembered(): ScanChoiceView | null {
    return this.#shown.answered?.remembered ?? null
  }
  get label(): ReturnLabelView | null {
    return this.labels.label
  }
  get labelId(): LabelId | undefined {
    return this.label?.id
  }
  get subjectId(): string | undefined {
    return this.card.kind === 'modification' ? this.card.modificationId : this.labelId
  }
  get choicesAsked(): number {
    return this.question.asked?.candidates.length ?? 0
  }
  get phase(): LabelPhase | null {
    return this.label?.phase ?? null
  }
  /**
   * Whether the login expired while the stage was open. Operators can still order labels; their writes wait for a
   * login.
   */
  get loginEnded(): boolean {
    return this.#deps.session().state === 'expired'
  }
  /** Roles that the primary action of the card needs and the operator's login lacks. */
  get missingRoles(): readonly Role[] {
    const primary = this.primaryAction
    if (primary === null || primary === 'retry') return []
    if (primary !== 'book') return this.labels.missingFor(primary)
    const { state, roles } = this.#deps.session()
    // without a login the booking waits in the queue, and the service checks the role after the next login, so the role
    // does not count as missing
    return state !== 'signed_in' || roles.includes(wireRole(bookingRole)) ? [] : [bookingRole]
  }

  get primaryAction(): PrimaryAction | null {
    const { kind } = this.card
    if (kind === 'failed') return 'retry'
    return kind === 'article' || kind === 'location' ? 'book' : this.labels.acts.primary
  }
  /**
   * Whether the primary action may run now: the login has the roles that the action needs, and no other act is under
   * way. Exception: a booking can be opened while another act is under way.
   */
  get primaryAllowed(): boolean {
    const primary = this.primaryAction
    if (primary === null) return false
    if (primary === 'retry') return !this.busy
    return primary === 'book' ? this.missingRoles.length === 0 : this.labels.allows(primary)
  }

  reset(): Promise<void> {
    this.#visit += 1
    this.#memory.load([])
    this.labels.forget()
    this.look.forget()
    this.home()
    return this.load()
  }

  /** Loads the last scans and the recent labels. */
  async load(): Promise<void> {
    const { bridge } = this.#deps
    const visit = this.#visit
    const [recent, labels] = await Promise.all([bridge.scan.recent(), bridge.returnLabel.recent()])
    if (visit !== this.#visit) return
    if (recent.ok) this.#memory.load(recent.value)
    if (labels.ok) this.labels.load(labels.value)
  }

  /** Handles a text in the same way as a scanned text. */
  async submit(raw: string): Promise<void> {
    await this.take(readScan(raw))
  }

  /** Handles a typed or selected text. */
  async submitTyped(raw: string): Promise<void> {
    const scan = readScan(raw)
    const begunMs = this.#deps.nowMs()
    const turn = await this.take(scan)
    if (commandOf(scan) === null) this.#offerLate(turn, begunMs)
  }

  /**
   * Saves a scan, and looks it up or runs its command. Plays a sound only after main has responded, so that the sound
   * means that the scan is saved. Returns the number (turn) of the scan, by which its card is identified.
   */
  async take(scan: Scan): Promise<number> {
    const { raw } = scan
    const command = commandOf(scan)
    if (command !== 'PRIMARY') this.labels.endAct()
    const takesATurn = command === null || command === 'HOME' || command === 'HELP'
    const turn = takesATurn ? this.#shown.takeTurn() : this.#shown.lastTurn
    if (command === 'PRIMARY') this.#primaryTurn = turn
    const earlier = this.#underWay
    await this.#follow(command ? this.#scanCommand(command, raw, turn, earlier) : this.#scan(raw, turn))
    return turn
  }

  /** Shows the empty stage. If a question about an act is open, this closes only the question, and the card stays. */
  home(): void {
    if (!this.labels.keep()) this.#shown.show({ kind: 'home' }, this.#shown.takeTurn())
  }

  help(): void {
    this.#shown.show({ kind: 'help' }, this.#shown.takeTurn())
  }

  /**
   * Shows the card of an earlier scan from the list of last scans. A scan from before the start of the app is looked up
   * again.
   */
  async bringBack(entry: ScanEntry): Promise<void> {
    const known = this.#memory.outcomeOf(entry)
    const turn = this.#shown.takeTurn()
    // the warning about swapped labels is left out, because the label may be on its parcel by now
    if (known) this.#showOutcome(withoutSwap(known), turn)
    else {
      const begunMs = this.#deps.nowMs()
      await this.#follow(this.#lookUp(entry, turn))
      this.#offerLate(turn, begunMs)
    }
  }

  /** Shows the outcome of a scan that another place saved. */
  showOutcome(outcome: ScanOutcome): void {
    this.#learn(outcome)
    this.#deps.play(this.#soundOf(outcome))
    this.#showOutcome(outcome, this.#shown.takeTurn())
  }

  /** Adds a scan to the list of last scans without showing the scan's card, because another place handled the scan. */
  note(outcome: ScanOutcome): void {
    this.#memory.add(outcome)
  }

  /** Resolves when all scans made so far have been handled. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#underWay)
  }

  /**
   * Sends the operator's choice for the ambiguous scan on the stage to main, which also uses it for later scans of the
   * code.
   */
  async choose(candidate: ScanCandidate, scannedIn: number | null = null): Promise<void> {
    const { card, question } = this
    if (card.kind !== 'ambiguous' || question.busy) return
    const begunMs = this.#deps.nowMs()
    const turn = scannedIn ?? this.#shown.takeTurn()
    const call = question.choose(card.outcome, candidate)
    await this.#follow(this.#answer(card.outcome.raw, turn, call, true))
    if (scannedIn === null) this.#offerLate(turn, begunMs)
  }

  /** Shows a notice about a scanned number that belongs to no choice. */
  refuseNumber(number: number): void {
    const command = digitCommand(number)
    if (command !== null) this.#deps.onRefused(command)
  }

  /** Deletes the earlier answer that selected this card, because the answer was wrong, and asks the operator again. */
  async forget(): Promise<void> {
    const { answered } = this.#shown
    if (!answered) return
    const { reach, code, expect } = answered.remembered
    const begunMs = this.#deps.nowMs()
    const result = await this.#deps.bridge.scan.forget({ reach, code, expect })
    if (!result.ok) {
      this.#deps.play('stop')
      return
    }
    const turn = this.#shown.takeTurn()
    await this.#follow(this.#lookUp(answered, turn))
    this.#offerLate(turn, begunMs)
  }

  showModification(modificationId: string): void {
    this.#shown.show({ kind: 'modification', raw: null, modificationId }, this.#shown.takeTurn())
  }

  /**
   * Shows the card of an article. The article was selected and not scanned, so it is not added to the list of last
   * scans.
   */
  showArticle(variant: VariantView): void {
    const chosen = { scanId: `chosen-${variant.id}`, raw: variant.articleCode, at: variant.asOf }
    this.#shown.show(
      { kind: 'article', outcome: { ...chosen, kind: 'article', variant } },
      this.#shown.takeTurn(),
    )
  }

  /** Shows a label that was just made. The passed view is complete, so the label is not read again. */
  showMade(label: ReturnLabelView): void {
    this.labels.put(label)
    this.#shown.show(labelCard(label.id), this.#shown.takeTurn())
  }

  /** Reads a label and shows it. The read may take a while, so the primary act of the label counts as new. */
  async showLabel(labelId: LabelId): Promise<void> {
    const turn = this.#shown.takeTurn()
    const visit = this.#visit
    const result = await this.#deps.bridge.returnLabel.get({ id: labelId })
    if (visit !== this.#visit) return
    if (result.ok) this.labels.put(result.value)
    if (!this.labels.has(labelId)) this.#deps.play('stop')
    else if (this.#shown.isDue(turn)) {
      this.#shown.show(labelCard(labelId), turn)
      this.labels.offerAnew()
    }
  }

  onLabel(label: ReturnLabelView): void {
    this.labels.onLabel(label)
  }

  onStatus(status: DeskStatus): void {
    this.labels.onStatus(status)
    this.look.onStatus(status)
  }

  async primary(): Promise<void> {
    const { primaryAction: primary, card } = this
    if (this.labels.isActNew) this.#deps.onTooSoon()
    else if (card.kind === 'modification') this.#deps.onBooking(card.modificationId)
    else if (primary === null || !this.primaryAllowed) this.#deps.onRefused('PRIMARY')
    else if (primary === 'book') this.#deps.onCommand('BOOK')
    else if (primary !== 'retry') await this.runAct(primary)
    else if (card.kind === 'failed') await this.submitTyped(card.raw)
  }

  async runAct(act: CardAct): Promise<void> {
    await this.#follow(this.labels.run(act))
  }

  async #scan(raw: string, turn: number): Promise<void> {
    await this.#answer(raw, turn, this.#deps.bridge.scan.submit({ raw, expect: 'anything' }), false)
  }

  /**
   * Shows the result of `call`, which looks up a scan. `saved`: whether the scan was already saved before `call` began.
   */
  async #answer(
    raw: string,
    turn: number,
    call: Promise<Result<ScanOutcome>>,
    saved: boolean,
  ): Promise<void> {
    const visit = this.#visit
    const result = await this.#shown.whileLooking(raw, turn, call)
    // a scan that was not saved is reported by its sound also after a change of the operator or the station
    if (result.ok && visit !== this.#visit) return
    if (result.ok) {
      this.#learn(result.value)
      this.#deps.play(this.#soundOf(result.value))
      if (this.#shown.isDue(turn)) this.#showOutcome(result.value, turn)
    } else {
      this.#deps.play('stop')
      const failed: Card = { kind: 'failed', raw, failure: result.error, saved }
      if (this.#shown.isDue(turn)) this.#shown.show(failed, turn)
    }
  }

  /** Looks up an earlier scan again. The scan is already in the journal and is not added again. */
  async #lookUp({ scanId, raw, at }: ScanEntry, turn: number): Promise<void> {
    const visit = this.#visit
    const result = await this.#shown.whileLooking(raw, turn, this.#deps.bridge.scan.lookup({ id: scanId }))
    if (visit !== this.#visit) return
    const outcome: ScanOutcome = result.ok
      ? result.value
      : { scanId, raw, at, kind: 'failed', failure: result.error }
    if (result.ok) this.#learn(outcome)
    this.#deps.play(this.#soundOf(outcome))
    if (this.#shown.isDue(turn)) this.#showOutcome(outcome, turn)
  }

  /**
   * Called after a look-up that the operator began with Enter or a click. If the operator had to wait for the card, its
   * primary act counts as new, because a second press of Enter in the meantime was not meant for the card. Exception: a
   * PRIMARY that was scanned in the meantime waits for the card and is meant for it.
   */
  #offerLate(turn: number, begunMs: number): void {
    const isLate = this.#deps.nowMs() - begunMs > lookingDelayMs
    if (isLate && turn !== this.#primaryTurn && this.#shown.isOf(turn)) this.labels.offerAnew()
  }

  #learn(outcome: ScanOutcome): void {
    this.#memory.add(outcome)
    if ('label' in outcome && outcome.label) this.labels.put(outcome.label)
  }

  /**
   * Runs a command that was scanned on the stage. PRIMARY, digits and the commands of a label apply to the card of the
   * previous scan, so they wait until the look-up of that scan is done.
   */
  async #scanCommand(
    command: Command,
    raw: string,
    turn: number,
    earlier: readonly Promise<unknown>[],
  ): Promise<void> {
    const waits = commandRow(command).waits !== 'no'
    const saving = this.#saveCommand(raw, waits ? earlier : [])
    if (waits) this.#shown.keepFor(saving)
    if (!(await saving)) return
    if (waits) {
      // if another place was opened during the wait, that place handles the command
      if (!this.#deps.isShown()) this.#deps.onCommand(command)
      else if (!this.#shown.isOf(turn)) this.#deps.onRefused(command)
      else await this.#runOnCard(command, turn)
      return
    }
    this.#deps.play('done')
    if (command !== 'HOME' && command !== 'HELP') this.#deps.onCommand(command)
    else if (this.#shown.isDue(turn)) {
      // if a question is open, HOME is the answer "no", and the card stays
      if (command === 'HOME' && this.labels.keep()) this.#shown.keep(turn)
      else this.#shown.show({ kind: command === 'HOME' ? 'home' : 'help' }, turn)
    }
  }

  /**
   * Writes a command to the journal, because the command must be stored before it has any effect, and then waits for
   * `earlier`. Returns whether the command was written.
   */
  async #saveCommand(raw: string, earlier: readonly Promise<unknown>[]): Promise<boolean> {
    const kept = await this.#deps.bridge.scan.submit({ raw, expect: 'anything' })
    if (kept.ok) await Promise.allSettled(earlier)
    else this.#deps.play('stop')
    return kept.ok
  }

  async #runOnCard(command: Command, turn: number): Promise<void> {
    const meant = this.question.pointedAt(command)
    // A scanned digit answers the question on the card. The answer gets the turn (number of the scan) of that card.
    // Therefore the next scan has a later turn, and its card replaces the card that the answer opens.
    if (meant) await this.choose(meant, turn)
    else if (worksIn(command, ...cardPlaces)) await cardHandlers[command](this, command)
    else this.#deps.onRefused(command)
  }

  async #follow<T>(work: Promise<T>): Promise<T> {
    this.#underWay = [...this.#underWay, work]
    try {
      return await work
    } finally {
      this.#underWay = this.#underWay.filter((other) => other !== work)
    }
  }

  #showOutcome(outcome: ScanOutcome, turn: number): void {
    this.#shown.showOutcome(outcome, turn, (shipmentId) => this.labels.newestOf(shipmentId))
    this.look.cardShown()
  }

  #soundOf(outcome: ScanOutcome): Sound {
    if (outcome.kind === 'ambiguous') return 'decide'
    if (outcome.kind === 'unknown' || outcome.kind === 'failed' || outcome.kind === 'badge') return 'look'
    if (outcome.kind === 'return_label' && outcome.swap) return 'look'
    const label = 'label' in outcome ? outcome.label : null
    return label && label.phase === 'decide' ? 'decide' : 'done'
  }
}

/**
 * Whether a typed text is searched as words and not looked up as a code: it contains no digit (every code contains
 * one), and it is no command of this station.
 */
export function isWords(text: string): boolean {
  return !/\d/.test(text) && stationCommand(text) === null
}
