import { SvelteDate } from 'svelte/reactivity'
import { SvelteSet } from 'svelte/reactivity'
import { m } from '#messages/messages.js'
import type { ScandeskBridge } from '#shared/bridge/contract.ts'
import type { TestPageView } from '#shared/bridge/paper-views.ts'
import type { BlockLook, TestVerdict } from '#shared/domain/test-page.ts'
import { judgeTestPage, parseTestMark } from '#shared/domain/test-page.ts'
import type { Failure } from '#shared/errors/catalogue.ts'
import { formatDateTime } from '#ui/format.ts'

/** A scan that ticked nothing: it belongs to another test page, or to none. */
export type StrayScan = { readonly kind: 'other_run'; readonly run: string } | { readonly kind: 'no_mark' }

/** The test page of a printer: its print, the scans of it, and the verdict. */
export class TestPageState {
  readonly #bridge: ScandeskBridge
  readonly #read = new SvelteSet<string>()
  #page = $state.raw<TestPageView | null>(null)
  #busy = $state(false)
  #failure = $state.raw<Failure | null>(null)
  #stray = $state.raw<StrayScan | null>(null)
  #isOpen = $state(false)
  #isFinished = $state(false)
  #block = $state<BlockLook | null>(null)
  /** The typed measurement. */
  measured = $state('')

  constructor(bridge: ScandeskBridge) {
    this.#bridge = bridge
  }

  /** The page sent last; null before the first. */
  get page(): TestPageView | null {
    return this.#page
  }
  get busy(): boolean {
    return this.#busy
  }
  get failure(): Failure | null {
    return this.#failure
  }
  get stray(): StrayScan | null {
    return this.#stray
  }
  get isFinished(): boolean {
    return this.#isFinished
  }
  get block(): BlockLook | null {
    return this.#block
  }
  set block(look: BlockLook | null) {
    this.#block = look
  }
  /** The panel is open, and there is a printed page to scan. */
  get isListening(): boolean {
    return this.#isOpen && this.#page !== null && this.#page.outcome.kind !== 'refused'
  }
  get isMeasureWrong(): boolean {
    return this.measured.trim() !== '' && this.#measuredMm === null
  }
  get verdict(): TestVerdict | null {
    const page = this.#page
    if (!page || page.outcome.kind === 'refused') return null
    return judgeTestPage({
      ...page,
      read: this.#read,
      isFinished: this.#isFinished,
      measuredMm: this.#measuredMm,
      block: this.#block,
    })
  }

  isRead(code: string): boolean {
    return this.#read.has(code)
  }

  /** Receives the scans until the returned function is called. */
  opened(): () => void {
    this.#isOpen = true
    return () => {
      this.#isOpen = false
    }
  }

  /** Prints a test page; null: on the first printer, which prints all paper without a route. */
  async print(printerId: string | null): Promise<void> {
    if (this.#busy) return
    this.#busy = true
    this.#failure = null
    const now = new SvelteDate()
    const result = await this.#bridge.paper.testPage({
      printerId,
      words: {
        title: m.test_title(),
        lead: formatDateTime(now.toISOString(), now.getTime()),
        hint: m.test_page_hint(),
        block: m.test_page_block(),
      },
    })
    this.#busy = false
    if (!result.ok) {
      this.#failure = result.error
      return
    }
    this.forget()
    this.#page = result.value
  }

  /** Another printer is shown: the scans of the earlier page do not apply to it. */
  forget(): void {
    this.#page = null
    this.#read.clear()
    this.#stray = null
    this.#isFinished = false
    this.#block = null
    this.measured = ''
  }

  /** Takes a scan while the panel is open; returns the sound for it. */
  take(raw: string): 'done' | 'look' {
    const scanned = parseTestMark(raw)
    const isHere = scanned !== null && this.#page?.marks.some(({ code }) => code === scanned.code) === true
    if (scanned && isHere) {
      this.#read.add(scanned.code)
      this.#stray = null
      return 'done'
    }
    this.#stray = scanned ? { kind: 'other_run', run: scanned.run } : { kind: 'no_mark' }
    return 'look'
  }

  /** No further code can be scanned: codes that are not ticked count as unreadable. */
  finish(): void {
    this.#isFinished = true
    this.#stray = null
  }

  get #measuredMm(): number | null {
    const text = this.measured.trim().replace(',', '.')
    const value = /^\d{1,3}(?:\.\d)?$/.test(text) ? Number(text) : 0
    return value > 0 ? value : null
  }
}
