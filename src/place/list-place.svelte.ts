import type { DeskStatus } from '#shared/bridge/views.ts'
import type { Command } from '#shared/domain/commands.ts'
import type { Failure } from '#shared/errors/catalogue.ts'
import type { Result } from '#shared/errors/result.ts'
import type { Sound } from '#scanner/sound.ts'
import { outcomeOfFailure } from './failure-text.ts'
import type { Place } from './place.ts'
import { ListCursor } from './list-cursor.svelte.ts'
import { ViewReader } from './view-reader.svelte.ts'

/** The types of one list place, by name. */
interface ListTypes {
  /** What main returns. */
  view: object
  /** One entry of the list. */
  item: object
  /** Names of the groups. */
  group: string
  /** What is asked about the open entry. */
  step: string | object
  /** What can be decided about an entry. */
  choice: string
  /** What the last decision came to. */
  echo: string
}

/** Entries under one heading. */
export interface ListGroup<Item, Name extends string> {
  readonly name: Name
  readonly items: readonly Item[]
}

/** What the feature tells its list place. */
interface ListParts<T extends ListTypes> {
  readonly play: (sound: Sound) => void
  /** Reads the list. */
  readonly list: () => Promise<Result<T['view']>>
  /** The entries as they are shown. */
  readonly groupsOf: (view: T['view']) => readonly ListGroup<T['item'], T['group']>[]
  /** What tells the entries apart, also from one view to the next. */
  readonly keyOf: (item: T['item']) => string
  readonly choicesOf: (item: T['item']) => readonly T['choice'][]
  /** The step at which nothing is asked: the choices are offered. */
  readonly choose: T['step']
}

/**
 * A list that main keeps, and the entry that is open: what is asked about it, and what the operator decides. Entries
 * come and go with each new view: an open one that left the list stays to be read, and the cursor goes to a neighbour.
 */
export abstract class ListPlace<T extends ListTypes> implements Place {
  /** Which entry is selected in the list, by its key. */
  readonly cursor = new ListCursor()
  protected readonly play: (sound: Sound) => void
  readonly #parts: ListParts<T>
  readonly #reader: ViewReader<T['view']>
  #groups: readonly ListGroup<T['item'], T['group']>[] = $derived.by(() => this.#groupsOf(this.view))
  /** Why the operator's decision could not be taken. */
  #failure = $state.raw<Failure | null>(null)
  #openKey = $state<string | null>(null)
  /** The open entry as it was last seen: it may have left the list since. */
  #seen = $state.raw<T['item'] | null>(null)
  /** Null: nothing is asked. */
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

  /** Null until the list was read. */
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
  /** Why the operator's decision could not be taken, or else why the list could not be read. */
  get failure(): Failure | null {
    return this.#failure ?? this.#reader.failure
  }
  /** A decision is on its way. */
  get busy(): boolean {
    return this.#busy
  }
  get step(): T['step'] {
    return this.#asked ?? this.#parts.choose
  }
  /** What the last decision came to, until the next entry is opened. */
  get echo(): T['echo'] | null {
    return this.#echo
  }
  /** The entry that is open, as it is now or as it was last. */
  get opened(): T['item'] | null {
    return this.#openKey === null ? null : this.#seen
  }
  get entryKey(): string | undefined {
    return this.#openKey ?? undefined
  }
  /** Whether the open entry left the list. */
  get gone(): boolean {
    return this.#openKey !== null && this.#find(this.#openKey) === null
  }
  /** The entry that is open and still listed. */
  protected get listed(): T['item'] | null {
    return this.gone ? null : this.opened
  }
  /** Whether Enter tries the open entry again. A question has no large button: Enter must not answer it. */
  abstract get mayRetryByEnter(): boolean

  /** Decides about the open entry; does nothing where that is not offered. */
  abstract decide(decision: { readonly kind: 'retry' }): Promise<void>

  /** Whether what is asked about the open entry can still be answered, now that another view is here. */
  protected abstract mayAsk(step: T['step']): boolean

  /** The entry that is drawn is another one, or a newer one; null: the list is drawn. */
  protected onShown(_item: T['item'] | null): void {
    // most places draw an entry from `opened` alone
  }

  offers(choice: T['choice']): boolean {
    const { listed } = this
    return listed !== null && this.#parts.choicesOf(listed).includes(choice)
  }

  /** Reads the list; calls while it is being read lead to one more reading. */
  load(): Promise<void> {
    return this.#reader.load()
  }

  onStatus(_status: DeskStatus, isShown: boolean): void {
    if (isShown) void this.load()
  }

  /** Another operator or station: what this one looked at is not the next one's. */
  reset(): void {
    this.#reader.reset()
    this.#failure = null
    this.#echo = null
    this.cursor.clear()
    this.close()
  }

  /** Opens an entry; one that is not listed any more leaves the list as it is. */
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

  /** Opens the first entry that `isMeant`; where there is none, the list stays as it is. */
  openFirst(isMeant: (item: T['item']) => boolean): void {
    const meant = this.items.find(isMeant)
    if (meant) this.open(this.#parts.keyOf(meant))
  }

  /** Back to the list. */
  close(): void {
    this.#openKey = null
    this.#seen = null
    this.#asked = null
    this.onShown(null)
  }

  /** One step back, as Escape takes it; returns whether there was one. */
  back(): boolean {
    if (this.#asked !== null) this.#asked = null
    else if (this.#openKey !== null) this.close()
    else return false
    return true
  }

  /** What a scanned command means here; returns whether it means anything. */
  run(command: Command): boolean {
    if (command === 'NEXT') return this.#openNext()
    return command === 'HOME' && this.back()
  }

  /** The large button. */
  async primary(): Promise<void> {
    if (this.mayRetryByEnter) await this.decide({ kind: 'retry' })
    else this.play('look')
  }

  /** Asks about the open entry; why the last decision failed is past then. */
  protected setStep(step: T['step']): void {
    this.#failure = null
    this.#asked = step
  }

  /** Shows why something failed; null: nothing did. */
  protected setFailure(failure: Failure | null): void {
    this.#failure = failure
  }

  /**
   * Sends a decision, which returns the view after it. What is decided makes room for the next entry, unless it `stays`
   * to be watched. Null while another decision is on its way.
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

  /** Takes no decision until the call returns, and shows why it failed. */
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

  /** The entry after the open one, or the one that the cursor is on; after the last comes the first. */
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

  /** Another view is here: the cursor and the open entry go with their entries. */
  #follow(before: T['view'] | null): void {
    const was = this.#groupsOf(before).flatMap(({ items }) => items)
    this.cursor.follow(this.#keys(was), this.#keys(this.items))
    if (this.#openKey === null) return
    const found = this.#find(this.#openKey)
    if (found) {
      this.#seen = found
      this.onShown(found)
    }
    if (!found || (this.#asked !== null && !this.mayAsk(this.#asked))) this.#asked = null
  }
}
