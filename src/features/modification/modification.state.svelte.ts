import type { Place } from '#place/place.ts'
import type { Scan } from '#place/station-commands.svelte.ts'
import type { ScanCandidate, ScanOutcome } from '#shared/bridge/scan-views.ts'
import type {
  LocationView,
  ModificationChange,
  ModificationDraft,
  ModificationView,
} from '#shared/bridge/stock-views.ts'
import type { DeskStatus, SessionView } from '#shared/bridge/views.ts'
import { digitCommand } from '#shared/domain/commands.ts'
import type { Failure } from '#shared/errors/catalogue.ts'
import type { Result } from '#shared/errors/result.ts'
import { wireRole } from '#shared/wire/roles.ts'
import { Booked } from './booked.state.svelte.ts'
import { mayCorrect, remarkOf } from './booking-text.ts'
import { BookingEcho, type Echo } from './booking-echo.svelte.ts'
import { type BookingScanDeps, BookingScans } from './booking-scans.svelte.ts'

export interface ModificationDeps extends BookingScanDeps {
  readonly session: () => SessionView
}

/** How long typing in the note rests before it is kept. */
const noteRestMs = 300

/** The modification being put together, and those booked here. Every act is kept in main before it sounds. */
export class ModificationState implements Place {
  readonly #deps: ModificationDeps
  /** What was booked at this desk. */
  readonly booked: Booked
  readonly #echo: BookingEcho
  readonly #scans: BookingScans
  #draft = $state.raw<ModificationDraft | null>(null)
  #loadFailure = $state.raw<Failure | null>(null)
  #locations = $state.raw<readonly LocationView[]>([])
  /** The booking made last, until the next one is begun. */
  #shownId = $state<string | null>(null)
  #busy = $state(false)
  #typedNote = $state<string | null>(null)
  #noteTimer: ReturnType<typeof setTimeout> | undefined
  /** Acts run one after another, in the order in which they were asked for. */
  #tail: Promise<unknown> = Promise.resolve()

  constructor(deps: ModificationDeps) {
    this.#deps = deps
    this.booked = new Booked({ bridge: deps.bridge, play: deps.play })
    this.#echo = new BookingEcho(deps.play)
    this.#scans = new BookingScans(deps, this, this.#echo)
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
    return this.#echo.said
  }
  /** A scan to which several things answer; the next scan takes its place. */
  get scanQuestion(): BookingScans['question'] {
    return this.#scans.question
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
  get subjectId(): string | undefined {
    return this.shown?.id
  }
  get choicesAsked(): number {
    return this.scanQuestion.asked?.candidates.length ?? 0
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

  reset(): Promise<void> {
    return this.load()
  }

  onStatus(status: DeskStatus): void {
    this.booked.onStatus(status)
  }

  /** Reads the draft and the last bookings; forgets what another operator or station left on the screen. */
  async load(): Promise<void> {
    const { modification, location } = this.#deps.bridge
    this.#shownId = null
    this.#echo.silence()
    this.#scans.forget()
    this.#typedNote = null
    const [draft, locations] = await Promise.all([modification.draft(), location.list(), this.booked.load()])
    this.#draft = draft.ok ? draft.value : null
    this.#loadFailure = draft.ok ? null : draft.error
    if (locations.ok) this.#locations = locations.value
  }

  /** The book may have grown since: read again whenever the place opens. */
  async visit(): Promise<void> {
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
  async scan(scan: Scan): Promise<void> {
    await this.#scans.scan(scan)
  }

  /** The operator's word on the ambiguous scan; kept for the next scan of it. */
  async choose(candidate: ScanCandidate): Promise<void> {
    await this.#scans.choose(candidate)
  }

  /** A number was pressed that stands beside nothing. */
  refuseNumber(number: number): void {
    const command = digitCommand(number)
    if (command !== null) this.#deps.onRefused(command)
  }

  async change(change: ModificationChange): Promise<void> {
    await this.#inTurn(async () => {
      this.#take(await this.#deps.bridge.modification.change(change), change)
    })
  }

  async undo(): Promise<void> {
    await this.keepNote()
    await this.#inTurn(async () => {
      if (this.#draft?.canUndo !== true) this.#deps.play('look')
      else this.#take(await this.#deps.bridge.modification.undo(), 'undo')
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
        this.#echo.fail(result.error)
        return
      }
      this.#draft = result.value
      this.#shownId = null
      if (this.#typedNote === note) this.#typedNote = null
    })
  }

  /**
   * Books what is complete, with what was scanned before, however long that takes to look up. Sounds when it is kept,
   * whether or not the service can be reached.
   */
  async book(): Promise<void> {
    await this.#scans.settled()
    await this.#bookNow()
  }

  async #bookNow(): Promise<void> {
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
        this.#echo.fail(result.error)
        return
      }
      const booking = result.value
      this.booked.add(booking)
      this.#shownId = booking.id
      this.#echo.end()
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
      this.#take(result, 'taken_back')
    })
    return taken
  }

  /** Whether the large button takes this booking back: it was refused, or disapproved and not corrected since. */
  isRefused(id: string): boolean {
    const booking = this.booked.of(id)
    return booking !== null && mayCorrect(this.booked.phaseOf(booking), booking)
  }

  /** The large button: books, or takes what was refused or disapproved back to be corrected. */
  async primary(): Promise<void> {
    await this.#scans.settled()
    await this.primaryNow()
  }

  /** The same scanned as a command: its turn has come already. */
  async primaryNow(): Promise<void> {
    const { shown } = this
    if (shown && this.isRefused(shown.id)) await this.takeBack(shown.id)
    else await this.#bookNow()
  }

  #take(result: Result<ModificationDraft>, change: Parameters<BookingEcho['changed']>[0]): void {
    if (!result.ok) {
      this.#echo.fail(result.error)
      return
    }
    this.#draft = result.value
    this.#shownId = null
    this.#echo.changed(change)
  }

  async #inTurn(act: () => Promise<void>): Promise<void> {
    const turn = this.#tail.then(act)
    this.#tail = turn.catch(() => undefined)
    await turn
  }
}
