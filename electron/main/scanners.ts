import type { ScannerDeps, SerialScanner } from '#serial-scanner/serial-scanner.ts'
import type { EventPayload } from '#shared/bridge/contract.ts'
import type { ScannerEntry, ScannerSetup, ScannersView, HeldScan } from '#shared/bridge/scanner-views.ts'
import { fail, ok, type Result } from '#shared/errors/result.ts'
import type { SettingsStore } from './settings.ts'
import type { HeardScan } from '#shared/domain/scan-burst.ts'

type Scanner = Pick<SerialScanner, 'start' | 'stop' | 'live'>
type CreateScanner = (entry: ScannerEntry, deps: ScannerDeps) => Scanner
type Tell = <E extends 'scanners' | 'heldScans'>(event: E, payload: EventPayload<E>) => void

/**
 * Minimum time in milliseconds between two messages to the window with the counts of the scanners. The messages are
 * limited, because noise on a serial line changes a count with every byte.
 */
const tellEveryMs = 100
/**
 * Minimum time in milliseconds between two messages that send held scans to the window. No operator scans faster than
 * this.
 */
const tellHeldEveryMs = 50

/** The serial scanners of this PC. They run as long as the app runs, regardless of the station that is open. */
export class Scanners {
  readonly held = new HeldScans()
  readonly #settings: SettingsStore
  readonly #create: CreateScanner
  readonly #tell: Tell
  /**
   * The scanners by their entry, also those that are switched off. If the entry of a scanner does not change, not even
   * in its title, the scanner continues without interruption.
   */
  #running: ReadonlyMap<string, Scanner> = new Map()
  #changing: Promise<void> = Promise.resolve()
  #telling: NodeJS.Timeout | undefined
  #isOver = false
  #tellingHeld: NodeJS.Timeout | undefined
  /** Whether scans were added that have not been sent to the window yet. */
  #isHeldNew = false

  constructor(settings: SettingsStore, create: CreateScanner, tell: Tell) {
    this.#settings = settings
    this.#create = create
    this.#tell = tell
  }

  start(): void {
    void this.#follow()
  }

  view(): ScannersView {
    const { scanners } = this.#settings.read()
    const live = scanners.flatMap((entry) => this.#running.get(keyOf(entry))?.live ?? [])
    return { scanners: [...scanners], live }
  }

  /** Saves all scanners, or nothing. Errors: those of `checkScanners`. */
  async save(wanted: ScannerSetup): Promise<Result<ScannersView>> {
    const checked = checkScanners(wanted)
    if (!checked.ok) return checked
    this.#settings.update({ scanners: wanted.scanners })
    await this.#follow()
    this.#tellSoon()
    return ok(this.view())
  }

  /** Stops all scanners. Resolves when their ports are free for other programs. */
  async close(): Promise<void> {
    this.#isOver = true
    await this.#follow()
    clearTimeout(this.#telling)
    clearTimeout(this.#tellingHeld)
  }

  /**
   * Starts and stops scanners according to the settings, one change at a time: a port is released before it is opened
   * with other settings.
   */
  #follow(): Promise<void> {
    this.#changing = this.#changing.then(() => this.#runThoseThatAreSet())
    return this.#changing
  }

  async #runThoseThatAreSet(): Promise<void> {
    const wanted = new Map(
      this.#isOver ? [] : this.#settings.read().scanners.map((entry) => [keyOf(entry), entry]),
    )
    const before = this.#running
    await Promise.all([...before].filter(([key]) => !wanted.has(key)).map(([, scanner]) => scanner.stop()))
    // if the app has begun to close during this wait, no further scanner starts, because its port may open slowly
    const runs = [...wanted].filter(([key]) => before.has(key) || !this.#isOver)
    this.#running = new Map(runs.map(([key, entry]) => [key, before.get(key) ?? this.#make(entry)]))
    for (const scanner of this.#running.values()) scanner.start()
  }

  #make(entry: ScannerEntry): Scanner {
    return this.#create(entry, {
      onScan: (scan, ageMs) => {
        if (this.held.add(entry.id, scan, ageMs)) this.#tellHeld()
        this.#tellSoon()
      },
      onChange: () => {
        this.#tellSoon()
      },
    })
  }

  /**
   * Sends the held scans to the window. A scan after a pause is sent at once. Scans that follow within
   * `tellHeldEveryMs` wait for the next message, which contains all held scans.
   */
  #tellHeld(): void {
    if (this.#tellingHeld !== undefined) {
      this.#isHeldNew = true
      return
    }
    this.#tell('heldScans', this.held.list())
    this.#tellingHeld = setTimeout(() => {
      this.#tellingHeld = undefined
      const isNew = this.#isHeldNew
      this.#isHeldNew = false
      if (isNew && !this.#isOver) this.#tellHeld()
    }, tellHeldEveryMs)
  }

  #tellSoon(): void {
    if (this.#isOver) return
    this.#telling ??= setTimeout(() => {
      this.#telling = undefined
      this.#tell('scanners', this.view())
    }, tellEveryMs)
  }
}

function keyOf(entry: ScannerEntry): string {
  return JSON.stringify(entry)
}

/**
 * Checks that no two scanners have the same id or port. Error: `scanner.same_twice` {scanner, other}, with the titles
 * of the two scanners.
 */
export function checkScanners(setup: ScannerSetup): Result<ScannerSetup> {
  const { scanners } = setup
  for (const [at, scanner] of scanners.entries()) {
    const other = scanners.slice(0, at).find((one) => isSame(one, scanner))
    if (other) return fail('scanner.same_twice', { scanner: scanner.title, other: other.title })
  }
  return ok(setup)
}

function isSame(one: ScannerEntry, other: ScannerEntry): boolean {
  return one.id === other.id || portOf(one) === portOf(other)
}

/**
 * Returns the port's name in a form for comparisons. Windows regards `COM3` and `com3` as the same port; on other
 * systems a port is a file, whose name is compared exactly.
 */
function portOf({ settings: { path } }: ScannerEntry): string {
  return /^com\d+$/i.test(path) ? path.toUpperCase() : path
}

/**
 * Maximum number of held scans. A held scan makes no sound, so an operator stops scanning long before this number is
 * reached.
 */
const most = 1_000

/**
 * Scans that the window has not confirmed yet, in the order in which they were scanned: the window may not exist yet,
 * or may be reloading. A scan is sent again until the window confirms that it has routed the scan, so a crash of the
 * window loses no held scan. If the window routed a scan but did not save it, the operator heard no sound and scans
 * again.
 */
export class HeldScans {
  readonly #now: () => Date
  #scans: HeldScan[] = []
  #last = 0

  constructor(now: () => Date = () => new Date()) {
    this.#now = now
  }

  /**
   * Adds a scan whose last byte arrived `ageMs` milliseconds ago. Returns false and drops the scan if too many are
   * held.
   */
  add(scannerId: string, { raw, inBurst }: HeardScan, ageMs = 0): boolean {
    if (this.#scans.length >= most) return false
    this.#last += 1
    const at = new Date(this.#now().getTime() - ageMs).toISOString()
    this.#scans.push({ number: this.#last, scannerId, raw, inBurst, at })
    return true
  }

  list(): HeldScan[] {
    return [...this.#scans]
  }

  /** Removes the scan with this number and all scans before it, because the window has routed them. */
  taken(number: number): void {
    this.#scans = this.#scans.filter((scan) => scan.number > number)
  }
}
