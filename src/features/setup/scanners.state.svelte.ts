import { m } from '#messages/messages.js'
import type { ScandeskBridge } from '#shared/bridge/contract.ts'
import type { ScannerEntry, SerialPorts } from '#shared/bridge/scanner-views.ts'
import { LeaveQuestion } from './leave-question.svelte.ts'
import type { PaneQuestionKind, PaneState } from './pane-state.ts'
import { ScannerDraft } from './scanner-draft.svelte.ts'
import { ScannerListState } from './scanner-list.state.svelte.ts'
import { ScannerTestState } from './scanner-test.state.svelte.ts'

/** `isListed`: another scanner of the list is set up on it. */
type FoundPort = SerialPorts['ports'][number] & { readonly isListed: boolean }

/** The scanner page: the list, the one scanner that is open, and what was not saved of it. */
export class ScannersState implements PaneState {
  readonly list: ScannerListState
  readonly test = new ScannerTestState()
  readonly #newId: () => string
  readonly #leaving = new LeaveQuestion()
  #draft = $state.raw<ScannerDraft | null>(null)
  #removing = $state(false)
  #saved = $state(false)

  constructor(bridge: ScandeskBridge, newId: () => string = () => crypto.randomUUID()) {
    this.list = new ScannerListState(bridge)
    this.#newId = newId
  }

  get draft(): ScannerDraft | null {
    return this.#draft
  }
  get question(): PaneQuestionKind | null {
    if (this.#leaving.isOpen) return 'leave'
    return this.#removing ? 'remove' : null
  }
  get removeText(): string {
    return m.scanners_remove_text()
  }
  get saved(): boolean {
    return this.#saved
  }
  get isChanged(): boolean {
    return this.#draft?.isChanged === true
  }
  /** The kept entry of the scanner that is open. */
  get entry(): ScannerEntry | null {
    return this.#draft && this.list.find(this.#draft.id)
  }
  get isTitleTaken(): boolean {
    const title = this.#draft?.fields.title.trim().toLowerCase() ?? ''
    return this.#others.some((other) => other.title.toLowerCase() === title)
  }
  /** Ports of this computer; those that another scanner of the list has come last. */
  get ports(): readonly FoundPort[] {
    const taken = this.#others.map(({ settings }) => settings.path)
    const ports = (this.list.ports?.ports ?? []).map((port) => ({
      ...port,
      isListed: taken.includes(port.path),
    }))
    return ports.toSorted((one, other) => Number(one.isListed) - Number(other.isListed))
  }

  /** Reads everything; what was typed and not saved stays as it is. */
  async load(): Promise<void> {
    await this.list.load()
    if (!this.isChanged && this.list.isRead) this.#show(this.#draft?.id)
  }

  changed(): void {
    this.list.forgetFailure()
    this.#saved = false
    if (this.#leaving.isOpen) this.stay()
  }

  open(id: string): void {
    if (id !== this.#draft?.id)
      this.leave(() => {
        this.#show(id)
      })
  }

  /** The keyboard scanner stands where no other one is open. */
  openKeyboard(): void {
    this.leave(() => {
      this.#take(null)
    })
  }

  openNew(): void {
    if (this.#draft?.isNew === true) return
    this.leave(() => {
      this.#take(new ScannerDraft(this.#newId()))
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
    this.#show(this.#draft?.id)
    go()
  }

  async saveAndGo(): Promise<void> {
    const go = this.#leaving.close()
    if (await this.save()) go()
  }

  /** Answers whether all of it was taken. */
  async save(): Promise<boolean> {
    const entry = this.#draft?.entryToSave()
    if (!entry || this.isTitleTaken || !(await this.list.put(entry))) return false
    this.#show(entry.id)
    this.#saved = true
    return true
  }

  askToRemove(): void {
    if (this.entry) this.#removing = true
  }

  async remove(): Promise<void> {
    const { entry } = this
    this.stay()
    if (entry && (await this.list.remove(entry.id))) this.#show()
  }

  get #others(): readonly ScannerEntry[] {
    return this.list.scanners.filter(({ id }) => id !== this.#draft?.id)
  }

  /** Opens a scanner, or the first where that one is not kept. */
  #show(id?: string): void {
    const entry = (id === undefined ? null : this.list.find(id)) ?? this.list.scanners[0]
    this.#take(entry ? new ScannerDraft(entry) : null)
  }

  #take(draft: ScannerDraft | null): void {
    this.#draft = draft
    this.#saved = false
    this.list.forgetFailure()
    this.stay()
  }
}
