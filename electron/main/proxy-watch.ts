import type { DeskStatus, StationView } from '#shared/bridge/views.ts'

/** The system's proxies for a station as addresses; null: no proxy is needed, or the proxy cannot be read. */
export interface StationProxies {
  readonly service: string | null
  /** The proxies of the label hosts, by origin. */
  readonly documents: Readonly<Record<string, string | null>>
}

interface ProxyWatchParts {
  /** Reads the system's proxies. */
  readonly read: (station: StationView) => Promise<StationProxies>
  /** Whether the desk prints now. A close of the desk during a print could make the outcome of the print unknown. */
  readonly isPrinting: () => Promise<boolean>
  /** Opens the desk of the station again. Does nothing if another station was opened meanwhile. */
  readonly reopen: (station: StationView) => Promise<void>
  readonly onFault: (error: unknown) => void
}

/** Milliseconds between two reads of the system's proxies while the desk is offline. */
const everyMs = 15_000

/**
 * Opens the desk of the station again if the desk is offline and the system has another proxy for the service now than
 * when the desk was opened. A PC that starts before its network is ready, for example, cannot read its PAC script, and
 * the desk then begins without a proxy. The desk is not opened again to be used without a proxy, because a PC that has
 * lost its network cannot read the script either.
 */
export class ProxyWatch {
  readonly #parts: ProxyWatchParts
  #opened: { readonly station: StationView; readonly proxies: StationProxies } | null = null
  #timer: NodeJS.Timeout | null = null

  constructor(parts: ProxyWatchParts) {
    this.#parts = parts
  }

  /** Reads the proxies for a desk that is being opened, and remembers them. */
  async readFor(station: StationView): Promise<StationProxies> {
    const proxies = await this.#parts.read(station)
    this.#opened = { station, proxies }
    return proxies
  }

  /** Begins or ends the reads. Call it with each status of the desk. */
  heard({ line }: Pick<DeskStatus, 'line'>): void {
    if (line.state !== 'offline') this.stop()
    else this.#timer ??= setInterval(() => void this.#check().catch(this.#parts.onFault), everyMs)
  }

  stop(): void {
    if (this.#timer !== null) clearInterval(this.#timer)
    this.#timer = null
  }

  async #check(): Promise<void> {
    const opened = this.#opened
    if (opened === null) return
    const { service } = await this.#parts.read(opened.station)
    if (service === null || service === opened.proxies.service) return
    if (await this.#parts.isPrinting()) return
    // the desk may have become online, or another station may have been opened, during the two waits
    if (this.#timer === null || this.#opened !== opened) return
    this.stop()
    await this.#parts.reopen(opened.station)
  }
}
