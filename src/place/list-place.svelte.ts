import type { DeskStatus } from '#shared/bridge/views.ts'
import type { Command } from '#shared/domain/commands.ts'
import type { Failure } from '#shared/errors/catalogue.ts'
import type { Result } from '#shared/errors/result.ts'
import type { Sound } from '#scanner/sound.ts'
import { outcomeOfFailure } from './failure-text.ts'
import type { Place } from './place.ts'
import { ListCursor } from './list-cursor.svelte.ts'

/** The types that each subclass of `ListPlace` defines. */
interface ListTypes {
  /** The list as main returns it. */
  view: object
  /** One entry of the list. */
  item: object
  /** Names of the groups in which the entries are shown. */
  group: string
  /** The question about the open entry. */
  step: string | object
  /** A decision that can be made about an entry. */
  choice: string
  /** The last decision, whose result is shown. */
  echo: string
}

/** A group of entries that are shown under one heading. */
export interface ListGroup<Item, Name extends string> {
  readonly name: Name
  readonly items: readonly Item[]
}

/** The functions and names that a feature passes to its `ListPlace`. */
interface ListParts<T extends ListTypes> {
  readonly play: (sound: Sound) => void
  /** Reads the list from main. */
  readonly list: () => Promise<Result<T['view']>>
  /** Returns the entries in groups, in the order in which they are shown. */
  readonly groupsOf: (view: T['view']) => readonly ListGroup<T['item'], T['group']>[]
  /** Returns a key that identifies an entry and is the same in later views of the list. */
  readonly keyOf: (item: T['item']) => string
  readonly choicesOf: (item: T['item']) => readonly T['choice'][]
  /** The step in which no question is open and the choices are offered. */
  readonly choose: T['step']
}

/**
 * A list that main keeps, with the open entry, the question about it and the operator's decision. Each new version of
 * the list may add and remove entries. If the open entry is removed, the window still shows it, and the cursor moves to
 * the next entry.
 */
export abstract class ListPlace<T extends ListTypes> implements Place {
  /** The selected entry of the list, by its key. */
  readonly cursor = new ListCursor()
  protected readonly play: (sound: Sound) => void
  readonly #parts: ListParts<T>
  readonly #reader: ViewReader<T['view']>
  #groups: readonly ListGroup<T['item'], T['group']>[] = $derived.by(() => this.#groupsOf(this.view))
  /** Why the operator's decision could not be carried out. */
  #failure = $state.raw<Failure | null>(null)
  #openKey = $state<string | null>(null)
  /** The open entry, from the newest view that contains the entry. */
  #seen = $state.raw<T['item'] | null>(null)
  /** The question about the open entry; null if none was asked. */
  #asked = $state.raw<T['step'] | null>(null)
  #echo = $state.raw<T['echo'] | null>(null)
  #busy = $state(false)

  constructor(parts: ListParts<T>) {
    this.play = parts.play
    this.#parts = parts
    this.#reader = new ViewReader(parts.list, (before) => {
      this.#follow(before)
    })
  }

  /** The list; null until it was read. */
  get view(): T['view'] | null {
    return this.#reader.view
  }
  get groups(): readonly ListGroup<T['item'], T['group']>[] {
    return this.#groups
  }
  /** The entries of all groups, in the order in which they are shown. */
  get items(): readonly T['item'][] {
    return this.#groups.flatMap(({ items }) => items)
  }
  /** Why the operator's decision could not be carried out; without such a failure, why the list could not be read. */
  get failure(): Failure | null {
    return this.#failure ?? this.#reader.failure
  }
  /** Whether a call with a decision is under way. */
  get busy(): boolean {
    return this.#busy
  }
  get step(): T['step'] {
    return this.#asked ?? this.#parts.choose
  }
  /** The last decision, whose result is shown until another entry is opened. */
  get echo(): T['echo'] | null {
    return this.#echo
  }
  /** The open entry, from the last view that contained it. The current view may no longer contain it. */
  get opened(): T['item'] | null {
    return this.#openKey === null ? null : this.#seen
  }
  get entryKey(): string | undefined {
    return this.#openKey ?? undefined
  }
  /** Whether the open entry was removed from the list. */
  get gone(): boolean {
    return this.#openKey !== null && this.#find(this.#openKey) === null
  }
  /** The open entry if it is still listed, otherwise null. */
  protected get listed(): T['item'] | null {
    return this.gone ? null : this.opened
  }
  /**
   * Whether Enter makes the decision `retry` about the open entry. While a question is open, Enter does nothing,
   * because it must not answer the question.
   */
  abstract get mayRetryByEnter(): boolean

  /** Carries out a decision about the open entry. Does nothing if the decision is not offered. */
  abstract decide(decision: { readonly kind: 'retry' }): Promise<void>

  /** Whether the open question is still possible for the open entry after the list was read again. */
  protected abstract mayAsk(step: T['step']): boolean

  /**
   * Called with the open entry when it is opened, and again at each new view that contains the entry. Called with null
   * when the list is shown instead.
   */
  protected onShown(_item: T['item'] | null): void {
    // the base class does nothing here, because most places show the open entry directly from `opened`
  }

  /**
   * Called when a new view has closed the open question about an entry that is still listed. Not called while a
   * decision is being sent, because the result of the decision is shown instead.
   */
  protected onStepClosed(): void {
    // the base class does nothing here; places override this method
  }

  offers(choice: T['choice']): boolean {
    const { listed } = this
    return listed !== null && this.#parts.choicesOf(listed).includes(choice)
  }

  /** Reads the list. However many calls arrive during a read, one more read follows. */
  load(): Promise<void> {
    return this.#reader.load()
  }

  onStatus(_status: DeskStatus, isShown: boolean): void {
    if (isShown) void this.load()
  }

  /** Forgets all data, because another operator or station must not see it. */
  reset(): void {
    this.#reader.reset()
    this.#failure = null
    this.#echo = null
    this.cursor.clear()
    this.close()
  }

  /** Opens the entry with this key. If the list no longer contains that entry, shows the list. */
  open(key: string): void {
    const found = this.#find(key)
    this.#openKey = found && key
    this.#seen = found
    if (found) this.cursor.point(key)
    this.#asked = null
    this.#failure = null
    this.#echo = null
    this.onShown(found)
  }

  /** Opens the first entry for which `isMeant` returns true. Without such an entry, nothing changes. */
  openFirst(isMeant: (item: T['item']) => boolean): void {
    const meant = this.items.find(isMeant)
    if (meant) this.open(this.#parts.keyOf(meant))
  }

  /** Closes the entry and shows the list. */
  close(): void {
    this.#openKey = null
    this.#seen = null
    this.#asked = null
    this.onShown(null)
  }

  /** Goes one step back, for Escape. Returns false if there is no step back. */
  back(): boolean {
    if (this.#asked !== null) this.#asked = null
    else if (this.#openKey !== null) this.close()
    else return false
    return true
  }

  /** Runs a scanned command. Returns false if this screen has no action for the command. */
  run(command: Command): boolean {
    if (command === 'NEXT') return this.#openNext()
    return command === 'HOME' && this.back()
  }

  /** Does the action of the large button. */
  async primary(): Promise<void> {
    if (this.mayRetryByEnter) await this.decide({ kind: 'retry' })
    else this.play('look')
  }

  /** Asks a question about the open entry and removes the failure of the last decision. */
  protected setStep(step: T['step']): void {
    this.#failure = null
    this.#asked = step
  }

  /** Shows a failure; null removes the shown failure. */
  protected setFailure(failure: Failure | null): void {
    this.#failure = failure
  }

  /**
   * Sends a decision to main, which returns the view after the decision. Then closes the entry, unless `stays` is true,
   * which lets the operator watch the entry. Returns null while another decision is being sent.
   */
  protected async act(
    echo: T['echo'],
    stays: boolean,
    decide: () => Promise<Result<T['view']>>,
  ): Promise<Result<T['view']> | null> {
    if (this.#busy) return null
    const result = await this.whileBusy(() => this.#reader.ask(decide))
    if (!result.ok) return result
    this.play('done')
    this.#asked = null
    this.#echo = echo
    if (stays) return result
    this.close()
    this.cursor.start(this.#keys(this.items))
    return result
  }

  /** Runs a call. If the call fails, shows why. No decision is accepted until the call returns. */
  protected async whileBusy<V>(call: () => Promise<Result<V>>): Promise<Result<V>> {
    this.#busy = true
    this.#failure = null
    const result = await call()
    this.#busy = false
    if (result.ok) return result
    this.#failure = result.error
    this.#asked = null
    this.play(outcomeOfFailure(result.error))
    return result
  }

  /**
   * Opens the entry after the open entry or, if no entry is open, the selected entry. If the list has no such entry,
   * opens the first entry. Returns false, and opens nothing, if the list is empty or a question is open.
   */
  #openNext(): boolean {
    const keys = this.#keys(this.items)
    const from = this.#openKey ?? this.cursor.key
    const at = keys.findIndex((key) => key === from)
    const next = this.#openKey === null && at >= 0 ? keys[at] : (keys[at + 1] ?? keys[0])
    if (this.#asked !== null || next === undefined) return false
    this.open(next)
    return true
  }

  #groupsOf(view: T['view'] | null): readonly ListGroup<T['item'], T['group']>[] {
    return view === null ? [] : this.#parts.groupsOf(view)
  }

  #keys(items: readonly T['item'][]): readonly string[] {
    return items.map((item) => this.#parts.keyOf(item))
  }

  #find(key: string): T['item'] | null {
    return this.items.find((item) => this.#parts.keyOf(item) === key) ?? null
  }

  /** Handles a new view: updates the cursor and the open entry. */
  #follow(before: T['view'] | null): void {
    const was = this.#groupsOf(before).flatMap(({ items }) => items)
    this.cursor.follow(this.#keys(was), this.#keys(this.items))
    if (this.#openKey === null) return
    const found = this.#find(this.#openKey)
    if (found) {
      this.#seen = found
      this.onShown(found)
    }
    const asked = this.#asked
    if (asked === null || (found && this.mayAsk(asked))) return
    this.#asked = null
    if (found && !this.#busy) this.onStepClosed()
  }
}

/** Reads a list from main on request; at most one read runs at a time. */
class ViewReader<View> {
  readonly #list: () => Promise<Result<View>>
  readonly #onTaken: (before: View | null) => void
  #view = $state.raw<View | null>(null)
  #failure = $state.raw<Failure | null>(null)
  /**
   * Sequence number of the last call to main. Each view has the number of the call that returned it. A view is dropped
   * if a view with a higher number is shown already.
   */
  #asked = 0
  #shown = 0
  #reading: Promise<void> | null = null
  /** Number of requests to load the list. A read fulfils only the requests made before the read began. */
  #wanted = 0

  /** @param onTaken - called after each new view was stored; `before` is the previous view. */
  constructor(list: () => Promise<Result<View>>, onTaken: (before: View | null) => void) {
    this.#list = list
    this.#onTaken = onTaken
  }

  /** The view; null until the first one was read. */
  get view(): View | null {
    return this.#view
  }
  /** Why the last read failed. The previous view is kept. */
  get failure(): Failure | null {
    return this.#failure
  }

  /** Reads the list. However many calls arrive during a read, one more read follows. */
  load(): Promise<void> {
    this.#wanted += 1
    this.#reading ??= this.#read().finally(() => {
      this.#reading = null
    })
    return this.#reading
  }

  /**
   * Makes a call that returns a view of the list, for example a decision. Shows the view unless a newer view is shown
   * already.
   */
  async ask(question: () => Promise<Result<View>>): Promise<Result<View>> {
    const turn = ++this.#asked
    const result = await question()
    if (result.ok) this.#take(turn, result)
    return result
  }

  reset(): void {
    this.#shown = ++this.#asked
    this.#view = null
    this.#failure = null
  }

  async #read(): Promise<void> {
    let answered = 0
    while (answered < this.#wanted) {
      answered = this.#wanted
      const turn = ++this.#asked
      this.#take(turn, await this.#list())
    }
  }

  #take(turn: number, result: Result<View>): void {
    if (turn <= this.#shown) return
    this.#shown = turn
    this.#failure = result.ok ? null : result.error
    if (!result.ok) return
    const before = this.#view
    this.#view = result.value
    this.#onTaken(before)
  }
}
