import { m } from '#messages/messages.js'
import type { ScandeskBridge } from '#shared/bridge/contract.ts'
import type { PrinterView } from '#shared/bridge/print-views.ts'
import {
  addressOfPrinter,
  type PrinterEntry,
  type PrinterKind,
  type PrinterSettings,
  type PrinterSetup,
  type PrinterTest,
  type PrintQueues,
  type PrintRoute,
  type PaperKind,
  type PaperSize,
} from '#shared/bridge/printer-views.ts'
import type { Failure } from '#shared/errors/catalogue.ts'
import type { Result } from '#shared/errors/result.ts'
import { shownTitle } from '#place/print-words.ts'
import { KeptList, listedLast, PaneList } from './pane-list.svelte.ts'
import { PrinterDraft } from './printer-draft.svelte.ts'
import { type FoundPrinter, kindsInOrder, printerKinds } from './printer-kinds.ts'

/** The saved printers and routes, the current state of each printer, and the printers that this computer has found. */
class PrinterList extends KeptList<PrinterEntry, PrinterSetup> {
  readonly #bridge: ScandeskBridge
  #live = $state.raw<readonly PrinterView[]>([])
  #queues = $state.raw<PrintQueues | null>(null)

  constructor(bridge: ScandeskBridge) {
    super()
    this.#bridge = bridge
  }

  /** The saved printers in their order. The first printer prints all paper without a route. */
  override get entries(): readonly PrinterEntry[] {
    return this.view?.printers ?? []
  }
  get routes(): readonly PrintRoute[] {
    return this.view?.routes ?? []
  }
  /** The print queues that this computer has found; null before the first search. */
  get queues(): PrintQueues | null {
    return this.#queues
  }

  /** Returns the current state of a printer; null if the state was not read yet. */
  liveOf(id: string): PrinterView | null {
    return this.#live.find(({ name }) => name === id) ?? null
  }

  /** Reads the state of each printer. After a failure the known states are kept. */
  async follow(): Promise<void> {
    const prints = await this.#bridge.print.list()
    if (prints.ok) this.#live = prints.value.printers
  }

  /**
   * Searches for the print queues of this computer. If the computer cannot list its queues, the result contains no
   * queue.
   */
  async discover(): Promise<void> {
    const result = await this.#bridge.printer.discover()
    this.#queues = result.ok ? result.value : { isThere: false, queues: [] }
  }

  async makeFirst(id: string): Promise<boolean> {
    const entry = this.find(id)
    if (!entry) return false
    return await this.save(() => this.write([entry, ...this.entries.filter((other) => other.id !== id)]))
  }

  async route(routes: PrintRoute[]): Promise<boolean> {
    return await this.save(() => this.#bridge.printer.save({ printers: [...this.entries], routes }))
  }

  protected override async read(): Promise<Result<PrinterSetup>> {
    const [setup] = await Promise.all([this.#bridge.printer.setup(), this.follow()])
    return setup
  }

  /**
   * Saves the printers. The routes to a removed printer are removed too, so the first printer prints the paper of these
   * routes.
   */
  protected override async write(entries: readonly PrinterEntry[]): Promise<Result<PrinterSetup>> {
    const isGone = (id: string): boolean =>
      this.find(id) !== null && !entries.some((entry) => entry.id === id)
    const routes = this.routes.filter(({ printerId }) => !isGone(printerId))
    return await this.#bridge.printer.save({ printers: [...entries], routes })
  }

  protected override async whenSaved(): Promise<void> {
    await this.follow()
  }
}

/** Tests a printer with typed settings that need not be saved yet (`printer.test` of the bridge). Prints nothing. */
export class PrinterCheck {
  readonly #bridge: ScandeskBridge
  #test = $state.raw<PrinterTest | null>(null)
  #failure = $state.raw<Failure | null>(null)
  #busy = $state(false)
  /**
   * Sequence number of the last test. The result of an earlier test is dropped, because the tested settings have
   * changed since that test.
   */
  #turn = 0

  constructor(bridge: ScandeskBridge) {
    this.#bridge = bridge
  }

  /** The result of the last test; null before a test, and after the tested settings changed. */
  get test(): PrinterTest | null {
    return this.#test
  }
  get failure(): Failure | null {
    return this.#failure
  }
  get busy(): boolean {
    return this.#busy
  }

  forget(): void {
    this.#turn += 1
    this.#test = null
    this.#failure = null
    this.#busy = false
  }

  async run(settings: PrinterSettings): Promise<void> {
    this.forget()
    const turn = this.#turn
    this.#busy = true
    const result = await this.#bridge.printer.test(settings)
    if (turn !== this.#turn) return
    this.#busy = false
    if (result.ok) this.#test = result.value
    else this.#failure = result.error
  }
}

/** A printer that this computer has found. `isListed`: whether another entry of the list uses it. */
type Found = FoundPrinter & { readonly kind: PrinterKind; readonly isListed: boolean }

/** The state of the printer page: the list, and beside it the form of one printer or of the routes. */
export class PrintersState extends PaneList<PrinterEntry, PrinterDraft> {
  override readonly list: PrinterList
  readonly check: PrinterCheck
  #routes = $state.raw<RoutesDraft | null>(null)

  constructor(bridge: ScandeskBridge, newId?: () => string) {
    super(newId)
    this.list = new PrinterList(bridge)
    this.check = new PrinterCheck(bridge)
  }

  /** The form of the routes, if it is open instead of a printer. */
  get routes(): RoutesDraft | null {
    return this.#routes
  }
  override get isChanged(): boolean {
    return this.#routes ? this.#routes.isChanged : super.isChanged
  }
  get isFirst(): boolean {
    return this.entry !== null && this.entry.id === this.list.first?.id
  }
  /**
   * Whether the open printer is the only one. The only printer cannot be removed, because a desk without a printer
   * could not print.
   */
  get isLast(): boolean {
    return this.entry !== null && this.list.entries.length === 1
  }
  protected override get mayRemove(): boolean {
    return !this.isLast
  }
  /** The printers that this computer has found, sorted by kind. */
  get found(): readonly Found[] {
    return kindsInOrder.flatMap((kind) => this.foundOf(kind) ?? [])
  }
  /** The kinds of printers that this computer supports, and the kind of the open printer. */
  get kinds(): readonly PrinterKind[] {
    const isOffered = (kind: PrinterKind): boolean =>
      printerKinds[kind].found?.isNeeded !== true || this.foundOf(kind) !== null
    return kindsInOrder.filter((kind) => kind === this.draft?.fields.kind || isOffered(kind))
  }
  /** A text which names the printer that will print the paper of the removed printer. */
  override get removeText(): string {
    const heir = shownTitle(this.others[0]?.title ?? '')
    return this.isFirst ? m.printers_remove_first({ heir }) : m.printers_remove_text({ heir })
  }

  override changed(): void {
    this.check.forget()
    super.changed()
  }

  /**
   * Returns the printers of one kind that this computer has found; null if the system cannot list printers of this
   * kind, and before the first search.
   */
  foundOf(kind: PrinterKind): readonly Found[] | null {
    const { queues } = this.list
    const found = queues && printerKinds[kind].found?.list(queues)
    if (!found) return null
    const listed = this.others.map(({ settings }) => addressOfPrinter(settings).id)
    // a queue that another entry uses is offered too, because an operator can add one entry for each paper of a queue
    return listedLast(
      found.map((one) => ({ ...one, kind })),
      ({ address }) => listed.includes(`${kind} ${address}`),
    )
  }

  openRoutes(): void {
    if (this.#routes) return
    this.leave(() => {
      this.#showRoutes()
    })
  }

  async runTest(): Promise<void> {
    const settings = this.draft?.settingsToTest()
    if (settings && !this.check.busy) await this.check.run(settings)
  }

  override async save(): Promise<boolean> {
    if (!this.#routes) return await super.save()
    if (!(await this.list.route(this.#routes.routes()))) return false
    this.#showRoutes()
    this.markSaved()
    return true
  }

  /** Moves the open printer to the first position and saves the new order at once. Unsaved input is kept. */
  async makeFirst(): Promise<void> {
    if (this.entry) await this.list.makeFirst(this.entry.id)
  }

  protected override draftOf(from: PrinterEntry | string): PrinterDraft {
    return new PrinterDraft(from)
  }

  protected override titleOf({ title }: PrinterEntry): string {
    return shownTitle(title)
  }

  protected override take(draft: PrinterDraft | null): void {
    this.#routes = null
    this.check.forget()
    super.take(draft)
  }

  protected override startAgain(): void {
    if (this.#routes) this.#showRoutes()
    else super.startAgain()
  }

  #showRoutes(): void {
    this.take(null)
    this.#routes = new RoutesDraft(this.list.routes)
  }
}

/** A kind of paper that this desk prints. */
export interface Paper {
  readonly paper: PaperKind
  readonly size: PaperSize
}

export const papers: readonly Paper[] = [
  { paper: 'return_label', size: 'label' },
  { paper: 'return_label', size: 'page' },
  { paper: 'sheet', size: 'label' },
  { paper: 'sheet', size: 'page' },
]

function keyOf({ paper, size }: Paper): string {
  return `${paper}/${size}`
}

/** The printer chosen for each kind of paper of the open station. */
export class RoutesDraft {
  /** Id of the chosen printer for each paper. The first printer prints a paper without an entry. */
  readonly #chosen = $state<Partial<Record<string, string>>>({})
  readonly #begun: string

  constructor(routes: readonly PrintRoute[]) {
    for (const route of routes) this.#chosen[keyOf(route)] = route.printerId
    this.#begun = this.#typed()
  }

  get isChanged(): boolean {
    return this.#typed() !== this.#begun
  }

  /** Returns the id of the printer chosen for a paper; null for the first printer. */
  printerOf(paper: Paper): string | null {
    return this.#chosen[keyOf(paper)] ?? null
  }

  choose(paper: Paper, printerId: string | null): void {
    this.#chosen[keyOf(paper)] = printerId ?? undefined
  }

  /** Returns the routes in the form that the bridge requires. */
  routes(): PrintRoute[] {
    return papers.flatMap(({ paper, size }) => {
      const printerId = this.printerOf({ paper, size })
      return printerId === null ? [] : [{ paper, size, printerId }]
    })
  }

  #typed(): string {
    return JSON.stringify(this.routes())
  }
}
