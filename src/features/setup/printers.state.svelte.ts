import { m } from '#messages/messages.js'
import type { ScandeskBridge } from '#shared/bridge/contract.ts'
import type { PrinterEntry, PrintQueues } from '#shared/bridge/printer-views.ts'
import { LeaveQuestion } from './leave-question.svelte.ts'
import type { PaneQuestionKind, PaneState } from './pane-state.ts'
import { PrinterCheck } from './printer-check.svelte.ts'
import { PrinterDraft } from './printer-draft.svelte.ts'
import { PrinterListState } from './printer-list.state.svelte.ts'
import { shownTitle } from './printer-title.ts'
import { RoutesDraft } from './routes-draft.svelte.ts'

/** What is open beside the list. */
type Pane =
  | { readonly kind: 'printer'; readonly draft: PrinterDraft }
  | { readonly kind: 'routes'; readonly draft: RoutesDraft }

/** `isListed`: another printer of the list stands for it already. */
type FoundQueue = PrintQueues['queues'][number] & { readonly isListed: boolean }
type WindowsPrinter = NonNullable<PrintQueues['windows']>[number] & { readonly isListed: boolean }

/** The printer page: the list, the one thing of it that is open, and what was not saved of that. */
export class PrintersState implements PaneState {
  readonly list: PrinterListState
  readonly check: PrinterCheck
  readonly #newId: () => string
  #pane = $state.raw<Pane | null>(null)
  readonly #leaving = new LeaveQuestion()
  #removing = $state(false)
  /** The last act was taken, and nothing was typed since. */
  #saved = $state(false)

  constructor(bridge: ScandeskBridge, newId: () => string = () => crypto.randomUUID()) {
    this.list = new PrinterListState(bridge)
    this.check = new PrinterCheck(bridge)
    this.#newId = newId
  }

  /** The printer that is open. */
  get draft(): PrinterDraft | null {
    return this.#pane?.kind === 'printer' ? this.#pane.draft : null
  }
  /** The routes, where they are open. */
  get routes(): RoutesDraft | null {
    return this.#pane?.kind === 'routes' ? this.#pane.draft : null
  }
  get question(): PaneQuestionKind | null {
    if (this.#leaving.isOpen) return 'leave'
    return this.#removing ? 'remove' : null
  }
  get saved(): boolean {
    return this.#saved
  }
  /** Whether something would be lost by going elsewhere. */
  get isChanged(): boolean {
    return this.#pane?.draft.isChanged === true
  }
  /** The kept entry of the printer that is open. */
  get entry(): PrinterEntry | null {
    return this.draft && this.list.find(this.draft.id)
  }
  get isFirst(): boolean {
    return this.entry !== null && this.entry.id === this.list.first?.id
  }
  /** A desk without any printer could print nothing. */
  get isLast(): boolean {
    return this.entry !== null && this.list.printers.length === 1
  }
  /** The printers besides the one that is open. */
  get others(): readonly PrinterEntry[] {
    return this.list.printers.filter(({ id }) => id !== this.draft?.id)
  }
  /** Queues of this computer; those that another printer of the list stands for come last. */
  get queues(): readonly FoundQueue[] {
    const uris = this.others.flatMap(({ settings }) => (settings.kind === 'ipp' ? [settings.uri] : []))
    const queues = this.list.queues?.queues ?? []
    // a queue may stand there once for each of its papers
    const found = queues.map((queue) => ({ ...queue, isListed: uris.includes(queue.uri) }))
    return found.toSorted((one, other) => Number(one.isListed) - Number(other.isListed))
  }
  /** The same of what Windows calls printers; null: this computer is no Windows, or was not asked yet. */
  get windowsPrinters(): readonly WindowsPrinter[] | null {
    const names = this.others.flatMap(({ settings }) => (settings.kind === 'windows' ? [settings.queue] : []))
    const found = this.list.queues?.windows?.map((one) => ({ ...one, isListed: names.includes(one.name) }))
    return found?.toSorted((one, other) => Number(one.isListed) - Number(other.isListed)) ?? null
  }
  /** Where its paper comes out from then on. */
  get removeText(): string {
    const heir = shownTitle(this.others[0]?.title ?? '')
    return this.isFirst ? m.printers_remove_first({ heir }) : m.printers_remove_text({ heir })
  }
  get isTitleTaken(): boolean {
    const title = this.draft?.fields.title.trim().toLowerCase() ?? ''
    return this.others.some((other) => shownTitle(other.title).toLowerCase() === title)
  }

  /** Reads everything; what was typed and not saved stays as it is. */
  async load(): Promise<void> {
    await this.list.load()
    if (this.isChanged || !this.list.isRead) return
    if (this.routes) this.#showRoutes()
    else this.#show(this.draft?.id)
  }

  /** What was tested or saved is not what is typed now. */
  changed(): void {
    this.check.forget()
    this.list.forgetFailure()
    this.#saved = false
    if (this.#leaving.isOpen) this.stay()
  }

  open(id: string): void {
    if (id !== this.draft?.id)
      this.leave(() => {
        this.#show(id)
      })
  }

  openNew(): void {
    if (this.draft?.isNew === true) return
    this.leave(() => {
      this.#take({ kind: 'printer', draft: new PrinterDraft(this.#newId()) })
    })
  }

  openRoutes(): void {
    if (this.routes) return
    this.leave(() => {
      this.#showRoutes()
    })
  }

  /** Goes elsewhere; asks first where something was not saved. */
  leave(go: () => void): void {
    if (this.isChanged) this.#leaving.ask(go)
    else go()
  }

  stay(): void {
    this.#leaving.close()
    this.#removing = false
  }

  /** Forgets what was typed, and goes where somebody wanted to go. */
  discard(): void {
    const go = this.#leaving.close()
    if (this.routes) this.#showRoutes()
    else this.#show(this.draft?.id)
    go()
  }

  async saveAndGo(): Promise<void> {
    const go = this.#leaving.close()
    if (await this.save()) go()
  }

  async runTest(): Promise<void> {
    const settings = this.draft?.settingsToTest()
    if (settings && !this.check.busy) await this.check.run(settings)
  }

  /** Answers whether all of it was taken. */
  async save(): Promise<boolean> {
    const { draft, routes } = this
    if (routes) return this.#done(await this.list.route(routes.routes()))
    const entry = draft?.entryToSave()
    return entry && !this.isTitleTaken ? this.#done(await this.list.put(entry), draft?.id) : false
  }

  /** Kept at once; what was typed and not saved stays. */
  async makeFirst(): Promise<void> {
    if (this.entry) await this.list.makeFirst(this.entry.id)
  }

  askToRemove(): void {
    if (this.entry && !this.isLast) this.#removing = true
  }

  async remove(): Promise<void> {
    const { entry } = this
    this.stay()
    if (entry && (await this.list.remove(entry.id))) this.#show()
  }

  #done(taken: boolean, id?: string): boolean {
    if (!taken) return false
    if (id === undefined) this.#showRoutes()
    else this.#show(id)
    this.#saved = true
    return true
  }

  /** Opens a printer, or the first where that one is not kept. */
  #show(id?: string): void {
    const entry = (id === undefined ? null : this.list.find(id)) ?? this.list.first
    this.#take(entry && { kind: 'printer', draft: new PrinterDraft(entry) })
  }

  #showRoutes(): void {
    this.#take({ kind: 'routes', draft: new RoutesDraft(this.list.routes) })
  }

  #take(pane: Pane | null): void {
    this.#pane = pane
    this.#saved = false
    this.check.forget()
    this.list.forgetFailure()
    this.stay()
  }
}
