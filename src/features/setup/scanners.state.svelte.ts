import { m } from '#messages/messages.js'
import type { ScandeskBridge } from '#shared/bridge/contract.ts'
import type { ScannerEntry, ScannerLive, ScannersView, SerialPorts } from '#shared/bridge/scanner-views.ts'
import { markedParts } from '#shared/domain/scanner-bytes.ts'
import type { Failure } from '#shared/errors/catalogue.ts'
import type { Result } from '#shared/errors/result.ts'
import { KeptList, listedLast, PaneList } from './pane-list.svelte.ts'
import { ScannerDraft } from './scanner-draft.svelte.ts'

/** The serial scanners as they are kept, how each is doing, and the ports of this computer. */
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
  /** Null until they are looked for. */
  get ports(): SerialPorts | null {
    return this.#ports
  }
  /** Scanners that should be there and are not. */
  get lost(): readonly { readonly title: string; readonly failure: Failure }[] {
    return this.entries.flatMap(({ id, title }) => {
      const failure = this.liveOf(id)?.failure
      return failure ? [{ title, failure }] : []
    })
  }
  /** What the scanners are called that are heard now. */
  get open(): readonly string[] {
    return this.entries.flatMap(({ id, title }) => (this.liveOf(id)?.state === 'open' ? [title] : []))
  }

  liveOf(id: string): ScannerLive | null {
    return this.view?.live.find((live) => live.id === id) ?? null
  }

  /** Follows how they are doing until the returned function is called. */
  start(): () => void {
    void this.load()
    return this.#bridge.on('scanners', (view) => {
      this.take(view)
    })
  }

  /** Looks for the ports of this computer; one that cannot be asked has none. */
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

/** What came from where: a serial scanner of the list by its id, another by its name. */
interface Arrival {
  readonly number: number
  readonly scannerId: string
  readonly parts: ReturnType<typeof markedParts>
  readonly characters: number
}

/** As many as are shown: the newest first. */
const mostArrivals = 4

/** The test of the scanner page: while it is open, what is scanned is shown, and nothing is done with it. */
class ScannerTest {
  #openCount = 0
  #arrivals = $state.raw<readonly Arrival[]>([])

  get arrivals(): readonly Arrival[] {
    return this.#arrivals
  }

  /** Scans come here until the returned function is called. */
  opened(): () => void {
    this.#openCount += 1
    return () => {
      this.#openCount -= 1
      this.#arrivals = []
    }
  }

  /** Returns whether it was for the test. */
  take({ scannerId, raw }: { readonly scannerId: string; readonly raw: string }): boolean {
    if (this.#openCount === 0) return false
    const number = (this.#arrivals[0]?.number ?? 0) + 1
    const arrival = { number, scannerId, parts: markedParts(raw), characters: Array.from(raw).length }
    this.#arrivals = [arrival, ...this.#arrivals].slice(0, mostArrivals)
    return true
  }
}

/** `isListed`: another scanner of the list is set up on it. */
type FoundPort = SerialPorts['ports'][number] & { readonly isListed: boolean }

/** The scanner page: the list, and the one scanner that is open; the keyboard scanner where no other is. */
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
  /** Ports of this computer. */
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
