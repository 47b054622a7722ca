import { m } from '#messages/messages.js'
import type { Failure } from '#shared/errors/catalogue.ts'
import type { Result } from '#shared/errors/result.ts'

/**
 * A list that main saves, with the form of one open entry beside it. `KeptList` has the saved entries, `Pane` has the
 * open form with its question about unsaved input, and `PaneList` combines both. Printers and scanners use all three;
 * stations use `Pane`.
 */

/** Maximum number of characters in the name of a printer or a scanner (printer-views.ts, scanner-views.ts). */
export const longestTitle = 60

/**
 * The question that is open: about unsaved input before leaving (`leave`), or before the entry is removed (`remove`).
 */
type PaneQuestionKind = 'leave' | 'remove'

/** An answer to a question. The answer also closes the question. */
export interface PaneAnswer {
  readonly words: string
  readonly run: () => void
}

interface Entry {
  readonly id: string
  readonly title: string
}

/** The typed input for one entry. */
interface EntryDraft<E> {
  readonly id: string
  readonly isNew: boolean
  readonly isChanged: boolean
  readonly fields: { readonly title: string }
  /**
   * Returns the entry in the form that the bridge requires. If a value is missing or wrong, returns null, and the form
   * then shows the faults.
   */
  readonly entryToSave: () => E | null
}

/** The entries that main has saved. `V` is the type of main's response with the entries. */
export abstract class KeptList<E extends Entry, V> {
  #view = $state.raw<V | null>(null)
  #failure = $state.raw<Failure | null>(null)
  #saving = $state(false)

  abstract get entries(): readonly E[]
  protected abstract read(): Promise<Result<V>>
  protected abstract write(entries: readonly E[]): Promise<Result<V>>

  /** Main's last response with the entries; null until it is read. */
  protected get view(): V | null {
    return this.#view
  }
  get isRead(): boolean {
    return this.#view !== null
  }
  /** Why the last read or save failed. */
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

  /**
   * Replaces the saved entry with the same id, or adds a new entry at the end. Returns whether main accepted the
   * change.
   */
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

  /** Called after main accepted a change, while `saving` is still true. */
  protected async whenSaved(): Promise<void> {}

  /** Saves one change at a time. Returns false if main refused the change or another change is being saved. */
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

/** A form with unsaved input, and the question that the operator must answer before leaving it. */
export abstract class Pane {
  #go = $state.raw<(() => void) | null>(null)
  #removing = $state(false)

  /** Whether leaving the form would lose input. */
  abstract get isChanged(): boolean
  /** Saves the input. Returns whether main accepted all of it. */
  abstract save(): Promise<boolean>
  /** Replaces the input with the saved values. */
  protected abstract startAgain(): void

  get question(): PaneQuestionKind | null {
    if (this.#go !== null) return 'leave'
    return this.#removing ? 'remove' : null
  }

  /**
   * Calls `go`; if there is unsaved input, only after the operator's answer. A later call replaces the `go` of an
   * earlier one.
   */
  leave(go: () => void): void {
    if (this.isChanged) this.#go = go
    else go()
  }

  /** Closes the question and changes nothing. */
  stay(): void {
    this.#go = null
    this.#removing = false
  }

  /** Discards the input and then calls the `go` that waited for the operator's answer. */
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

/** The part of `PaneList` that the form of the list's open entry uses for its frame, its buttons and its questions. */
export interface PaneView {
  readonly list: { readonly failure: Failure | null; readonly saving: boolean }
  readonly draft: { readonly id: string } | null
  readonly question: PaneQuestionKind | null
  /** Text about the consequence of removing the open entry. */
  readonly removeText: string
  readonly saved: boolean
  readonly isChanged: boolean
  /** Whether the open entry is the first in the list. Missing if the order of the list has no effect. */
  readonly isFirst?: boolean
  readonly isLast?: boolean
  readonly changed: () => void
  readonly stay: () => void
  readonly discard: () => void
  readonly save: () => Promise<boolean>
  readonly saveAndGo: () => Promise<void>
  readonly remove: () => Promise<void>
}

/** The list, its open entry and the unsaved input for that entry. */
export abstract class PaneList<E extends Entry, D extends EntryDraft<E>> extends Pane implements PaneView {
  readonly #newId: () => string
  #draft = $state.raw<D | null>(null)
  /** Whether the last save was accepted and the input has not changed since then. */
  #saved = $state(false)
  /** Number of times that the form was opened with other input, or closed. */
  #turn = 0

  constructor(newId: () => string = () => crypto.randomUUID()) {
    super()
    this.#newId = newId
  }

  abstract readonly list: KeptList<E, unknown>
  abstract get removeText(): string
  /** Creates the input of the form for a saved entry of the list, or for a new entry with the given id. */
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
  /** The saved version of the open entry; null for a new entry. */
  get entry(): E | null {
    return this.#draft && this.list.find(this.#draft.id)
  }
  /** The saved entries except the open one. */
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

  /** Reads the list. Unsaved input is kept, and so is an entry that was opened during the read. */
  async load(): Promise<void> {
    const turn = this.#turn
    await this.list.load()
    if (turn === this.#turn && !this.isChanged && this.list.isRead) this.startAgain()
  }

  /**
   * Removes the result of the last save and an open question about unsaved input, because they do not apply to the
   * changed input. An open question about removing the entry stays open.
   */
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

  /** Returns the name that operators use for an entry. */
  protected titleOf(entry: E): string {
    return entry.title
  }

  /** Opens the saved entry with this id. If no saved entry has this id, opens the first entry. */
  protected show(id?: string): void {
    const entry = (id === undefined ? null : this.list.find(id)) ?? this.list.first
    this.take(entry && this.draftOf(entry))
  }

  /** Opens the form with this input; null closes the form. */
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

/** Returns the answers that the operator can choose for the question about unsaved input. */
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

/**
 * Returns the devices that this computer found. A device that another entry of the list uses is marked and placed at
 * the end.
 */
export function listedLast<T>(
  found: readonly T[],
  isListed: (one: T) => boolean,
): readonly (T & { readonly isListed: boolean })[] {
  return found
    .map((one) => ({ ...one, isListed: isListed(one) }))
    .toSorted((one, other) => Number(one.isListed) - Number(other.isListed))
}
