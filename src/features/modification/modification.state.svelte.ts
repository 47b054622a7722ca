import type { Place, PlaceWindow } from '#place/place.ts'
import type { Scan } from '#place/station-commands.svelte.ts'
import { readLocations } from '#place/location-book.ts'
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
import { DraftFields } from './draft-fields.svelte.ts'

export interface ModificationDeps extends BookingScanDeps {
  readonly session: () => SessionView
}

type StationId = ReturnType<PlaceWindow['stationId']>

/** The note is saved after a pause in typing of this length, in milliseconds. */
const noteRestMs = 300

/**
 * The draft of a modification, and the modifications booked at this desk. Main saves every act before the desk plays
 * the sound for it.
 */
export class ModificationState implements Place {
  readonly #deps: ModificationDeps
  /** The modifications booked at this desk. */
  readonly booked: Booked
  /** The fields of the draft whose texts are not saved yet. The note is not one of them. */
  readonly fields: DraftFields
  readonly #echo: BookingEcho
  readonly #scans: BookingScans
  #draft = $state.raw<ModificationDraft | null>(null)
  #loadFailure = $state.raw<Failure | null>(null)
  #locations = $state.raw<readonly LocationView[]>([])
  /** The id of the last booking, until the operator begins another. */
  #shownId = $state<string | null>(null)
  #busy = $state(false)
  #typedNote = $state<string | null>(null)
  /** Id of the station at which the note was typed. */
  #noteStation: StationId
  #noteTimer: ReturnType<typeof setTimeout> | undefined
  /** Resolves after the last act. Acts run one after another, in the order of their calls. */
  #tail: Promise<unknown> = Promise.resolve()

  constructor(deps: ModificationDeps) {
    this.#deps = deps
    this.booked = new Booked({ bridge: deps.bridge, play: deps.play })
    this.#echo = new BookingEcho(deps.play)
    this.fields = new DraftFields({
      draft: () => this.#draft,
      stationId: deps.stationId,
      change: (change, station) => this.change(change, station),
      save: (changeOf, station, onSaved) => this.#save(changeOf, station, onSaved),
      onWaits: (waiting) => {
        this.#echo.say({ kind: 'typed_waits', ...waiting }, 'look')
      },
    })
    this.#scans = new BookingScans(deps, this, this.#echo)
  }

  get draft(): ModificationDraft | null {
    return this.#draft
  }
  /** Why the draft could not be read. */
  get loadFailure(): Failure | null {
    return this.#loadFailure
  }
  /** The locations that the desk has stored. An operator without a scanner chooses one of them. */
  get locations(): readonly LocationView[] {
    return this.#locations
  }
  get echo(): Echo | null {
    return this.#echo.said
  }
  /** The question about a scan with several meanings. The next scan that is not a command closes the question. */
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
    // without a login the role counts as present: the booking waits in the queue, and the service checks the role after
    // the next login
    return state !== 'signed_in' || roles.includes(wireRole('MODIFICATIONS_CREATE'))
  }
  /**
   * Whether the draft can be booked now. While a question is open, the draft cannot be booked, because the answer may
   * become a part of the draft.
   */
  get canBook(): boolean {
    return this.mayBook && !this.#busy && this.choicesAsked === 0 && this.#draft?.missing.length === 0
  }
  /** Whether the draft has any content. If so, other places remind the operator of it. */
  get begun(): boolean {
    const { lines = [], reason = null, location = null } = this.#draft ?? {}
    return lines.length > 0 || reason !== null || location !== null || this.note !== ''
  }

  async saveInput(): Promise<void> {
    await Promise.all([this.keepNote(), this.fields.save()])
  }

  reset(): Promise<void> {
    return this.load()
  }

  /**
   * Handles Escape: closes the question about a scan without an answer. If there is no question, drops the typed texts,
   * because they prevent the booking and the notice about them names Escape. A text field handles Escape itself, but
   * only while it has the focus, and Enter removes the focus from the field.
   */
  back(): boolean {
    if (this.#scans.closeQuestion()) return true
    if (!this.fields.clear()) return false
    this.#echo.say({ kind: 'typed_cleared' }, 'done')
    return true
  }

  onStatus(status: DeskStatus): void {
    this.booked.onStatus(status)
  }

  /** Reads the draft and the last bookings. Forgets the data of the previous operator or station. */
  async load(): Promise<void> {
    const { modification, location } = this.#deps.bridge
    this.#shownId = null
    this.#echo.silence()
    this.#scans.forget()
    this.#typedNote = null
    this.fields.clear()
    const [draft, locations] = await Promise.all([
      modification.draft(),
      readLocations(location),
      this.booked.load(),
    ])
    this.#draft = draft.ok ? draft.value : null
    this.#loadFailure = draft.ok ? null : draft.error
    if (locations.ok) this.#locations = locations.value
  }

  /** Reads the book of locations at every visit, because scans and imports may have added locations. */
  async visit(): Promise<void> {
    const result = await readLocations(this.#deps.bridge.location)
    if (result.ok) this.#locations = result.value
    if (!this.#draft) await this.load()
  }

  /**
   * Adds the subject of the stage's card to the draft: an article becomes a line, and a location becomes the location
   * of the booking. Returns whether the addition was saved.
   */
  async begin(outcome: ScanOutcome | null, station = this.#deps.stationId()): Promise<boolean> {
    if (outcome?.kind === 'article') {
      const remark = remarkOf(outcome.variant, outcome.said)
      // the note in `remark` is added to the typed note, so the typed note is saved first
      if (remark !== undefined) await this.keepNote()
      const { id: variantId } = outcome.variant
      // Saves the typed number before the piece is added to it. A number that is saved later would replace the piece.
      if (!(await this.fields.save(variantId))) return false
      return this.change({ kind: 'add', variantId, ...(remark !== undefined && { remark }) }, station)
    }
    if (outcome?.kind !== 'location') return false
    return this.change({ kind: 'location', locationId: outcome.location.id }, station)
  }

  /**
   * Handles a scan while the booking is open. Resolves when the scan is saved and its effect on the booking is done.
   */
  async scan(scan: Scan): Promise<void> {
    await this.#scans.scan(scan)
  }

  /** Sends the operator's choice for the ambiguous scan to main, which also uses it for later scans of the code. */
  async choose(candidate: ScanCandidate): Promise<void> {
    await this.#scans.choose(candidate)
  }

  /** Shows a notice that none of the choices on the screen has the scanned number. */
  refuseNumber(number: number): void {
    const command = digitCommand(number)
    if (command !== null) this.#deps.onRefused(command)
  }

  /**
   * Changes the draft of a station; by default, of the station that the window shows at the time of the call. Returns
   * whether the change was saved.
   */
  async change(change: ModificationChange, station = this.#deps.stationId()): Promise<boolean> {
    let isSaved = false
    await this.#inTurn(async () => {
      const result = await this.#deps.bridge.modification.change(change, station)
      isSaved = result.ok
      this.#take(result, change)
    })
    return isSaved
  }

  /**
   * Adds pieces to the line of an article, or removes some if `pieces` is negative. Counts from the quantity that the
   * line has after the number typed into it and all earlier acts were saved.
   */
  async addPieces(variantId: string, pieces: number): Promise<void> {
    const station = this.#deps.stationId()
    if (!(await this.fields.save(variantId))) return
    await this.#inTurn(async () => {
      const line = this.#draft?.lines.find(({ variant }) => variant.id === variantId)
      if (!line) {
        this.#deps.play('look')
        return
      }
      const change = { kind: 'quantity', variantId, quantity: line.quantity + pieces } as const
      this.#take(await this.#deps.bridge.modification.change(change, station), change)
    })
  }

  async undo(station = this.#deps.stationId()): Promise<void> {
    await this.keepNote()
    await this.#inTurn(async () => {
      if (this.#draft?.canUndo !== true) this.#deps.play('look')
      else this.#take(await this.#deps.bridge.modification.undo(undefined, station), 'undo')
    })
  }

  typeNote(text: string): void {
    this.#typedNote = text
    this.#noteStation = this.#deps.stationId()
    clearTimeout(this.#noteTimer)
    this.#noteTimer = setTimeout(() => void this.keepNote(), noteRestMs)
  }

  /**
   * Saves the typed note at the station at which it was typed. Plays no sound, because operators do not expect a sound
   * while they type.
   */
  async keepNote(): Promise<void> {
    clearTimeout(this.#noteTimer)
    const note = this.#typedNote
    const station = this.#noteStation
    if (note === null) return
    await this.#save(
      () => ({ kind: 'note', note }),
      station,
      () => {
        if (this.#typedNote === note) this.#typedNote = null
      },
    )
  }

  /**
   * Waits for all earlier acts, then makes the change that `changeOf` returns, without a sound. If the change cannot be
   * saved, shows the reason and returns false.
   */
  async #save(
    changeOf: () => ModificationChange | null,
    station: StationId,
    onSaved: () => void,
  ): Promise<boolean> {
    let isSaved = true
    await this.#inTurn(async () => {
      const change = changeOf()
      if (change === null) return
      const result = await this.#deps.bridge.modification.change(change, station)
      isSaved = result.ok
      if (!result.ok) {
        this.#echo.fail(result.error)
        return
      }
      this.#show(result.value)
      onSaved()
    })
    return isSaved
  }

  /**
   * Saves the typed numbers, and books the complete draft after all earlier scans were looked up. Plays a sound when
   * the booking is saved, also while the service cannot be reached.
   */
  async book(): Promise<void> {
    const station = this.#deps.stationId()
    const isSaved = this.fields.save()
    const isAnswered = await this.#scans.settled()
    if ((await isSaved) && isAnswered) await this.#bookNow(station)
  }

  async #bookNow(station: StationId): Promise<void> {
    await this.keepNote()
    await this.#inTurn(async () => {
      const { waiting } = this.fields
      // the field shows a typed value that is not saved, and the booking would use the saved value instead, so nothing
      // is booked
      if (waiting) {
        this.#echo.say({ kind: 'typed_waits', ...waiting }, 'look')
        return
      }
      if (!this.canBook) {
        this.#deps.play('look')
        return
      }
      this.#busy = true
      const result = await this.#deps.bridge.modification.book(undefined, station)
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
      const draft = await this.#deps.bridge.modification.draft(undefined, station)
      if (draft.ok) this.#show(draft.value, booking.id)
    })
  }

  /**
   * Turns a refused, disapproved or discarded booking back into the draft. Undo restores the previous draft. Returns
   * whether the booking became the draft.
   */
  async takeBack(id: string, station = this.#deps.stationId()): Promise<boolean> {
    await this.keepNote()
    let taken = false
    await this.#inTurn(async () => {
      const result = await this.#deps.bridge.modification.takeBack({ id }, station)
      taken = result.ok
      // closes the question about a scan: on the stage it is not shown, and its answer would be added to the booking
      // that is the draft now
      if (taken) this.#scans.forget()
      this.#take(result, 'taken_back')
    })
    return taken
  }

  /**
   * Whether the large button turns this booking back into the draft: the service refused it, or the warehouse
   * disapproved it and no later booking corrects it.
   */
  isRefused(id: string): boolean {
    const booking = this.booked.of(id)
    return booking !== null && mayCorrect(this.booked.phaseOf(booking), booking)
  }

  /** Does the action of the large button: books, or turns a refused or disapproved booking back into the draft. */
  async primary(): Promise<void> {
    const station = this.#deps.stationId()
    const isSaved = this.fields.save()
    const isAnswered = await this.#scans.settled()
    if ((await isSaved) && isAnswered) await this.primaryNow(station)
  }

  /**
   * Does the action of the large button now. Before the call, all earlier scans must have been handled and the typed
   * numbers saved. For a scanned command this is always so.
   */
  async primaryNow(station = this.#deps.stationId()): Promise<void> {
    const { shown } = this
    // while a question about a scan is open, nothing is booked and no booking becomes the draft, because the answer
    // belongs to the draft that the operator sees
    if (this.choicesAsked > 0) this.#deps.play('look')
    else if (shown && this.isRefused(shown.id)) await this.takeBack(shown.id, station)
    else await this.#bookNow(station)
  }

  #take(result: Result<ModificationDraft>, change: Parameters<BookingEcho['changed']>[0]): void {
    if (!result.ok) {
      this.#echo.fail(result.error)
      return
    }
    this.#show(result.value)
    this.fields.replacedBy(change)
    this.#echo.changed(change)
  }

  /** Shows a draft that main saved, and the booking with the id `shownId` if there is one. */
  #show(draft: ModificationDraft, shownId: string | null = null): void {
    const before = this.#draft
    this.#draft = draft
    this.#shownId = shownId
    this.fields.shown(before, draft)
  }

  async #inTurn(act: () => Promise<void>): Promise<void> {
    const turn = this.#tail.then(act)
    this.#tail = turn.catch(() => undefined)
    await turn
  }
}
