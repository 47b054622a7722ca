import type { DeskStatus, StationView } from '#shared/bridge/views.ts'

interface ProxyWatchParts {
  /** Reads the system's proxy for the service of the station again. Null: no proxy is needed or can be found. */
  readonly readAgain: (station: StationView) => Promise<string | null>
  /** Whether the desk prints now. A close of the desk during a print could make the outcome of the print unknown. */
  readonly isPrinting: () => Promise<boolean>
  /** Opens the desk of the station again. Does nothing if another station was opened meanwhile. */
  readonly reopen: (station: StationView) => Promise<void>
  readonly onFault: (error: unknown) => void
}

/** Milliseconds between two reads of the system's proxy. */
const everyMs = 30_000

/**
 * Opens the desk of a station again with the system's proxy, if the desk was opened without a proxy and has never
 * reached the service. A PC that starts before its network is ready cannot read its PAC script, for example. A desk that
 * has a proxy, or that was online, is never opened again: its operator may be logged in, and a PAC script may name
 * another proxy at each read.
 */
export class ProxyWatch {
  readonly #parts: ProxyWatchParts
  /** The station whose desk was opened without a proxy and has never been online; null: there is none. */
  #station: StationView | null = null
  #timer: NodeJS.Timeout | null = null

  constructor(parts: ProxyWatchParts) {
    this.#parts = parts
  }

  /** Call it when a desk is opened. `proxy`: the proxy that its calls of the service use. */
  opened(station: StationView, proxy: string | null): void {
    this.stop()
    if (proxy === null) this.#station = station
  }

  /** Call it with each status of the desk. */
  heard({ line }: Pick<DeskStatus, 'line'>): void {
    if (line.state === 'online') this.stop()
    else if (line.state === 'offline' && this.#station !== null)
      this.#timer ??= setInterval(() => void this.#check().catch(this.#parts.onFault), everyMs)
  }

  stop(): void {
    if (this.#timer !== null) clearInterval(this.#timer)
    this.#timer = null
    this.#station = null
  }

  async #check(): Promise<void> {
    const station = this.#station
    if (station === null || (await this.#parts.readAgain(station)) === null) return
    // the desk may have become online, or another station may have been opened, during these waits
    if ((await this.#parts.isPrinting()) || this.#station !== station) return
    this.stop()
    await this.#parts.reopen(station)
  }
}
