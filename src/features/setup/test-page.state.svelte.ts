import { SvelteDate } from 'svelte/reactivity'
import { SvelteSet } from 'svelte/reactivity'
import { m } from '#messages/messages.js'
import type { ScandeskBridge } from '#shared/bridge/contract.ts'
import type { TestPageView } from '#shared/bridge/paper-views.ts'
import type { BlockLook, TestVerdict } from '#shared/domain/test-page.ts'
import { judgeTestPage, parseTestMark } from '#shared/domain/test-page.ts'
import type { Failure } from '#shared/errors/catalogue.ts'
import { formatDateTime } from '#ui/format.ts'

/**
 * A scan that is none of the codes on this test page: its code is from another test page (`other_run`), or is not a
 * test code (`no_mark`).
 */
export type StrayScan = { readonly kind: 'other_run'; readonly run: string } | { readonly kind: 'no_mark' }

/** The test page of a printer: printing it, the scans of its codes, and the verdict. */
export class TestPageState {
  readonly #bridge: ScandeskBridge
  readonly #read = new SvelteSet<string>()
  /** The id of the shown printer; null if no printer is shown, or if its shown values are not saved. */
  #printerId: string | null = null
  /**
   * A number that increases when another printer is shown. The result of a print that began before this change is
   * dropped.
   */
  #turn = 0
  #page = $state.raw<TestPageView | null>(null)
  #busy = $state(false)
  #failure = $state.raw<Failure | null>(null)
  #stray = $state.raw<StrayScan | null>(null)
  #isOpen = $state(false)
  #isFinished = $state(false)
  #block = $state<BlockLook | null>(null)
  /** The length that the operator measured and typed. */
  measured = $state('')

  constructor(bridge: ScandeskBridge) {
    this.#bridge = bridge
  }

  /**
   * The last test page of the shown printer and the result of printing it, even a refusal; null before the first test
   * page.
   */
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
  /** Whether scans belong to the test: its panel is open, and a page was printed. */
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

  /**
   * Marks the panel as open until the returned function is called. While the panel is open and a page was printed,
   * scans go to this test (`isListening`).
   */
  opened(): () => void {
    this.#isOpen = true
    return () => {
      this.#isOpen = false
    }
  }

  /** Called when the panel shows a printer. Forgets the test page and all results of any other printer. */
  show(printerId: string | null): void {
    if (printerId === this.#printerId) return
    this.#printerId = printerId
    this.#turn += 1
    this.#busy = false
    this.#failure = null
    this.#forget()
  }

  /**
   * Prints a test page. If `printerId` is null, the printer is the one to which the station routes sheets on label
   * paper, or the first printer if there is no such route.
   */
  async print(printerId: string | null): Promise<void> {
    this.show(printerId)
    if (this.#busy) return
    const turn = this.#turn
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
    if (turn !== this.#turn) return
    this.#busy = false
    if (!result.ok) {
      this.#failure = result.error
      return
    }
    this.#forget()
    this.#page = result.value
  }

  #forget(): void {
    this.#page = null
    this.#read.clear()
    this.#stray = null
    this.#isFinished = false
    this.#block = null
    this.measured = ''
  }

  /** Handles a scan while the panel is open. Returns the sound to play. */
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

  /**
   * Called when the operator can scan no further code of the page. All codes without a scan then count as unreadable.
   */
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
