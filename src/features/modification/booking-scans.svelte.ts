import type { PlaceWindow } from '#place/place.ts'
import { repeatedReadMs } from '#place/repeated-reads.ts'
import { commandOf, type Scan } from '#place/station-commands.svelte.ts'
import { ScanQuestion } from '#place/scan-question.svelte.ts'
import type { ScandeskBridge } from '#shared/bridge/contract.ts'
import type { AmbiguousOutcome, ScanCandidate, ScanOutcome } from '#shared/bridge/scan-views.ts'
import type { ModificationChange, ModificationDraft } from '#shared/bridge/stock-views.ts'
import { type Command, digitOf, worksIn } from '#shared/domain/commands.ts'
import type { Sound } from '#scanner/sound.ts'
import type { BookingEcho } from './booking-echo.svelte.ts'
import type { DraftFields } from './draft-fields.svelte.ts'

export interface BookingScanDeps {
  readonly bridge: ScandeskBridge
  readonly stationId: PlaceWindow['stationId']
  readonly play: (sound: Sound) => void
  /** Returns the milliseconds of a monotonic clock. */
  readonly nowMs: () => number
  /** Handles a command that opens another place or belongs to the app. */
  readonly onCommand: (command: Command) => void
  /** Shows a notice that a booking does not accept this command, and in which place the command works. */
  readonly onRefused: (command: Command) => void
  /** Handles a scan whose card belongs on the stage: a shipment, a label, or a booking that was already made. */
  readonly onElsewhere: (outcome: ScanOutcome) => void
  /** Adds a scan that the booking handled to the list of last scans. */
  readonly onScanned: (outcome: ScanOutcome) => void
}

type StationId = ReturnType<PlaceWindow['stationId']>

/** What a scan or an answer did: it became a part of the draft, led to a card on the stage, or had no effect. */
type Effect = 'draft' | 'stage' | 'none'

/**
 * The parts of the booking that are used and changed by scans. `station` is the id of the station that the window
 * showed when the code was scanned.
 */
interface ScannedBooking {
  readonly draft: ModificationDraft | null
  /** Returns whether the outcome became a part of the draft. */
  readonly begin: (outcome: ScanOutcome, station: StationId) => Promise<boolean>
  readonly change: (change: ModificationChange, station: StationId) => Promise<unknown>
  readonly undo: (station: StationId) => Promise<void>
  readonly primaryNow: (station: StationId) => Promise<void>
  readonly keepNote: () => Promise<void>
  readonly saveInput: () => Promise<void>
  readonly fields: Pick<DraftFields, 'save' | 'clear'>
}

/** A scanned command with the facts at the time `begunMs`, when its scan began. */
interface CommandScan {
  readonly station: StationId
  readonly begunMs: number
  /** The promise in `#answer` at the time at which the scan began. */
  readonly isAnswered: Promise<boolean>
  /** Whether all typed numbers of pieces were saved. */
  readonly isSaved: boolean
}

const changeOfCommand: Partial<Record<Command, ModificationChange>> = {
  LOST: { kind: 'reason', reason: 'LOST' },
  DEFECTIVE: { kind: 'reason', reason: 'DEFECTIVE' },
  CORRECTION: { kind: 'reason', reason: 'CORRECTION' },
  PLUS: { kind: 'step', step: 1 },
  MINUS: { kind: 'step', step: -1 },
}
/**
 * Commands that delete scanned digits which are not yet saved as a number of pieces. If there are no such digits, the
 * commands have their usual effect.
 */
const clearing: readonly Command[] = ['CLEAR', 'UNDO', 'HOME']

/** Handles each scan during a booking. Asks the operator if a code has several meanings. */
export class BookingScans {
  readonly #deps: BookingScanDeps
  readonly #booking: ScannedBooking
  readonly #echo: BookingEcho
  /** The question about a scan with several meanings. The next scan that is not a command closes the question. */
  readonly question: ScanQuestion
  /** Resolves when the last scan was handled; never rejects. */
  #last: Promise<unknown> = Promise.resolve()
  /**
   * Resolves when the answer that is being handled now is done; never rejects. The result is false if the answer
   * changed nothing in the draft. The result is true if the answer changed the draft, or if no answer is being handled.
   */
  #answer: Promise<boolean> = Promise.resolve(true)
  /** Time at which the last answer had no effect; no time if another scan or an answer with an effect followed. */
  #lostMs = Number.NEGATIVE_INFINITY

  constructor(deps: BookingScanDeps, booking: ScannedBooking, echo: BookingEcho) {
    this.#deps = deps
    this.#booking = booking
    this.#echo = echo
    this.question = new ScanQuestion(deps.bridge)
  }

  forget(): void {
    this.question.ask(null)
    this.#lostMs = Number.NEGATIVE_INFINITY
  }

  /** Closes the open question without an answer and shows a notice about this. Returns false if no question is open. */
  closeQuestion(): boolean {
    if (this.question.asked === null) return false
    this.forget()
    this.#echo.say({ kind: 'question_closed' }, 'done')
    return true
  }

  /**
   * Handles a scan while the booking is open. Resolves when the scan is saved and its effect on the booking is done.
   */
  async scan(scan: Scan): Promise<void> {
    const work = this.#scan(scan)
    this.#last = work.catch(() => undefined)
    await work
  }

  /**
   * Resolves when no scan and no answer is being looked up and no scan waits in the queue of scans. Returns false if an
   * answer for which it waited changed nothing in the draft; the operator must see the reason before a booking.
   */
  async settled(): Promise<boolean> {
    let isAnswered = true
    for (let seen: Promise<unknown> | null = null; seen !== this.#last;) {
      seen = this.#last
      const [, isTaken] = await Promise.all([seen, this.#answer])
      isAnswered &&= isTaken
      // a timer of 0 ms lets the queue of scans deliver its next scan; the loop then waits for that scan too
      await new Promise((resolve) => setTimeout(resolve))
    }
    return isAnswered
  }

  async #scan(scan: Scan): Promise<void> {
    const command = commandOf(scan)
    const station = this.#deps.stationId()
    const begunMs = this.#deps.nowMs()
    // a clicked answer is not in the queue of scans, so the promise of the answer is kept here
    const isAnswered = this.#answer
    // a new scan closes the open question, unless the scan is a command, which may be the answer to the question
    if (command === null) this.forget()
    // a scan does not take the focus from a field, so the field does not save its text itself
    const isSaved = command === null || command === 'CLEAR' || this.#booking.fields.save()
    const result = await this.#deps.bridge.scan.submit({ raw: scan.raw, expect: 'stock' }, station)
    if (!result.ok) this.#echo.fail(result.error)
    else if (command !== null)
      await this.#run(command, { station, begunMs, isAnswered, isSaved: await isSaved })
    else {
      this.question.ask(null)
      await this.#scanned(result.value, station)
    }
  }

  /**
   * Sends the operator's choice for the ambiguous scan to main, which also uses it for later scans of the code. Returns
   * whether the choice became a part of the draft.
   */
  async choose(candidate: ScanCandidate): Promise<boolean> {
    const { asked, busy } = this.question
    if (!asked || busy) return this.#answer
    const work = this.#choose(asked, candidate)
    const answer = work.then(
      (effect) => effect === 'draft',
      () => false,
    )
    this.#answer = answer
    try {
      const effect = await work
      this.#lostMs = effect === 'none' ? this.#deps.nowMs() : Number.NEGATIVE_INFINITY
      return effect === 'draft'
    } finally {
      // resets `#answer`, because an act that follows later does not depend on this answer
      if (this.#answer === answer) this.#answer = Promise.resolve(true)
    }
  }

  async #choose(asked: AmbiguousOutcome, candidate: ScanCandidate): Promise<Effect> {
    const station = this.#deps.stationId()
    const call = this.question.choose(asked, candidate)
    this.question.ask(null)
    const result = await call
    if (result.ok) return this.#scanned(result.value, station)
    this.#echo.fail(result.error)
    return 'none'
  }

  async #scanned(outcome: ScanOutcome, station: StationId): Promise<Effect> {
    const echo = this.#echo
    // the window must not show at another station what was scanned at this one
    const isShown = station === this.#deps.stationId()
    if (outcome.kind === 'article' || outcome.kind === 'location') {
      if (isShown) this.#deps.onScanned(outcome)
      return (await this.#booking.begin(outcome, station)) ? 'draft' : 'none'
    }
    if (!isShown) return 'none'
    if (outcome.kind === 'unknown') {
      this.#deps.onScanned(outcome)
      const { raw, misread, askedService } = outcome
      echo.say({ kind: 'unknown', raw, misread, askedService }, 'look')
    } else if (outcome.kind === 'ambiguous') {
      this.#deps.onScanned(outcome)
      // The question about the scan removes the fields of the lines, and a removed field forgets a text typed directly
      // before the scan. The typed texts are therefore saved first.
      if (!(await this.#booking.fields.save())) return 'none'
      if (station !== this.#deps.stationId()) return 'none'
      this.question.ask(outcome)
      echo.silence()
      this.#deps.play('decide')
    } else if (outcome.kind === 'badge') {
      this.#deps.onScanned(outcome)
      echo.say({ kind: 'badge', username: outcome.username }, 'look')
    } else if (outcome.kind === 'failed') {
      this.#deps.onScanned(outcome)
      echo.say({ kind: 'failed', failure: outcome.failure }, 'look')
    } else {
      await this.#booking.saveInput()
      this.#deps.onElsewhere(outcome)
      return 'stage'
    }
    return 'none'
  }

  async #run(command: Command, { station, begunMs, isAnswered, isSaved }: CommandScan): Promise<void> {
    const change = changeOfCommand[command]
    const digit = digitOf(command)
    const echo = this.#echo
    const { pending } = echo
    const meant = this.question.pointedAt(command)
    // while a question is open, a digit is an answer and not a number of pieces
    if (meant) await this.choose(meant)
    else if (digit !== null && this.question.asked) this.#deps.onRefused(command)
    else if (digit !== null) echo.addDigit(digit, this.#booking.draft?.lines ?? [])
    else if (command === 'CLEAR' && this.question.asked) this.closeQuestion()
    else if (command === 'ENTER' && pending) await this.#takeNumber(station)
    else if (pending && clearing.includes(command)) {
      echo.takeNumber()
      echo.say({ kind: 'number_cleared' }, 'done')
    } else if (pending && command === 'PRIMARY')
      echo.say({ kind: 'number_waits', digits: pending.digits }, 'look')
    else if (command === 'CLEAR' && this.#booking.fields.clear()) echo.say({ kind: 'typed_cleared' }, 'done')
    else if (command === 'ENTER' || command === 'CLEAR') echo.say({ kind: 'number_none' }, 'look')
    else if (change) await this.#booking.change(change, station)
    else if (command === 'UNDO') {
      // without this check, UNDO would undo the act before the typing if the typed number was not saved
      if (isSaved) await this.#booking.undo(station)
    } else if (command === 'PRIMARY' && begunMs - this.#lostMs < repeatedReadMs) {
      // the operator scanned PRIMARY directly after an answer and had not seen yet that the answer failed, so PRIMARY
      // books nothing
      this.#deps.play('look')
    } else if (command === 'PRIMARY') {
      // waits for both answers: the operator may have clicked one before the scan of PRIMARY, and one while this scan
      // was being saved
      const answers = await Promise.all([isAnswered, this.#answer])
      if (!answers.includes(false) && isSaved) await this.#booking.primaryNow(station)
    } else if (worksIn(command, 'card', 'label')) this.#deps.onRefused(command)
    else {
      await this.#booking.keepNote()
      this.#deps.play('done')
      if (command !== 'BOOK') this.#deps.onCommand(command)
    }
  }

  /**
   * Sets the number of pieces of the line to the scanned number. If the booking removes pieces, the number is negative.
   */
  async #takeNumber(station: StationId): Promise<void> {
    const taken = this.#echo.takeNumber()
    if (!taken) return
    const quantity = (this.#booking.draft?.step ?? 1) * Number(taken.digits)
    await this.#booking.change({ kind: 'quantity', variantId: taken.variantId, quantity }, station)
  }
}
