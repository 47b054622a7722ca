import type { ScannerDeps, SerialScanner } from '#serial/serial-scanner.ts'
import type { EventPayload } from '#shared/bridge/contract.ts'
import type { ScannerEntry, ScannerSetup, ScannersView, HeldScan } from '#shared/bridge/scanner-views.ts'
import { fail, ok, type Result } from '#shared/errors/result.ts'
import type { SettingsStore } from './settings.ts'
import type { HeardScan } from '#shared/domain/scan-burst.ts'

type Scanner = Pick<SerialScanner, 'start' | 'stop' | 'live'>
type CreateScanner = (entry: ScannerEntry, deps: ScannerDeps) => Scanner
type Tell = <E extends 'scanners' | 'heldScans'>(event: E, payload: EventPayload<E>) => void

/** Noise on a line changes a count with every byte: the window hears of it so often at most. */
const tellEveryMs = 100
/** Held scans are told so often at most: as fast as nobody scans. */
const tellHeldEveryMs = 50

/** The serial scanners of this PC: they run as long as the app does, whatever station is open. */
export class Scanners {
  readonly held = new HeldScans()
  readonly #settings: SettingsStore
  readonly #create: CreateScanner
  readonly #tell: Tell
  /** By what they were made of: one that nobody changed goes on without a break. */
  #running: ReadonlyMap<string, Scanner> = new Map()
  #changing: Promise<void> = Promise.resolve()
  #telling: NodeJS.Timeout | undefined
  #isOver = false
  #tellingHeld: NodeJS.Timeout | undefined
  /** Scans were added that were not told yet. */
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

  /** Takes all of it or nothing. Errors: those of `checkScanners`. */
  async save(wanted: ScannerSetup): Promise<Result<ScannersView>> {
    const checked = checkScanners(wanted)
    if (!checked.ok) return checked
    this.#settings.update({ scanners: wanted.scanners })
    await this.#follow()
    this.#tellSoon()
    return ok(this.view())
  }

  /** Resolves when every port is free for others. */
  async close(): Promise<void> {
    this.#isOver = true
    await this.#follow()
    clearTimeout(this.#telling)
    clearTimeout(this.#tellingHeld)
  }

  /** One change at a time: a port is given free before it is opened with other settings. */
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
    this.#running = new Map([...wanted].map(([key, entry]) => [key, before.get(key) ?? this.#make(entry)]))
    for (const scanner of this.#running.values()) scanner.start()
  }

  #make(entry: ScannerEntry): Scanner {
    return this.#create(entry, {
      onScan: (scan) => {
        if (this.held.add(entry.id, scan)) this.#tellHeld()
        this.#tellSoon()
      },
      onChange: () => {
        this.#tellSoon()
      },
    })
  }

  /** The first scan at once; those that follow it closely together, since each time all that are held are told. */
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

/** Scanners that can be used together. Errors: `scanner.same_twice` {scanner, other}, titles of one id or one port. */
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

/** Windows does not tell `COM3` from `com3`; elsewhere the name of a file is exact. */
function portOf({ settings: { path } }: ScannerEntry): string {
  return /^com\d+$/i.test(path) ? path.toUpperCase() : path
}

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
