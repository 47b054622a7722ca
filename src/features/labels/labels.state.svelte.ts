import type { LabelId } from '#shared/domain/ids.ts'
import { ListCursor } from '#place/list-cursor.svelte.ts'
import type { Place } from '#place/place.ts'
import type { ScandeskBridge } from '#shared/bridge/contract.ts'
import type { LabelEntry, LabelList } from '#shared/bridge/label-views.ts'
import type { Command } from '#shared/domain/commands.ts'
import type { Failure } from '#shared/errors/catalogue.ts'

export interface LabelsDeps {
  readonly bridge: ScandeskBridge
  /** Whether the list is visible. */
  readonly isShown: () => boolean
  /** Shows a label of this desk on the stage. */
  readonly onShow: (labelId: LabelId) => void
}

/** The search starts after a pause in typing of this length, in milliseconds. */
const pauseMs = 150
/** Maximum number of labels that are shown. To find others, the operator searches. */
const drawn = 200

/** The return labels that the search found, of this desk and of the service. */
export class LabelsState implements Place {
  readonly #deps: LabelsDeps
  /** The selected label, by `keyOfEntry`. */
  readonly cursor = new ListCursor()
  #text = $state('')
  #list = $state.raw<LabelList | null>(null)
  #failure = $state.raw<Failure | null>(null)
  #searching = $state(false)
  #opening = $state<string | null>(null)
  /** Sequence number of the last search. Only the response to this search is shown. */
  #asked = 0
  #timer: ReturnType<typeof setTimeout> | null = null
  /** Increases when the list is opened or forgotten. A label that was selected at a lower number is not shown. */
  #visit = 0
  #answer: Promise<boolean> = Promise.resolve(false)

  constructor(deps: LabelsDeps) {
    this.#deps = deps
  }

  get text(): string {
    return this.#text
  }
  /**
   * The found labels; null until the first response. While a search runs, these are the labels of the previous search.
   */
  get list(): LabelList | null {
    return this.#list
  }
  /** The labels that are shown, newest first. */
  get lines(): readonly LabelEntry[] {
    return this.#list?.labels.slice(0, drawn) ?? []
  }
  /** Number of labels that the search found but the list does not show. */
  get beyond(): number {
    return Math.max(0, (this.#list?.found ?? 0) - this.lines.length)
  }
  get failure(): Failure | null {
    return this.#failure
  }
  get searching(): boolean {
    return this.#searching
  }
  /** Key of the label that is being fetched from the service. */
  get opening(): string | null {
    return this.#opening
  }

  visit(): void {
    this.#dropOpening()
  }

  /** Drops the label that is still being read, so that it is not shown later and another label can be opened now. */
  #dropOpening(): void {
    this.#visit += 1
    this.#opening = null
  }

  /** Searches after a pause in typing. An empty text lists the newest labels. */
  type(text: string): void {
    this.#text = text
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = setTimeout(() => {
      void this.load()
    }, pauseMs)
  }

  /**
   * Searches now. Returns true when the shown labels are the result of this search. Returns false if this search fails,
   * or if another search or `reset` follows before the response.
   */
  load(): Promise<boolean> {
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = null
    return (this.#answer = this.#ask())
  }

  /**
   * Waits until the shown labels are the result for the typed text. Returns false if the operator types more before
   * that, or if the search fails.
   */
  async isAnswered(): Promise<boolean> {
    const text = this.#text
    const isFound = await (this.#timer === null ? this.#answer : this.load())
    return isFound && text === this.#text
  }

  async #ask(): Promise<boolean> {
    const turn = ++this.#asked
    this.#searching = true
    this.cursor.clear()
    const result = await this.#deps.bridge.returnLabel.search({ text: this.#text.trim().slice(0, 200) })
    if (turn !== this.#asked) return false
    this.#searching = false
    if (result.ok) this.#list = result.value
    this.#failure = result.ok ? null : result.error
    this.cursor.renew(this.#keys)
    return result.ok
  }

  /** Forgets the search, because another operator or station must not see it. */
  reset(): void {
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = null
    this.#asked += 1
    this.#dropOpening()
    this.#text = ''
    this.#list = null
    this.#failure = null
    this.#searching = false
    this.cursor.renew([])
  }

  /** Runs a scanned command. Returns false if this screen has no action for the command. */
  run(command: Command): boolean {
    if (command === 'NEXT') return this.cursor.next(this.#searching ? null : this.#keys)
    const entry = this.lines.find((one) => keyOfEntry(one) === this.cursor.key)
    if (command !== 'PRIMARY' || !entry) return false
    void this.open(entry)
    return true
  }

  /**
   * Shows a label. The label of another desk is first added to this desk's ledger. If the operator has left the list by
   * then, for example with a scan, the label is not shown, because it would replace the operator's later work.
   */
  async open(entry: LabelEntry): Promise<void> {
    if (entry.labelId !== null) {
      this.#deps.onShow(entry.labelId)
      return
    }
    if (entry.serverId === null || this.#opening !== null) return
    this.#opening = keyOfEntry(entry)
    const visit = this.#visit
    const result = await this.#deps.bridge.returnLabel.open({ serverId: entry.serverId })
    if (visit !== this.#visit) return
    this.#opening = null
    if (!this.#deps.isShown()) return
    this.#failure = result.ok ? null : result.error
    if (result.ok) this.#deps.onShow(result.value.id)
  }

  get #keys(): readonly string[] {
    return this.lines.map(keyOfEntry)
  }
}

/** Returns a key that identifies a label of the list. */
export function keyOfEntry({ labelId, serverId }: LabelEntry): string {
  return labelId ?? serverId ?? ''
}
