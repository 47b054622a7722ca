import type { LabelId } from '#shared/domain/ids.ts'
import { ListPlace, type ListGroup } from '#place/list-place.svelte.ts'
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
  /** Shows the label that the job is a paper of. */
  readonly onLabel: (labelId: LabelId) => void
  readonly nowMs?: () => number
}

/** `paper`: it came out, and nobody has scanned it since. */
type PrintGroup = ListGroup<PrintLine, 'asks' | 'waits' | 'paper'>

/** What is asked of the operator about the entry that is open. */
export type PrintStep = 'choose' | 'again' | 'anyway' | 'move' | 'give_up'

interface PrintTypes {
  view: PrintsView
  item: PrintLine
  group: PrintGroup['name']
  step: PrintStep
  choice: PrintChoice
  echo: PrintDecision['kind']
}

/** A second reading of the barcode that opened an entry comes sooner than anybody has read the question. */
const soonestAnswerMs = 800

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
export class PrintsState extends ListPlace<PrintTypes> {
  readonly #deps: PrintsDeps
  readonly paper: PreviewReader
  /** When a scanned decision opened the entry that is open, else null. */
  #openedByScanAt: number | null = null

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

  /** The job that is open and still listed. */
  get line(): PrintLine | null {
    return this.listed
  }
  get mayRetryByEnter(): boolean {
    return this.step === 'choose' && this.offers('retry')
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

  override open(jobId: string): void {
    this.#openedByScanAt = null
    super.open(jobId)
  }

  /** Opens the job that asks about a label; where none does, the list stays as it is. */
  openAsked(labelId: LabelId): void {
    this.openFirst((line) => line.labelId === labelId && asksOperator(line))
  }

  protected override onShown(line: PrintLine | null): void {
    void this.paper.show(line)
  }

  /** Asks for what a decision needs: a reason, or a printer. */
  ask(step: Exclude<PrintStep, 'choose'>): void {
    if (!this.offers(choiceOfStep[step])) return
    this.setStep(step)
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
    if (!line || !this.offers(decision.kind)) return
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

  /** The large picture of a paper is closed by any scan; a command, whose buttons it hid, is not run then. */
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
    const meant = this.items.filter(isMeant)
    const line = meant.find(({ jobId }) => jobId === this.cursor.key) ?? meant[0]
    if (!line) return false
    this.open(line.jobId)
    this.#openedByScanAt = this.#nowMs()
    this.play('decide')
    return true
  }

  /** By command it only asks: a scanner that reads twice must not print. */
  #askAgain(): void {
    this.ask('again')
    this.play('decide')
  }

  protected mayAsk(step: PrintStep): boolean {
    return step === 'choose' || this.offers(choiceOfStep[step])
  }
}

/** Whether nothing goes on before somebody said what to do. */
function asksOperator({ state, hold }: PrintLine): boolean {
  return asksAboutPrint(state, hold !== null)
}

/** The paper of the desk in the order in which it is looked at; groups without a line are left out. */
function printGroups({ open, notScanned }: PrintsView): readonly PrintGroup[] {
  const groups: PrintGroup[] = [
    { name: 'asks', items: open.filter(asksOperator) },
    { name: 'waits', items: open.filter((line) => !asksOperator(line)) },
    { name: 'paper', items: notScanned },
  ]
  return groups.filter(({ items }) => items.length > 0)
}

/** The group that a job is in. */
export function groupOf(line: PrintLine): PrintGroup['name'] {
  if (asksOperator(line)) return 'asks'
  return isPrintOpen(line.state) ? 'waits' : 'paper'
}

/** What would come out of the open job, asked for anew whenever something is different that shows on the paper. */
export class PreviewReader {
  readonly #bridge: ScandeskBridge
  #preview = $state.raw<PrintPreview | null>(null)
  #failure = $state.raw<Failure | null>(null)
  #page = $state(0)
  /** The picture fills the window, over everything that can be done. */
  isLarge = $state(false)
  #wanted: { readonly jobId: string; readonly paper: string } | null = null

  constructor(bridge: ScandeskBridge) {
    this.#bridge = bridge
  }

  /** Null until the first answer; a turned page replaces the one before it. */
  get preview(): PrintPreview | null {
    return this.#preview
  }
  /** The page that is shown. */
  get shown(): PrintPreview['pages'][number] | null {
    return this.#preview?.pages[this.#page] ?? null
  }
  /** Why there is nothing to be seen. */
  get failure(): Failure | null {
    return this.#failure
  }
  /** Counted from 0. */
  get page(): number {
    return this.#page
  }

  turnTo(page: number): void {
    const pages = this.#preview?.pages.length ?? 0
    this.#page = Math.max(0, Math.min(page, pages - 1))
  }

  /** Null: nothing is open. */
  async show(line: Pick<PrintLine, 'jobId' | 'printer' | 'placement'> | null): Promise<void> {
    const wanted = line && { jobId: line.jobId, paper: JSON.stringify([line.printer, line.placement]) }
    const before = this.#wanted
    if (wanted?.jobId === before?.jobId && wanted?.paper === before?.paper) return
    this.#wanted = wanted
    if (wanted?.jobId !== before?.jobId) this.#clear()
    if (!wanted) return
    const result = await this.#bridge.print.preview({ jobId: wanted.jobId })
    // another job or another way to lay it was asked for meanwhile
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
