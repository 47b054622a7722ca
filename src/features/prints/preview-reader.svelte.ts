import type { ScandeskBridge } from '#shared/bridge/contract.ts'
import type { PrintLine, PrintPreview } from '#shared/bridge/print-views.ts'
import type { Failure } from '#shared/errors/catalogue.ts'

/** What would come out of the open job, asked for anew whenever something is different that shows on the paper. */
export class PreviewReader {
  readonly #bridge: ScandeskBridge
  #preview = $state.raw<PrintPreview | null>(null)
  #failure = $state.raw<Failure | null>(null)
  #page = $state(0)
  /** The picture fills the window, over everything that can be done. */
  isLarge = $state(false)
  #wanted: { readonly jobId: string; readonly paper: string } | null = null

  constructor(bridge: ScandeskBridge) {
    this.#bridge = bridge
  }

  /** Null until the first answer; a turned page replaces the one before it. */
  get preview(): PrintPreview | null {
    return this.#preview
  }
  /** The page that is shown. */
  get shown(): PrintPreview['pages'][number] | null {
    return this.#preview?.pages[this.#page] ?? null
  }
  /** Why there is nothing to be seen. */
  get failure(): Failure | null {
    return this.#failure
  }
  /** Counted from 0. */
  get page(): number {
    return this.#page
  }

  turnTo(page: number): void {
    const pages = this.#preview?.pages.length ?? 0
    this.#page = Math.max(0, Math.min(page, pages - 1))
  }

  /** Null: nothing is open. */
  async show(line: Pick<PrintLine, 'jobId' | 'printer' | 'placement'> | null): Promise<void> {
    const wanted = line && { jobId: line.jobId, paper: JSON.stringify([line.printer, line.placement]) }
    const before = this.#wanted
    if (wanted?.jobId === before?.jobId && wanted?.paper === before?.paper) return
    this.#wanted = wanted
    if (wanted?.jobId !== before?.jobId) this.#clear()
    if (!wanted) return
    const result = await this.#bridge.print.preview({ jobId: wanted.jobId })
    // another job or another way to lay it was asked for meanwhile
    if (this.#wanted !== wanted) return
    this.#failure = result.ok ? null : result.error
    this.#preview = result.ok ? result.value : null
    this.turnTo(this.#page)
  }

  #clear(): void {
    this.isLarge = false
    this.#preview = null
    this.#failure = null
    this.#page = 0
  }
}
