import type { LabelId } from '#shared/domain/ids.ts'
import { ListCursor } from '#place/list-cursor.svelte.ts'
import type { Place } from '#place/place.ts'
import type { ScandeskBridge } from '#shared/bridge/contract.ts'
import type { LabelEntry, LabelList } from '#shared/bridge/label-views.ts'
import type { Command } from '#shared/domain/commands.ts'
import type { Failure } from '#shared/errors/catalogue.ts'

export interface LabelsDeps {
  readonly bridge: ScandeskBridge
  /** Shows a label of this desk on the stage. */
  readonly onShow: (labelId: LabelId) => void
}

/** Typing faster than this asks once. */
const pauseMs = 150
/** A longer list is not read but searched. */
const drawn = 200

/** The return labels of this desk and of the service, as the search finds them. */
export class LabelsState implements Place {
  readonly #deps: LabelsDeps
  /** By `keyOfEntry`. */
  readonly cursor = new ListCursor()
  #text = $state('')
  #list = $state.raw<LabelList | null>(null)
  #failure = $state.raw<Failure | null>(null)
  #searching = $state(false)
  #opening = $state<string | null>(null)
  /** Searches are numbered: only the answer of the last one is shown. */
  #asked = 0
  #timer: ReturnType<typeof setTimeout> | null = null
  #answer: Promise<boolean> = Promise.resolve(false)

  constructor(deps: LabelsDeps) {
    this.#deps = deps
  }

  get text(): string {
    return this.#text
  }
  /** Null until the first answer; then always the last one, also while the next is on its way. */
  get list(): LabelList | null {
    return this.#list
  }
  /** The lines that are drawn, newest first. */
  get lines(): readonly LabelEntry[] {
    return this.#list?.labels.slice(0, drawn) ?? []
  }
  /** How many were found beyond the lines. */
  get beyond(): number {
    return Math.max(0, (this.#list?.found ?? 0) - this.lines.length)
  }
  get failure(): Failure | null {
    return this.#failure
  }
  get searching(): boolean {
    return this.#searching
  }
  /** Key of the line that is being fetched from the service. */
  get opening(): string | null {
    return this.#opening
  }

  /** Searches once the typing pauses; empty text brings the newest. */
  type(text: string): void {
    this.#text = text
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = setTimeout(() => {
      void this.load()
    }, pauseMs)
  }

  /** Asks now; returns whether the lines are those of the text then. */
  load(): Promise<boolean> {
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = null
    return (this.#answer = this.#ask())
  }

  /** Waits until the lines are those of what was typed; false: more was typed meanwhile, or nothing could be asked. */
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

  /** Another operator or station: what this one looked for is not the next one's. */
  reset(): void {
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = null
    this.#asked += 1
    this.#text = ''
    this.#list = null
    this.#failure = null
    this.#searching = false
    this.cursor.renew([])
  }

  /** What a scanned command means for the list; returns whether it means anything. */
  run(command: Command): boolean {
    if (command === 'NEXT') return this.cursor.next(this.#searching ? null : this.#keys)
    const entry = this.lines.find((one) => keyOfEntry(one) === this.cursor.key)
    if (command !== 'PRIMARY' || !entry) return false
    void this.open(entry)
    return true
  }

  /** Shows a label; one of another desk is taken into this desk's ledger first. */
  async open(entry: LabelEntry): Promise<void> {
    if (entry.labelId !== null) {
      this.#deps.onShow(entry.labelId)
      return
    }
    if (entry.serverId === null || this.#opening !== null) return
    this.#opening = keyOfEntry(entry)
    const result = await this.#deps.bridge.returnLabel.open({ serverId: entry.serverId })
    this.#opening = null
    this.#failure = result.ok ? null : result.error
    if (result.ok) this.#deps.onShow(result.value.id)
  }

  get #keys(): readonly string[] {
    return this.lines.map(keyOfEntry)
  }
}

/** What tells the lines of a list apart. */
export function keyOfEntry({ labelId, serverId }: LabelEntry): string {
  return labelId ?? serverId ?? ''
}
