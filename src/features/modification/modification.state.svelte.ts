import type { ScandeskBridge } from '#shared/bridge/contract.ts'
import type { ScanCandidate, ScanOutcome } from '#shared/bridge/scan-views.ts'
import type {
  LocationView,
  ModificationChange,
  ModificationDraft,
  ModificationView,
} from '#shared/bridge/stock-views.ts'
import type { SessionView } from '#shared/bridge/views.ts'
import { type Command, digitOf } from '#shared/domain/commands.ts'
import { isNamed } from '#shared/domain/named-commands.ts'
import type { Failure } from '#shared/errors/catalogue.ts'
import type { Result } from '#shared/errors/result.ts'
import { wireRole } from '#shared/wire/roles.ts'
import type { Sound } from '#scanner/sound.ts'
import { Booked } from './booked.state.svelte.ts'
import { NumberEntry } from './number-entry.svelte.ts'
import { remarkOf } from './remark.ts'

export interface ModificationDeps {
  readonly bridge: ScandeskBridge
  readonly session: () => SessionView
  readonly play: (sound: Sound) => void
  /** Commands that lead out of the place, or belong to the app. */
  readonly onCommand: (command: Command) => void
  /** A command that a booking does not take: says where it works. */
  readonly onRefused: (command: Command) => void
  /** A scan that belongs on the stage: a shipment, a label, an earlier booking. */
  readonly onElsewhere: (outcome: ScanOutcome) => void
  /** A scan that stays here: for the list of last scans. */
  readonly onScanned: (outcome: ScanOutcome) => void
}

/** What the last act came to: shown in a place of its own, so that nothing moves. */
export type Echo = EchoOfAct & {
  /** Digits that were scanned before and not taken: something else came. */
  readonly lost?: string
}
type EchoOfAct =
  | { readonly kind: 'changed'; readonly change: ModificationChange | 'undo' | 'taken_back' }
  | { readonly kind: 'unknown'; readonly raw: string; readonly misread: boolean }
  | { readonly kind: 'badge'; readonly username: string }
  /** Digits that are scanned for a line: shown until they are taken. */
  | { readonly kind: 'number'; readonly digits: string; readonly name: string }
  | { readonly kind: 'number_waits'; readonly digits: string }
  | { readonly kind: 'number_none' }
  | { readonly kind: 'number_cleared' }
  | { readonly kind: 'failed'; readonly failure: Failure }

type Ambiguous = Extract<ScanOutcome, { kind: 'ambiguous' }>

/** How long typing in the note rests before it is kept. */
const noteRestMs = 300

const changeOfCommand: Partial<Record<Command, ModificationChange>> = {
  LOST: { kind: 'reason', reason: 'LOST' },
  DEFECTIVE: { kind: 'reason', reason: 'DEFECTIVE' },
  CORRECTION: { kind: 'reason', reason: 'CORRECTION' },
  PLUS: { kind: 'step', step: 1 },
  MINUS: { kind: 'step', step: -1 },
}
/** With digits waiting these are about them: a step back is taken where something was begun last. */
const clearing: readonly Command[] = ['CLEAR', 'UNDO', 'HOME']
/** Commands that mean something elsewhere only, and lead nowhere. */
const notHere: readonly Command[] = ['REPRINT', 'METHOD', 'ADDRESS', 'CANCEL']

/** The modification being put together, and those booked here. Every act is kept in main before it sounds. */
export class ModificationState {
  readonly #deps: ModificationDeps
  /** What was booked at this desk. */
  readonly booked: Booked
  #draft = $state.raw<ModificationDraft | null>(null)
  #loadFailure = $state.raw<Failure | null>(null)
  #locations = $state.raw<readonly LocationView[]>([])
  /** The booking made last, until the next one is begun. */
  #shownId = $state<string | null>(null)
  #echo = $state.raw<Echo | null>(null)
  #busy = $state(false)
  readonly #number = new NumberEntry()
  /** The article of the last act on a line: scanned digits are its pieces. */
  #lastVariantId: string | null = null
  #question = $state.raw<Ambiguous | null>(null)
  #typedNote = $state<string | null>(null)
  #noteTimer: ReturnType<typeof setTimeout> | undefined
  /** Acts run one after another, in the order in which they were asked for. */
  #tail: Promise<unknown> = Promise.resolve()

  constructor(deps: ModificationDeps) {
    this.#deps = deps
    this.booked = new Booked({ bridge: deps.bridge, play: deps.play })
  }

  get draft(): ModificationDraft | null {
    return this.#draft
  }
  /** Why the draft could not be read. */
  get loadFailure(): Failure | null {
    return this.#loadFailure
  }
  /** The location book, for choosing without a scanner. */
  get locations(): readonly LocationView[] {
    return this.#locations
  }
  get echo(): Echo | null {
    return this.#echo
  }
  /** A scan to which several things answer; the next scan takes its place. */
  get question(): Ambiguous | null {
    return this.#question
  }
  get busy(): boolean {
    return this.#busy
  }
  get note(): string {
    return this.#typedNote ?? this.#draft?.note ?? ''
  }
  get shown(): ModificationView | null {
    return this.#shownId === null ? null : this.booked.of(this.#shownId)
  }
  get loginEnded(): boolean {
    return this.#deps.session().state === 'expired'
  }
  get mayBook(): boolean {
    const { state, roles } = this.#deps.session()
    // without a login a booking queues; the service judges it once somebody is logged in again
    return state !== 'signed_in' || roles.includes(wireRole('MODIFICATIONS_CREATE'))
  }
  get canBook(): boolean {
    return this.mayBook && !this.#busy && this.#draft?.missing.length === 0
  }
  /** Whether something was put into the draft that leaving it would make easy to forget. */
  get begun(): boolean {
    const { lines = [], reason = null, location = null } = this.#draft ?? {}
    return lines.length > 0 || reason !== null || location !== null || this.note !== ''
  }

  /** Reads the draft and the last bookings; forgets what another operator or station left on the screen. */
  async load(): Promise<void> {
    const { modification, location } = this.#deps.bridge
    this.#shownId = null
    this.#echo = null
    this.#question = null
    this.#typedNote = null
    const [draft, locations] = await Promise.all([modification.draft(), location.list(), this.booked.load()])
    this.#draft = draft.ok ? draft.value : null
    this.#loadFailure = draft.ok ? null : draft.error
    if (locations.ok) this.#locations = locations.value
  }

  /** The book may have grown since: read again whenever the place opens. */
  async opened(): Promise<void> {
    const result = await this.#deps.bridge.location.list()
    if (result.ok) this.#locations = result.value
    if (!this.#draft) await this.load()
  }

  /** Puts in what stands on the stage: an article as a line, a location as the place. */
  async begin(outcome: ScanOutcome | null): Promise<void> {
    if (outcome?.kind === 'article') {
      const remark = remarkOf(outcome.variant, outcome.said)
      // what is being typed is older than this scan
      if (remark !== undefined) await this.keepNote()
      await this.change({
        kind: 'add',
        variantId: outcome.variant.id,
        ...(remark !== undefined && { remark }),
      })
    }
    if (outcome?.kind === 'location') await this.change({ kind: 'location', locationId: outcome.location.id })
  }

  /** A scan while this place is open. Resolves when it is kept and what it means is done. */
  async scan(raw: string): Promise<void> {
    const result = await this.#deps.bridge.scan.submit({ raw, expect: 'stock' })
    if (!result.ok) {
      this.#fail(result.error)
      return
    }
    const outcome = result.value
    if (outcome.kind === 'command') {
      if (!isNamed(outcome.command)) await this.#run(outcome.command)
      return
    }
    this.#question = null
    await this.#scanned(outcome)
  }

  /** The operator's word on the ambiguous scan; kept for the next scan of it. */
  async choose({ kind, subjectId }: ScanCandidate, forShape: boolean): Promise<void> {
    const question = this.#question
    if (!question) return
    this.#question = null
    const { scanId: id, expect } = question
    const result = await this.#deps.bridge.scan.choose({ id, expect, kind, subjectId, forShape })
    if (result.ok) await this.#scanned(result.value)
    else this.#fail(result.error)
  }

  async #scanned(outcome: ScanOutcome): Promise<void> {
    if (outcome.kind === 'article' || outcome.kind === 'location') {
      this.#deps.onScanned(outcome)
      await this.begin(outcome)
    } else if (outcome.kind === 'unknown') {
      this.#deps.onScanned(outcome)
      this.#say({ kind: 'unknown', raw: outcome.raw, misread: outcome.misread }, 'look')
    } else if (outcome.kind === 'ambiguous') {
      this.#deps.onScanned(outcome)
      this.#question = outcome
      this.#echo = null
      this.#deps.play('decide')
    } else if (outcome.kind === 'badge') {
      this.#deps.onScanned(outcome)
      this.#say({ kind: 'badge', username: outcome.username }, 'look')
    } else if (outcome.kind === 'failed') {
      this.#deps.onScanned(outcome)
      this.#say({ kind: 'failed', failure: outcome.failure }, 'look')
    } else {
      await this.keepNote()
      this.#deps.onElsewhere(outcome)
    }
  }

  async change(change: ModificationChange): Promise<void> {
    await this.#inTurn(async () => {
      this.#take(await this.#deps.bridge.modification.change(change), { kind: 'changed', change })
    })
  }

  async undo(): Promise<void> {
    await this.keepNote()
    await this.#inTurn(async () => {
      if (this.#draft?.canUndo !== true) this.#deps.play('look')
      else this.#take(await this.#deps.bridge.modification.undo(), { kind: 'changed', change: 'undo' })
    })
  }

  typeNote(text: string): void {
    this.#typedNote = text
    clearTimeout(this.#noteTimer)
    this.#noteTimer = setTimeout(() => void this.keepNote(), noteRestMs)
  }

  /** Keeps what was typed so far; silent, because nobody waits for a sound while typing. */
  async keepNote(): Promise<void> {
    clearTimeout(this.#noteTimer)
    const note = this.#typedNote
    if (note === null) return
    await this.#inTurn(async () => {
      const result = await this.#deps.bridge.modification.change({ kind: 'note', note })
      if (!result.ok) {
        this.#fail(result.error)
        return
      }
      this.#draft = result.value
      this.#shownId = null
      if (this.#typedNote === note) this.#typedNote = null
    })
  }

  /** Books what is complete; sounds when it is kept, whether or not the service can be reached. */
  async book(): Promise<void> {
    await this.keepNote()
    await this.#inTurn(async () => {
      if (!this.canBook) {
        this.#deps.play('look')
        return
      }
      this.#busy = true
      const result = await this.#deps.bridge.modification.book()
      this.#busy = false
      if (!result.ok) {
        this.#fail(result.error)
        return
      }
      const booking = result.value
      this.booked.add(booking)
      this.#shownId = booking.id
      this.#echo = null
      this.#number.take()
      this.#lastVariantId = null
      this.#deps.play('done')
      const draft = await this.#deps.bridge.modification.draft()
      if (draft.ok) this.#draft = draft.value
    })
  }

  /** What was refused or let rest becomes the draft again; undo brings what was in the draft. Answers whether it did. */
  async takeBack(id: string): Promise<boolean> {
    await this.keepNote()
    let taken = false
    await this.#inTurn(async () => {
      const result = await this.#deps.bridge.modification.takeBack({ id })
      taken = result.ok
      this.#take(result, { kind: 'changed', change: 'taken_back' })
    })
    return taken
  }

  /** Whether the large button takes this booking back: the service refused it. */
  isRefused(id: string): boolean {
    const booking = this.booked.of(id)
    return booking !== null && this.booked.phaseOf(booking) === 'rejected'
  }

  /** The large button: books, or takes what was refused back to be corrected. */
  async runPrimary(): Promise<void> {
    const { shown } = this
    if (shown && this.isRefused(shown.id)) await this.takeBack(shown.id)
    else await this.book()
  }

  async #run(command: Command): Promise<void> {
    const change = changeOfCommand[command]
    const digit = digitOf(command)
    const { pending } = this.#number
    if (digit !== null) this.#addDigit(digit)
    else if (command === 'ENTER' && pending) await this.#takeNumber()
    else if (pending && clearing.includes(command)) {
      this.#number.take()
      this.#say({ kind: 'number_cleared' }, 'done')
    } else if (pending && command === 'PRIMARY')
      this.#say({ kind: 'number_waits', digits: pending.digits }, 'look')
    else if (command === 'ENTER' || command === 'CLEAR') this.#say({ kind: 'number_none' }, 'look')
    else if (change) await this.change(change)
    else if (command === 'UNDO') await this.undo()
    else if (command === 'PRIMARY') await this.runPrimary()
    else if (notHere.includes(command)) this.#deps.onRefused(command)
    else {
      await this.keepNote()
      this.#deps.play('done')
      if (command !== 'BOOK') this.#deps.onCommand(command)
    }
  }

  #addDigit(digit: number): void {
    const line = this.#draft?.lines.find(({ variant }) => variant.id === this.#lastVariantId)
    if (!line) {
      this.#say({ kind: 'number_none' }, 'look')
      return
    }
    const hasRoom = this.#number.add(digit, line.variant.id)
    const digits = this.#number.pending?.digits ?? ''
    this.#say({ kind: 'number', digits, name: line.variant.name }, hasRoom ? 'done' : 'look')
  }

  /** The number becomes the line's pieces, in the direction of the step. */
  async #takeNumber(): Promise<void> {
    const taken = this.#number.take()
    if (!taken) return
    const quantity = (this.#draft?.step ?? 1) * Number(taken.digits)
    await this.change({ kind: 'quantity', variantId: taken.variantId, quantity })
  }

  #take(result: Result<ModificationDraft>, echo: Echo): void {
    if (!result.ok) {
      this.#fail(result.error)
      return
    }
    this.#draft = result.value
    this.#shownId = null
    if (echo.kind === 'changed' && typeof echo.change !== 'string' && 'variantId' in echo.change)
      this.#lastVariantId = echo.change.variantId
    this.#say(echo, 'done')
  }

  #fail(failure: Failure): void {
    this.#say({ kind: 'failed', failure }, 'stop')
  }

  #say(echo: Echo, sound: Sound): void {
    const isNumber = echo.kind === 'number' || echo.kind === 'number_waits'
    // what is no digit ends the number: it is said, and never becomes the pieces of something else
    const lost = isNumber ? undefined : this.#number.take()?.digits
    this.#echo = lost === undefined ? echo : { ...echo, lost }
    this.#deps.play(lost !== undefined && sound === 'done' ? 'look' : sound)
  }

  async #inTurn(act: () => Promise<void>): Promise<void> {
    const turn = this.#tail.then(act)
    this.#tail = turn.catch(() => undefined)
    await turn
  }
}
