import type { ScandeskBridge } from '#shared/bridge/contract.ts'
import type { HeldScan } from '#shared/bridge/scanner-views.ts'

/**
 * Takes the scans that main keeps for this window, each once and in their order. A scan is acknowledged once it is routed:
 * a window that breaks down before gets it again, as one that was never heard of.
 */
export class HeldScanTaker {
  readonly #bridge: ScandeskBridge
  readonly #route: (scan: HeldScan) => void
  /** An event may overtake an acknowledgement: what was taken is known here, too. */
  #last = 0

  constructor(bridge: ScandeskBridge, route: (scan: HeldScan) => void) {
    this.#bridge = bridge
    this.#route = route
  }

  /** From now on, and what came before, until the returned function is called. */
  start(): () => void {
    let isOver = false
    const take = (scans: readonly HeldScan[]): void => {
      for (const scan of scans) if (!isOver && scan.number > this.#last) this.#take(scan)
    }
    const stop = this.#bridge.on('heldScans', take)
    void this.#bridge.scanner.held().then((held) => {
      if (held.ok) take(held.value)
    })
    return () => {
      isOver = true
      stop()
    }
  }

  #take(scan: HeldScan): void {
    this.#last = scan.number
    this.#route(scan)
    // sent behind what the route has sent; where it gets lost, main's own list still says what is to come
    void this.#bridge.scanner.taken({ number: scan.number })
  }
}
