import { m } from '#messages/messages.js'
import type { Failure } from '#shared/errors/catalogue.ts'
import type { Result } from '#shared/errors/result.ts'

/**
 * A list of main's with one entry open beside it: `KeptList` is what is kept, `Pane` what is open and may be unsaved,
 * `PaneList` both together. Printers, scanners and stations are three of them.
 */

/** Most characters of the name of a printer or a scanner (printer-views.ts, scanner-views.ts). */
export const longestTitle = 60

/** What is asked before it is done: to leave what was not saved, or to take an entry out of the list. */
type PaneQuestionKind = 'leave' | 'remove'

/** A choice that closes a question. */
export interface PaneAnswer {
  readonly words: string
  readonly run: () => void
}

interface Entry {
  readonly id: string
  readonly title: string
}

/** What is typed about one entry. */
interface EntryDraft<E> {
  readonly id: string
  readonly isNew: boolean
  readonly isChanged: boolean
  readonly fields: { readonly title: string }
  /** The entry as the contract takes it; null where something is missing or wrong, which the draft tells from then on. */
  readonly entryToSave: () => E | null
}

/** The entries as main keeps them. `V`: what main returns for them. */
export abstract class KeptList<E extends Entry, V> {
  #view = $state.raw<V | null>(null)
  #failure = $state.raw<Failure | null>(null)
  #saving = $state(false)

  abstract get entries(): readonly E[]
  protected abstract read(): Promise<Result<V>>
  protected abstract write(entries: readonly E[]): Promise<Result<V>>

  /** Null until it is read. */
  protected get view(): V | null {
    return this.#view
  }
  get isRead(): boolean {
    return this.#view !== null
  }
  /** Why it could not be read or saved. */
  get failure(): Failure | null {
    return this.#failure
  }
  get saving(): boolean {
    return this.#saving
  }
  get first(): E | null {
    return this.entries[0] ?? null
  }

  find(id: string): E | null {
    return this.entries.find((entry) => entry.id === id) ?? null
  }

  forgetFailure(): void {
    this.#failure = null
  }

  async load(): Promise<void> {
    const view = await this.read()
    this.#failure = view.ok ? null : view.error
    if (view.ok) this.take(view.value)
  }

  /** Puts an entry in its place, or behind the others where it is new; returns whether main took it. */
  async put(entry: E): Promise<boolean> {
    const entries = this.find(entry.id)
      ? this.entries.map((known) => (known.id === entry.id ? entry : known))
      : [...this.entries, entry]
    return await this.save(() => this.write(entries))
  }

  async remove(id: string): Promise<boolean> {
    return await this.save(() => this.write(this.entries.filter((entry) => entry.id !== id)))
  }

  protected take(view: V): void {
    this.#view = view
  }

  /** After main took a change, while `saving` is still true. */
  protected async whenSaved(): Promise<void> {}

  /** One at a time: false while another is saved. */
  protected async save(call: () => Promise<Result<V>>): Promise<boolean> {
    if (this.#saving) return false
    this.#saving = true
    const result = await call()
    this.#failure = result.ok ? null : result.error
    if (result.ok) {
      this.take(result.value)
      await this.whenSaved()
    }
    this.#saving = false
    return result.ok
  }
}

/** What is open, and the question that holds back a way out of it while it is not saved. */
export abstract class Pane {
  #go = $state.raw<(() => void) | null>(null)
  #removing = $state(false)

  /** Whether something would be lost by going elsewhere. */
  abstract get isChanged(): boolean
  /** Returns whether all of it was taken. */
  abstract save(): Promise<boolean>
  /** Shows what is kept of it in place of what was typed. */
  protected abstract startAgain(): void

  get question(): PaneQuestionKind | null {
    if (this.#go !== null) return 'leave'
    return this.#removing ? 'remove' : null
  }

  /** Goes elsewhere; asks first where something was not saved. A later way takes the place of an earlier one. */
  leave(go: () => void): void {
    if (this.isChanged) this.#go = go
    else go()
  }

  /** Closes the question and leaves everything as it is. */
  stay(): void {
    this.#go = null
    this.#removing = false
  }

  /** Forgets what was typed, and goes where somebody wanted to go. */
  discard(): void {
    const go = this.#heldBack()
    this.startAgain()
    go?.()
  }

  async saveAndGo(): Promise<void> {
    const go = this.#heldBack()
    if (await this.save()) go?.()
  }

  protected askWhetherToRemove(): void {
    this.#removing = true
  }

  #heldBack(): (() => void) | null {
    const go = this.#go
    this.#go = null
    return go
  }
}

/** What a frame, its foot and its questions need to know of a list with one entry open beside it. */
export interface PaneView {
  readonly list: { readonly failure: Failure | null; readonly saving: boolean }
  readonly draft: { readonly id: string } | null
  readonly question: PaneQuestionKind | null
  /** What it means to take out the entry that is open. */
  readonly removeText: string
  readonly saved: boolean
  readonly isChanged: boolean
  /** Of the entry that is open, where the order of the list means something. */
  readonly isFirst?: boolean
  readonly isLast?: boolean
  readonly changed: () => void
  readonly stay: () => void
  readonly discard: () => void
  readonly save: () => Promise<boolean>
  readonly saveAndGo: () => Promise<void>
  readonly remove: () => Promise<void>
}

/** The list, the one entry of it that is open, and what was not saved of that. */
export abstract class PaneList<E extends Entry, D extends EntryDraft<E>> extends Pane implements PaneView {
  readonly #newId: () => string
  #draft = $state.raw<D | null>(null)
  /** The last save was taken, and nothing was typed since. */
  #saved = $state(false)
  /** How often something was opened. */
  #turn = 0

  constructor(newId: () => string = () => crypto.randomUUID()) {
    super()
    this.#newId = newId
  }

  abstract readonly list: KeptList<E, unknown>
  abstract get removeText(): string
  /** `from`: an entry that is kept, or the id of a new one. */
  protected abstract draftOf(from: E | string): D

  get draft(): D | null {
    return this.#draft
  }
  get saved(): boolean {
    return this.#saved
  }
  override get isChanged(): boolean {
    return this.#draft?.isChanged === true
  }
  /** The kept entry that is open. */
  get entry(): E | null {
    return this.#draft && this.list.find(this.#draft.id)
  }
  /** The entries besides the one that is open. */
  get others(): readonly E[] {
    return this.list.entries.filter(({ id }) => id !== this.#draft?.id)
  }
  get isTitleTaken(): boolean {
    const title = this.#draft?.fields.title.trim().toLowerCase() ?? ''
    return this.others.some((other) => this.titleOf(other).toLowerCase() === title)
  }
  protected get mayRemove(): boolean {
    return true
  }

  /** Reads everything; what was typed and not saved, or was opened meanwhile, stays as it is. */
  async load(): Promise<void> {
    const turn = this.#turn
    await this.list.load()
    if (turn === this.#turn && !this.isChanged && this.list.isRead) this.startAgain()
  }

  /** What was saved or refused is not what is typed now. */
  changed(): void {
    this.list.forgetFailure()
    this.#saved = false
    if (this.question === 'leave') this.stay()
  }

  open(id: string): void {
    if (id !== this.#draft?.id)
      this.leave(() => {
        this.show(id)
      })
  }

  openNew(): void {
    if (this.#draft?.isNew === true) return
    this.leave(() => {
      this.take(this.draftOf(this.#newId()))
    })
  }

  override async save(): Promise<boolean> {
    const entry = this.#draft?.entryToSave()
    if (!entry || this.isTitleTaken || !(await this.list.put(entry))) return false
    this.show(entry.id)
    this.#saved = true
    return true
  }

  askToRemove(): void {
    if (this.entry && this.mayRemove) this.askWhetherToRemove()
  }

  async remove(): Promise<void> {
    const { entry } = this
    this.stay()
    if (entry && (await this.list.remove(entry.id))) this.show()
  }

  /** What operators call it. */
  protected titleOf(entry: E): string {
    return entry.title
  }

  /** Opens an entry, or the first where that one is not kept. */
  protected show(id?: string): void {
    const entry = (id === undefined ? null : this.list.find(id)) ?? this.list.first
    this.take(entry && this.draftOf(entry))
  }

  /** Null: none of the list is open. */
  protected take(draft: D | null): void {
    this.#turn += 1
    this.#draft = draft
    this.#saved = false
    this.list.forgetFailure()
    this.stay()
  }

  protected markSaved(): void {
    this.#saved = true
  }

  protected override startAgain(): void {
    this.show(this.#draft?.id)
  }
}

/** Whether something unsaved is left behind: the choices. */
export function leaveAnswers(pane: Pick<Pane, 'stay' | 'saveAndGo' | 'discard'>): readonly PaneAnswer[] {
  return [
    {
      words: m.printers_stay(),
      run: () => {
        pane.stay()
      },
    },
    { words: m.printers_save_and_go(), run: () => void pane.saveAndGo() },
    {
      words: m.printers_discard(),
      run: () => {
        pane.discard()
      },
    },
  ]
}

/** What this computer has, with what another entry of the list stands for already marked and at the end. */
export function listedLast<T>(
  found: readonly T[],
  isListed: (one: T) => boolean,
): readonly (T & { readonly isListed: boolean })[] {
  return found
    .map((one) => ({ ...one, isListed: isListed(one) }))
    .toSorted((one, other) => Number(one.isListed) - Number(other.isListed))
}
