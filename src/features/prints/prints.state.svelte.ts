import type { LabelId } from '#shared/domain/ids.ts'
import { ListPlace, type ListGroup } from '#place/list-place.svelte.ts'
import { repeatedReadMs } from '#place/repeated-reads.ts'
import type { ScandeskBridge } from '#shared/bridge/contract.ts'
import type {
  PrintDecision,
  PrinterView,
  PrintLine,
  PrintsView,
  PrintPreview,
} from '#shared/bridge/print-views.ts'
import { type Command, reprintReasonOf } from '#shared/domain/commands.ts'
import {
  type PrintPlacement,
  type ReprintReason,
  asksAboutPrint,
  type PrintChoice,
  isPrintOpen,
} from '#shared/domain/print-job.ts'
import type { Sound } from '#scanner/sound.ts'
import type { Failure } from '#shared/errors/catalogue.ts'

export interface PrintsDeps {
  readonly bridge: ScandeskBridge
  readonly play: (sound: Sound) => void
  /** Shows the label that the job prints. */
  readonly onLabel: (labelId: LabelId) => void
  readonly nowMs?: () => number
}

/** Groups of print jobs. `paper`: the label was printed but not scanned after printing. */
type PrintGroup = ListGroup<PrintLine, 'asks' | 'waits' | 'paper'>

/** The question about the open entry. */
export type PrintStep = 'choose' | 'again' | 'anyway' | 'move' | 'give_up'

interface PrintTypes {
  view: PrintsView
  item: PrintLine
  group: PrintGroup['name']
  step: PrintStep
  choice: PrintChoice
  echo: PrintDecision['kind']
}

/** For each step of a decision, the choice that the job must offer. Without this choice the step is not shown. */
const choiceOfStep: Record<Exclude<PrintStep, 'choose'>, PrintChoice> = {
  again: 'print_again',
  anyway: 'print_anyway',
  move: 'move',
  give_up: 'give_up',
}

/** Decisions after which the entry stays open, so that the operator can watch the printing. */
const watched: readonly PrintDecision['kind'][] = ['place', 'retry']

const untouched: PrintPlacement = { turn: 'auto', crop: 'auto' }

/** The print jobs of this desk, the open job, and the operator's decisions about it. */
export class PrintsState extends ListPlace<PrintTypes> {
  readonly #deps: PrintsDeps
  readonly paper: PreviewReader
  /** Time at which a scanned command opened the open entry; null if a click or a key opened that entry. */
  #openedByScanAt: number | null = null
  /** The hold of the job (the reason why it is not printed) when the open question was asked. */
  #askedHold = ''

  constructor(deps: PrintsDeps) {
    super({
      play: deps.play,
      list: () => deps.bridge.print.list(),
      groupsOf: printGroups,
      keyOf: ({ jobId }) => jobId,
      choicesOf: ({ choices }) => choices,
      choose: 'choose',
    })
    this.#deps = deps
    this.paper = new PreviewReader(deps.bridge)
  }

  /** The open job if the list still contains it, otherwise null. */
  get line(): PrintLine | null {
    return this.listed
  }
  get mayRetryByEnter(): boolean {
    return this.step === 'choose' && this.offers('retry')
  }
  /**
   * Whether a part of the page can be cut out. A page that is saved to a file is always whole and can only be turned.
   */
  get mayCut(): boolean {
    const printer = this.view?.printers.find(({ name }) => name === this.line?.printer)
    return this.offers('place') && (printer?.folder ?? null) === null
  }
  /** Printers to which the open job can be moved. */
  get others(): readonly PrinterView[] {
    return this.view?.printers.filter(({ name }) => name !== this.line?.printer) ?? []
  }
  /** The printer of the open job. */
  get printer(): PrinterView | null {
    return this.view?.printers.find(({ name }) => name === this.opened?.printer) ?? null
  }

  override open(jobId: string): void {
    this.#openedByScanAt = null
    super.open(jobId)
  }

  /** Opens the label's first print job that waits for a decision of the operator. Without such a job, does nothing. */
  openQuestionOf(labelId: LabelId): void {
    this.openFirst((line) => line.labelId === labelId && asksOperator(line))
  }

  protected override onShown(line: PrintLine | null): void {
    void this.paper.show(line)
  }

  /** Whether the job can be decided about now. False during an attempt to print. */
  get mayDecide(): boolean {
    return !this.busy && this.line?.state !== 'sending'
  }

  /** Asks for the reason or the printer that the decision needs. */
  ask(step: Exclude<PrintStep, 'choose'>): void {
    if (!this.offers(choiceOfStep[step])) return
    this.#askedHold = this.#shownHold
    this.setStep(step)
  }

  /** Turns the page by another 90 degrees. The first turn starts from the automatic placement. */
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

  /**
   * Decides about the job in the state that was shown. If the job has changed meanwhile, main drops the decision and
   * the new state is shown.
   */
  async decide(decision: PrintDecision): Promise<void> {
    const { line } = this
    if (!line || !this.offers(decision.kind)) {
      if (line?.state === 'sending') this.play('look')
      return
    }
    const { jobId, version } = line
    const result = await this.act(decision.kind, watched.includes(decision.kind), () =>
      this.#deps.bridge.print.decide({ jobId, version, decision }),
    )
    if (result?.ok === false && result.error.code === 'queue.moved_on') await this.load()
  }

  showLabel(): void {
    const { opened } = this
    if (opened) this.#deps.onLabel(opened.labelId)
  }

  /** Any scan closes the enlarged picture. A scanned command does not run, because the picture covered its button. */
  closeFront(command: Command | null): 'hidden' | 'done' | null {
    if (!this.paper.isLarge) return null
    this.paper.isLarge = false
    if (command === null) return null
    return command === 'HOME' ? 'done' : 'hidden'
  }

  override run(command: Command): boolean {
    if (this.opened === null && this.#openFor(command)) return true
    if (this.#isReadTwice && (command === 'YES' || command === 'NO' || command === 'PRINTNOW')) return true
    const isUnknown = this.line?.state === 'unknown'
    const reason = reprintReasonOf(command)
    if (command === 'YES' && this.offers('came_out')) void this.decide({ kind: 'came_out' })
    else if (command === 'NO' && isUnknown) void this.again('not_out')
    else if (command === 'REPRINT' && !isUnknown && this.offers('print_again')) this.#askAgain()
    else if (reason && this.step === 'again') void this.again(reason)
    else if (command === 'PRINTNOW' && this.mayRetryByEnter) void this.decide({ kind: 'retry' })
    else return super.run(command)
    return true
  }

  /**
   * Whether a scanned command opened the entry so recently that the same command is a second reading of its barcode.
   */
  get #isReadTwice(): boolean {
    return this.#openedByScanAt !== null && this.#nowMs() - this.#openedByScanAt < repeatedReadMs
  }

  #nowMs(): number {
    return (this.#deps.nowMs ?? Date.now)()
  }

  /**
   * Opens an entry to which a scanned decision applies, and decides nothing, because the operator has not seen the
   * label yet. The selected entry is preferred. Returns whether there is such an entry.
   */
  #openFor(command: Command): boolean {
    const isMeant = ({ state, choices, hold }: PrintLine): boolean => {
      if (command === 'PRINTNOW') return choices.includes('retry') && hold === null
      return (command === 'YES' || command === 'NO') && state === 'unknown'
    }
    const meant = this.items.filter(isMeant)
    const line = meant.find(({ jobId }) => jobId === this.cursor.key) ?? meant[0]
    if (!line) return false
    this.open(line.jobId)
    this.#openedByScanAt = this.#nowMs()
    this.play('decide')
    return true
  }

  /**
   * Only opens the question about a reprint and prints nothing: a scanner may read a command twice, which must not
   * cause two prints.
   */
  #askAgain(): void {
    this.ask('again')
    this.play('decide')
  }

  /**
   * A question stays open during an attempt to print: while the printer is off, each attempt takes seconds and changes
   * nothing. The operator's answer then counts only after the attempt.
   */
  protected mayAsk(step: PrintStep): boolean {
    // the operator has judged the reason for the hold that was shown, so another reason closes the question
    if (step === 'anyway' && this.#shownHold !== this.#askedHold) return false
    return step === 'choose' || this.offers(choiceOfStep[step]) || this.line?.state === 'sending'
  }

  protected override onStepClosed(): void {
    this.play('look')
  }

  get #shownHold(): string {
    return JSON.stringify(this.line?.hold ?? null)
  }
}

/** Whether the job waits for a decision of the operator. */
function asksOperator({ state, hold }: PrintLine): boolean {
  return asksAboutPrint(state, hold !== null)
}

/** Returns the print jobs in groups, in the order of the screen, without empty groups. */
function printGroups({ open, notScanned }: PrintsView): readonly PrintGroup[] {
  const groups: PrintGroup[] = [
    { name: 'asks', items: open.filter(asksOperator) },
    { name: 'waits', items: open.filter((line) => !asksOperator(line)) },
    { name: 'paper', items: notScanned },
  ]
  return groups.filter(({ items }) => items.length > 0)
}

/**
 * Returns the group in which the list of prints shows a job: `asks` (it waits for a decision of the operator), `waits`
 * (other unfinished jobs) or `paper` (finished jobs).
 */
export function groupOf(line: PrintLine): PrintGroup['name'] {
  if (asksOperator(line)) return 'asks'
  return isPrintOpen(line.state) ? 'waits' : 'paper'
}

/** Reads the preview of the open job. Reads it again when the printer or the placement of the page changes. */
export class PreviewReader {
  readonly #bridge: ScandeskBridge
  #preview = $state.raw<PrintPreview | null>(null)
  #failure = $state.raw<Failure | null>(null)
  #page = $state(0)
  /** Whether the picture fills the window and covers all buttons. */
  isLarge = $state(false)
  #wanted: { readonly jobId: string; readonly paper: string } | null = null

  constructor(bridge: ScandeskBridge) {
    this.#bridge = bridge
  }

  /**
   * The preview; null until the first response. When the printer or the placement of the page changes, the old preview
   * stays until the new one is read.
   */
  get preview(): PrintPreview | null {
    return this.#preview
  }
  /** The page of the document that the preview shows; null: no page is shown. */
  get shown(): PrintPreview['pages'][number] | null {
    return this.#preview?.pages[this.#page] ?? null
  }
  /** Number of pages of the print, including pages without a picture; 0 if there is no preview. */
  get pageCount(): number {
    return this.#preview ? this.#preview.pages.length + (this.#preview.morePages ?? 0) : 0
  }
  /** Why no preview could be read. */
  get failure(): Failure | null {
    return this.#failure
  }
  /** Index of the shown page, from 0. */
  get page(): number {
    return this.#page
  }

  turnTo(page: number): void {
    const pages = this.#preview?.pages.length ?? 0
    this.#page = Math.max(0, Math.min(page, pages - 1))
  }

  /** Shows the preview of the job of `line`, or none if `line` is null. */
  async show(line: Pick<PrintLine, 'jobId' | 'printer' | 'placement'> | null): Promise<void> {
    const wanted = line && { jobId: line.jobId, paper: JSON.stringify([line.printer, line.placement]) }
    const before = this.#wanted
    if (wanted?.jobId === before?.jobId && wanted?.paper === before?.paper) return
    this.#wanted = wanted
    if (wanted?.jobId !== before?.jobId) this.#clear()
    if (!wanted) return
    const result = await this.#bridge.print.preview({ jobId: wanted.jobId })
    // another preview was requested meanwhile, so this response is dropped
    if (this.#wanted !== wanted) return
    this.#failure = result.ok ? null : result.error
    this.#preview = result.ok ? result.value : null
    this.turnTo(this.#page)
  }

  #clear(): void {
    this.isLarge = false
    this.#preview = null
    this.#failure = null
    this.#page = 0
  }
}
