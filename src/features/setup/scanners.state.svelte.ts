import { m } from '#messages/messages.js'
import type { ScandeskBridge } from '#shared/bridge/contract.ts'
import type { ScannerEntry, ScannerLive, ScannersView, SerialPorts } from '#shared/bridge/scanner-views.ts'
import { markedParts } from '#shared/domain/scanner-bytes.ts'
import type { Failure } from '#shared/errors/catalogue.ts'
import type { Result } from '#shared/errors/result.ts'
import { KeptList, listedLast, PaneList } from './pane-list.svelte.ts'
import { ScannerDraft } from './scanner-draft.svelte.ts'

/** The saved serial scanners, their current states, and the ports of this computer. */
class ScannerList extends KeptList<ScannerEntry, ScannersView> {
  readonly #bridge: ScandeskBridge
  #ports = $state.raw<SerialPorts | null>(null)

  constructor(bridge: ScandeskBridge) {
    super()
    this.#bridge = bridge
  }

  override get entries(): readonly ScannerEntry[] {
    return this.view?.scanners ?? []
  }
  /** The serial ports of this computer; null before the first search. */
  get ports(): SerialPorts | null {
    return this.#ports
  }
  /** Scanners that are set up and switched on, and whose port does not exist or cannot be used. */
  get lost(): readonly { readonly title: string; readonly failure: Failure }[] {
    return this.entries.flatMap(({ id, title }) => {
      const failure = this.liveOf(id)?.failure
      return failure ? [{ title, failure }] : []
    })
  }
  /** Names of the scanners that are open now. */
  get open(): readonly string[] {
    return this.entries.flatMap(({ id, title }) => (this.liveOf(id)?.state === 'open' ? [title] : []))
  }

  liveOf(id: string): ScannerLive | null {
    return this.view?.live.find((live) => live.id === id) ?? null
  }

  /** Reads the scanners and follows changes of their states until the returned function is called. */
  start(): () => void {
    void this.load()
    return this.#bridge.on('scanners', (view) => {
      this.take(view)
    })
  }

  /**
   * Searches for the serial ports of this computer. If the computer cannot list its ports, the result contains no port.
   */
  async discover(): Promise<void> {
    const ports = await this.#bridge.scanner.ports()
    this.#ports = ports.ok ? ports.value : { isListed: false, ports: [] }
  }

  protected override async read(): Promise<Result<ScannersView>> {
    return await this.#bridge.scanner.setup()
  }

  protected override async write(entries: readonly ScannerEntry[]): Promise<Result<ScannersView>> {
    return await this.#bridge.scanner.save({ scanners: [...entries] })
  }
}

/**
 * A scan in the test, with its scanner: `scannerId` is the id of a saved serial scanner, or the name of another
 * scanner.
 */
interface Arrival {
  readonly number: number
  readonly scannerId: string
  readonly parts: ReturnType<typeof markedParts>
  readonly characters: number
}

/** Maximum number of scans that the test shows. The test shows the newest scans, the newest first. */
const mostArrivals = 4

/** The scanner test of the scanner page. While it is open, scans are shown and have no other effect. */
class ScannerTest {
  #openCount = 0
  #arrivals = $state.raw<readonly Arrival[]>([])

  get arrivals(): readonly Arrival[] {
    return this.#arrivals
  }

  /** Opens the test, which receives all scans until the returned function is called. */
  opened(): () => void {
    this.#openCount += 1
    return () => {
      this.#openCount -= 1
      this.#arrivals = []
    }
  }

  /** Shows a scan if the test is open. Returns whether the test is open. */
  take({ scannerId, raw }: { readonly scannerId: string; readonly raw: string }): boolean {
    if (this.#openCount === 0) return false
    const number = (this.#arrivals[0]?.number ?? 0) + 1
    const arrival = { number, scannerId, parts: markedParts(raw), characters: Array.from(raw).length }
    this.#arrivals = [arrival, ...this.#arrivals].slice(0, mostArrivals)
    return true
  }
}

/** A serial port of this computer. `isListed`: whether another scanner of the list uses it. */
type FoundPort = SerialPorts['ports'][number] & { readonly isListed: boolean }

/**
 * The state of the scanner page: the list, and beside it the form of the open scanner. If no scanner is open, the
 * keyboard scanner is shown.
 */
export class ScannersState extends PaneList<ScannerEntry, ScannerDraft> {
  override readonly list: ScannerList
  readonly test = new ScannerTest()

  constructor(bridge: ScandeskBridge, newId?: () => string) {
    super(newId)
    this.list = new ScannerList(bridge)
  }

  override get removeText(): string {
    return m.scanners_remove_text()
  }
  /** The serial ports that this computer has found. Ports that another scanner of the list uses are at the end. */
  get ports(): readonly FoundPort[] {
    const taken = this.others.map(({ settings }) => settings.path)
    return listedLast(this.list.ports?.ports ?? [], ({ path }) => taken.includes(path))
  }

  openKeyboard(): void {
    this.leave(() => {
      this.take(null)
    })
  }

  protected override draftOf(from: ScannerEntry | string): ScannerDraft {
    return new ScannerDraft(from)
  }
}
