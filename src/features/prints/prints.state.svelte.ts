import { ViewReader } from '#place/view-reader.svelte.ts'
import type { ScandeskBridge } from '#shared/bridge/contract.ts'
import type { PrintDecision, PrinterView, PrintLine, PrintsView } from '#shared/bridge/print-views.ts'
import type { Command } from '#shared/domain/commands.ts'
import type { PrintPlacement, ReprintReason } from '#shared/domain/print-hold.ts'
import type { PrintChoice } from '#shared/domain/print-rules.ts'
import { reprintReasonOf } from '#shared/domain/reprint-commands.ts'
import type { Failure } from '#shared/errors/catalogue.ts'
import type { Sound } from '#scanner/sound.ts'
import { outcomeOfFailure } from '#ui/failure-text.ts'
import { PreviewReader } from './preview-reader.svelte.ts'
import { asksOperator, type PrintGroup, printGroups } from './print-items.ts'

export interface PrintsDeps {
  readonly bridge: ScandeskBridge
  readonly play: (sound: Sound) => void
  /** Shows the label that the job is a paper of. */
  readonly onLabel: (labelId: string) => void
  readonly nowMs?: () => number
}

/** A second reading of the barcode that opened an entry comes sooner than anybody has read the question. */
const soonestAnswerMs = 800

/** What is asked of the operator about the entry that is open. */
export type PrintStep = 'choose' | 'again' | 'anyway' | 'move' | 'give_up'

/** Which choice a step is part of. */
const choiceOfStep: Record<Exclude<PrintStep, 'choose'>, PrintChoice> = {
  again: 'print_again',
  anyway: 'print_anyway',
  move: 'move',
  give_up: 'give_up',
}

/** Decisions after which the entry stays open, to be watched. */
const watched: readonly PrintDecision['kind'][] = ['place', 'retry']

const untouched: PrintPlacement = { turn: 'auto', crop: 'auto' }

/** The paper of this desk, the job that is open, and what the operator decides about it. */
export class PrintsState {
  readonly #deps: PrintsDeps
  readonly #reader: ViewReader<PrintsView>
  readonly paper: PreviewReader
  #groups: readonly PrintGroup[] = $derived.by(() => (this.view ? printGroups(this.view) : []))
  /** Why the operator's word could not be taken. */
  #failure = $state.raw<Failure | null>(null)
  #openId = $state<string | null>(null)
  /** The open job as it was last seen: it may have left the list since. */
  #seen = $state.raw<PrintLine | null>(null)
  #cursorId = $state<string | null>(null)
  #step = $state<PrintStep>('choose')
  #echo = $state<PrintDecision['kind'] | null>(null)
  #busy = $state(false)
  /** When a scanned decision opened the entry that is open, else null. */
  #openedByScanAt: number | null = null

  constructor(deps: PrintsDeps) {
    this.#deps = deps
    this.paper = new PreviewReader(deps.bridge)
    this.#reader = new ViewReader(
      () => deps.bridge.print.list(),
      (before) => {
        this.#follow(before)
      },
    )
  }

  /** Null until the first answer. */
  get view(): PrintsView | null {
    return this.#reader.view
  }
  get groups(): readonly PrintGroup[] {
    return this.#groups
  }
  /** Why the operator's word could not be taken, or else why the list could not be read. */
  get failure(): Failure | null {
    return this.#failure ?? this.#reader.failure
  }
  get busy(): boolean {
    return this.#busy
  }
  get step(): PrintStep {
    return this.#step
  }
  /** What the last decision came to, until the next entry is opened. */
  get echo(): PrintDecision['kind'] | null {
    return this.#echo
  }
  /** Where the cursor is in the list; an entry that left hands it on. */
  get cursorId(): string | null {
    return this.#cursorId
  }
  /** The job that is open, as it is now or as it was last. */
  get opened(): PrintLine | null {
    return this.#openId === null ? null : this.#seen
  }
  /** Whether the open job left the list by itself. */
  get gone(): boolean {
    return this.#openId !== null && this.#find(this.#openId) === null
  }
  /** The job that is open and still listed. */
  get line(): PrintLine | null {
    return this.gone ? null : this.opened
  }
  /** A question has no large button: Enter must not answer it. */
  get mayRetryByEnter(): boolean {
    return this.#step === 'choose' && this.offers('retry')
  }
  /** A file is its document, whole: it is turned, and nothing is cut out of it. */
  get mayCut(): boolean {
    const printer = this.view?.printers.find(({ name }) => name === this.line?.printer)
    return this.offers('place') && (printer?.folder ?? null) === null
  }
  /** Printers that the open job could go to instead. */
  get others(): readonly PrinterView[] {
    return this.view?.printers.filter(({ name }) => name !== this.line?.printer) ?? []
  }
  /** What becomes of the open job where it is now. */
  get printer(): PrinterView | null {
    return this.view?.printers.find(({ name }) => name === this.opened?.printer) ?? null
  }

  offers(choice: PrintChoice): boolean {
    return this.line?.choices.includes(choice) === true
  }

  /** Reads the list; calls while it is being read lead to one more reading. */
  load(): Promise<void> {
    return this.#reader.load()
  }

  /** Another operator or station: what this one looked at is not the next one's. */
  reset(): void {
    this.#reader.reset()
    this.#failure = null
    this.#echo = null
    this.#cursorId = null
    this.close()
  }

  /** Opens a job; one that is not listed any more leaves the list as it is. */
  open(jobId: string): void {
    const found = this.#find(jobId)
    this.#openId = found && jobId
    this.#openedByScanAt = null
    this.#seen = found
    this.#cursorId = found ? jobId : this.#cursorId
    this.#step = 'choose'
    this.#failure = null
    this.#echo = null
    void this.paper.show(found)
  }

  /** Opens the job that asks about a label; where none does, the list stays as it is. */
  openAsked(labelId: string): void {
    const asked = this.#lines.find((line) => line.labelId === labelId && asksOperator(line))
    if (asked) this.open(asked.jobId)
  }

  /** Back to the list. */
  close(): void {
    this.#openId = null
    this.#seen = null
    this.#step = 'choose'
    void this.paper.show(null)
  }

  /** The cursor went to an entry of the list. */
  point(jobId: string): void {
    this.#cursorId = jobId
  }

  /** One step back, as Escape takes it; answers whether there was one. */
  back(): boolean {
    if (this.#step !== 'choose') this.#step = 'choose'
    else if (this.#openId !== null) this.close()
    else return false
    return true
  }

  /** Asks for what a decision needs: a reason, or a printer. */
  ask(step: Exclude<PrintStep, 'choose'>): void {
    if (!this.offers(choiceOfStep[step])) return
    this.#failure = null
    this.#step = step
  }

  /** A quarter more, from how it was laid last, or from how the page that is shown came to lie by itself. */
  async turn(): Promise<void> {
    const { turn, crop } = this.line?.placement ?? untouched
    const from = turn === 'auto' ? (this.paper.shown?.laid?.turn ?? 0) : turn
    const next = { 0: 90, 90: 180, 180: 270, 270: 0 } as const
    await this.decide({ kind: 'place', placement: { turn: next[from], crop } })
  }

  async cut(crop: PrintPlacement['crop']): Promise<void> {
    const { turn } = this.line?.placement ?? untouched
    await this.decide({ kind: 'place', placement: { turn, crop } })
  }

  async again(reason: ReprintReason): Promise<void> {
    await this.decide({ kind: 'print_again', reason })
  }

  /** Says what to do with the job as it was shown; one that moved on since is shown anew, and nothing is decided. */
  async decide(decision: PrintDecision): Promise<void> {
    const { line } = this
    if (!line || this.#busy || !this.offers(decision.kind)) return
    const { jobId, version } = line
    this.#busy = true
    this.#failure = null
    const result = await this.#reader.ask(() => this.#deps.bridge.print.decide({ jobId, version, decision }))
    this.#busy = false
    this.#step = 'choose'
    if (!result.ok) {
      this.#failure = result.error
      this.#deps.play(outcomeOfFailure(result.error))
      if (result.error.code === 'queue.moved_on') await this.load()
      return
    }
    this.#deps.play('done')
    this.#echo = decision.kind
    if (watched.includes(decision.kind)) return
    this.close()
    this.#cursorId = this.#lines[0]?.jobId ?? null
  }

  showLabel(): void {
    const { opened } = this
    if (opened) this.#deps.onLabel(opened.labelId)
  }

  /** What a scanned command means for the open job; returns whether it means anything. */
  run(command: Command): boolean {
    if (this.#openId === null && this.#openFor(command)) return true
    if (this.#isReadTwice && (command === 'YES' || command === 'NO' || command === 'PRINTNOW')) return true
    const isUnknown = this.line?.state === 'unknown'
    const reason = reprintReasonOf(command)
    if (command === 'YES' && this.offers('came_out')) void this.decide({ kind: 'came_out' })
    else if (command === 'NO' && isUnknown) void this.again('not_out')
    else if (command === 'REPRINT' && !isUnknown && this.offers('print_again')) this.#askAgain()
    else if (reason && this.#step === 'again') void this.again(reason)
    else if (command === 'NEXT') return this.#openNext()
    else if (command === 'PRINTNOW' && this.mayRetryByEnter) void this.decide({ kind: 'retry' })
    else if (command === 'HOME') return this.back()
    else return false
    return true
  }

  get #isReadTwice(): boolean {
    return this.#openedByScanAt !== null && this.#nowMs() - this.#openedByScanAt < soonestAnswerMs
  }

  #nowMs(): number {
    return (this.#deps.nowMs ?? Date.now)()
  }

  /**
   * A decision that is scanned in the list opens what it may be about, the entry with the cursor before others, and
   * decides nothing: the operator has not seen yet which label is asked about. Returns whether there is such an entry.
   */
  #openFor(command: Command): boolean {
    const isMeant = ({ state, choices, hold }: PrintLine): boolean => {
      if (command === 'PRINTNOW') return choices.includes('retry') && hold === null
      return (command === 'YES' || command === 'NO') && state === 'unknown'
    }
    const meant = this.#lines.filter(isMeant)
    const line = meant.find(({ jobId }) => jobId === this.#cursorId) ?? meant[0]
    if (!line) return false
    this.open(line.jobId)
    this.#openedByScanAt = this.#nowMs()
    this.#deps.play('decide')
    return true
  }

  async primary(): Promise<void> {
    if (this.mayRetryByEnter) await this.decide({ kind: 'retry' })
    else this.#deps.play('look')
  }

  get #lines(): readonly PrintLine[] {
    return this.#groups.flatMap(({ items }) => items)
  }

  #find(jobId: string): PrintLine | null {
    return this.#lines.find((line) => line.jobId === jobId) ?? null
  }

  /** The entry after the open one, or the one that the cursor is on; after the last comes the first. */
  #openNext(): boolean {
    const lines = this.#lines
    const at = lines.findIndex(({ jobId }) => jobId === (this.#openId ?? this.#cursorId))
    const next = this.#openId === null && at >= 0 ? lines[at] : (lines[at + 1] ?? lines[0])
    if (this.#step !== 'choose' || !next) return false
    this.open(next.jobId)
    return true
  }

  /** By command it only asks: a scanner that reads twice must not print. */
  #askAgain(): void {
    this.ask('again')
    this.#deps.play('decide')
  }

  /** Another view is here: the cursor and the open entry go with their jobs. */
  #follow(view: PrintsView | null): void {
    const before = view ? printGroups(view).flatMap(({ items }) => items) : []
    const now = this.#lines
    const wasAt = before.findIndex(({ jobId }) => jobId === this.#cursorId)
    if (this.#cursorId !== null && this.#find(this.#cursorId) === null)
      this.#cursorId = now[Math.min(Math.max(wasAt, 0), now.length - 1)]?.jobId ?? null
    if (this.#openId === null) return
    const found = this.#find(this.#openId)
    if (found) {
      this.#seen = found
      void this.paper.show(found)
    }
    const { step } = this
    if (step !== 'choose' && (!found || !this.offers(choiceOfStep[step]))) this.#step = 'choose'
  }
}
