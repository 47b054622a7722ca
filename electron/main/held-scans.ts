import type { HeardScan } from '#shared/domain/scan-burst.ts'
import type { HeldScan } from '#shared/bridge/scanner-views.ts'

/** Somebody who scans on while no window takes anything hears no sound; this is far more than they will try. */
const most = 1_000

/**
 * Scans that the window has not taken yet, in their order: from before it is there, and from while it is made anew. Each
 * is handed over until the window says that it has routed it, so a window that breaks down loses none of them; one that
 * was routed and never written down did not sound.
 */
export class HeldScans {
  readonly #now: () => Date
  #scans: HeldScan[] = []
  #last = 0

  constructor(now: () => Date = () => new Date()) {
    this.#now = now
  }

  /** False: there are too many already, and this one is not kept. */
  add(scannerId: string, { raw, inBurst }: HeardScan): boolean {
    if (this.#scans.length >= most) return false
    this.#last += 1
    this.#scans.push({ number: this.#last, scannerId, raw, inBurst, at: this.#now().toISOString() })
    return true
  }

  list(): HeldScan[] {
    return [...this.#scans]
  }

  /** The window has routed this one and those before it. */
  taken(number: number): void {
    this.#scans = this.#scans.filter((scan) => scan.number > number)
  }
}
