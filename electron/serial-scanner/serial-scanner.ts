import { type FindDevice, findSerialPort } from '#kit/device-files.ts'
import type { ScannerEntry, ScannerLive, SerialSettings } from '#shared/bridge/scanner-views.ts'
import { BurstLimit, BurstWatch, type HeardScan } from '#shared/domain/scan-burst.ts'
import { type DropReason, type Frame, FrameSplitter } from '#shared/domain/serial-frames.ts'
import { failure } from '#shared/errors/catalogue.ts'

export interface ScannerDeps {
  /**
   * Called with each scan. `ageMs`: milliseconds since the last byte of the scan arrived. If scans end with a pause,
   * `ageMs` includes this pause.
   */
  readonly onScan: (scan: HeardScan, ageMs: number) => void
  /** Called after each change of the state in `live` and after each dropped scan, but not after an accepted scan. */
  readonly onChange: () => void
  /**
   * Delays in milliseconds before the retries to open the port, one delay for each retry. The last delay applies to all
   * later retries.
   */
  readonly retryMs?: readonly number[]
  /** Time in milliseconds. A scan whose ending is missing is dropped if no byte arrives for this time. */
  readonly unfinishedMs?: number
  readonly open?: typeof openLine
  /** A monotonic clock, in milliseconds. */
  readonly nowMs?: () => number
}

const calmRetryMs = [500, 1_000, 2_000, 5_000] as const
const standardUnfinishedMs = 2_000
/**
 * Additional milliseconds before the timer drops a scan. Without them, a late timer could run before bytes that have
 * already arrived are read.
 */
const graceMs = 25

type State = Pick<ScannerLive, 'state' | 'failure'>

/**
 * Opens the port of one serial scanner and reports each scan. After a failure, tries to open the port again until
 * `stop` is called. Never throws.
 */
export class SerialScanner {
  readonly #entry: ScannerEntry
  readonly #deps: ScannerDeps
  readonly #splitter: FrameSplitter
  #state: State = { state: 'off', failure: null }
  #counts: Pick<ScannerLive, 'scans' | 'dropped' | 'lastDrop'> = { scans: 0, dropped: 0, lastDrop: null }
  #line: OpenLine | null = null
  #opening: Promise<void> = Promise.resolve()
  #isStopped = true
  readonly #bursts = new BurstWatch()
  readonly #limit = new BurstLimit()
  /**
   * `#begun`: the time at which the first byte of the current scan arrived, and whether another code precedes this scan
   * in one burst. `#lastMs`: the time at which the scanner's last byte arrived.
   */
  #begun = { atMs: 0, inBurst: false }
  #lastMs = 0
  #tries = 0
  #retry: NodeJS.Timeout | undefined
  #silence: NodeJS.Timeout | undefined

  constructor(entry: ScannerEntry, deps: ScannerDeps) {
    this.#entry = entry
    this.#deps = deps
    this.#splitter = new FrameSplitter(entry.settings)
  }

  get live(): ScannerLive {
    return { id: this.#entry.id, ...this.#state, ...this.#counts }
  }

  start(): void {
    if (!this.#isStopped || !this.#entry.isOn) return
    this.#isStopped = false
    this.#look()
  }

  /** Stops the scanner. Resolves when its port is free for other programs. */
  async stop(): Promise<void> {
    this.#isStopped = true
    clearTimeout(this.#retry)
    await this.#opening
    await this.#line?.close()
    this.#line = null
    this.#forgetBegun()
    this.#become({ state: 'off', failure: null })
  }

  #look(): void {
    this.#opening = this.#openOnce()
  }

  async #openOnce(): Promise<void> {
    const open = this.#deps.open ?? openLine
    const seen = { isGone: false }
    const opened = await open(this.#entry.settings, {
      onBytes: (bytes) => {
        this.#take(bytes)
      },
      onGone: () => {
        seen.isGone = true
        this.#gone()
      },
    })
    if (opened.kind === 'failed') this.#failed(opened.cause)
    else if (seen.isGone) this.#failed('no_port')
    else {
      this.#line = opened.line
      this.#tries = 0
      // if the scanner was stopped while the port was being opened, `stop` waits for this function and then closes the
      // port
      if (!this.#isStopped) this.#become({ state: 'open', failure: null })
    }
  }

  #gone(): void {
    if (!this.#line) return
    this.#line = null
    this.#forgetBegun()
    this.#failed('no_port')
  }

  #failed(cause: LineCause): void {
    if (this.#isStopped) return
    const { title, settings } = this.#entry
    const params = { scanner: title, port: settings.path }
    if (cause === 'no_port') this.#become({ state: 'looking', failure: failure('scanner.unplugged', params) })
    else this.#become({ state: 'failed', failure: failure('scanner.refused', { ...params, cause }) })
    const retryMs = this.#deps.retryMs ?? calmRetryMs
    const waitMs = retryMs[Math.min(this.#tries, retryMs.length - 1)] ?? 0
    this.#tries += 1
    this.#retry = setTimeout(() => {
      this.#look()
    }, waitMs)
  }

  #take(bytes: Uint8Array): void {
    clearTimeout(this.#silence)
    this.#lastMs = this.#nowMs()
    for (const byte of bytes) this.#takeByte(byte, this.#lastMs)
    if (!this.#splitter.isBegun) return
    const { ending, pauseMs } = this.#entry.settings
    const waitMs = ending === 'pause' ? pauseMs : (this.#deps.unfinishedMs ?? standardUnfinishedMs)
    this.#silence = setTimeout(() => {
      this.#silence = setTimeout(() => {
        this.#handle(this.#splitter.silence())
      }, graceMs)
    }, waitMs)
  }

  #takeByte(byte: number, atMs: number): void {
    const isFirst = !this.#splitter.isBegun
    const frames = this.#splitter.feed([byte])
    // an ending that arrives without a scan, such as LF after CR, does not begin a new scan
    const isCode = this.#splitter.isBegun || frames.length > 0
    if (isFirst && isCode) this.#begun = { atMs, inBurst: this.#bursts.begin(atMs) }
    else this.#bursts.heard(atMs)
    this.#handle(frames)
  }

  /** Drops an incomplete scan, because the port was closed before the end of the scan. */
  #forgetBegun(): void {
    clearTimeout(this.#silence)
    if (this.#splitter.isBegun) this.#drop('unfinished')
    this.#splitter.silence()
  }

  #handle(frames: readonly Frame[]): void {
    for (const frame of frames) {
      const { atMs: beganMs, inBurst } = this.#begun
      const limited = this.#limit.take({ beganMs, endedMs: this.#lastMs })
      // If a burst contains more scans than its limit, the first scan above the limit counts as refused. The later
      // scans of the burst are not counted.
      if (limited === 'more') continue
      if (limited === 'refused') this.#drop('too_many')
      else if (frame.kind === 'dropped') this.#drop(frame.why)
      else {
        this.#counts = { ...this.#counts, scans: this.#counts.scans + 1 }
        this.#deps.onScan({ raw: frame.raw, inBurst }, this.#nowMs() - this.#lastMs)
      }
    }
  }

  #nowMs(): number {
    return this.#deps.nowMs?.() ?? performance.now()
  }

  #drop(why: DropReason): void {
    this.#counts = { ...this.#counts, dropped: this.#counts.dropped + 1, lastDrop: why }
    this.#deps.onChange()
  }

  #become(state: State): void {
    const isSame =
      state.state === this.#state.state &&
      state.failure?.params['cause'] === this.#state.failure?.params['cause']
    this.#state = state
    if (!isSame) this.#deps.onChange()
  }
}

/**
 * Why a port cannot be used. The values mean, in this order: no such port, no permission, in use by another program,
 * not a serial port, wrong settings, no driver, another cause.
 */
type LineCause = 'no_port' | 'denied' | 'held' | 'not_a_port' | 'settings' | 'no_driver' | 'fault'

interface LineEvents {
  readonly onBytes: (bytes: Uint8Array) => void
  /** Called once when the port has closed, for any reason. */
  readonly onGone: () => void
}

interface OpenLine {
  readonly close: () => Promise<void>
}

type OpenedLine =
  { readonly kind: 'open'; readonly line: OpenLine } | { readonly kind: 'failed'; readonly cause: LineCause }

type LineSettings = Pick<SerialSettings, 'path' | 'baudRate' | 'dataBits' | 'parity' | 'stopBits'>

/**
 * Opens a serial port for this program alone. If the path does not lead to a serial port, opens nothing and returns
 * `no_port`, whether the file exists or not. Never throws.
 */
export async function openLine(
  settings: LineSettings,
  events: LineEvents,
  find: FindDevice = findSerialPort,
): Promise<OpenedLine> {
  const path = find(settings.path)
  if (path === null) return { kind: 'failed', cause: 'no_port' }
  try {
    // serialport is imported only when a port is opened, because its native module may be missing on this platform;
    // then only the serial scanners fail
    const { SerialPort } = await import('serialport')
    const { baudRate, dataBits, parity, stopBits } = settings
    const port = new SerialPort({ path, baudRate, dataBits, parity, stopBits, lock: true, autoOpen: false })
    // An error event without a listener would end the app. The listener does nothing, because the port closes after
    // each important error and then sends `close`.
    port.on('error', () => undefined)
    port.on('data', (bytes: Buffer) => {
      events.onBytes(bytes)
    })
    return await new Promise((resolve) => {
      port.open((error) => {
        if (error) {
          resolve({ kind: 'failed', cause: causeOf(error) })
          return
        }
        port.once('close', () => {
          events.onGone()
        })
        resolve({ kind: 'open', line: { close: () => closePort(port) } })
      })
    })
  } catch (error) {
    return { kind: 'failed', cause: causeOf(error) }
  }
}

async function closePort(port: {
  readonly isOpen: boolean
  close: (done: () => void) => void
}): Promise<void> {
  if (!port.isOpen) return
  await new Promise<void>((resolve) => {
    port.close(() => {
      resolve()
    })
  })
}

/**
 * The cause for each error message of serialport, which has no error codes. On Linux and macOS the messages are those
 * of strerror; on Windows they are from serialport itself.
 */
const causes: readonly (readonly [RegExp, LineCause])[] = [
  [/cannot find (module|package)|no native build|prebuil|dlopen|invalid elf/i, 'no_driver'],
  [/cannot lock|resource busy|device or resource busy|temporarily unavailable/i, 'held'],
  [/no such (file|device)|file not found|not found|enoent|enxio/i, 'no_port'],
  // Windows: another program has opened the port
  [/access denied/i, 'held'],
  [/permission denied|operation not permitted/i, 'denied'],
  [/inappropriate ioctl|not a typewriter|is a directory|invalid file/i, 'not_a_port'],
  [/baud|unknown error code 87|setcommstate|invalid argument|not a valid|must be/i, 'settings'],
]

/** Returns the cause of an error by its message. Exported, because a test checks the table of causes. */
export function causeOf(error: unknown): LineCause {
  const message = error instanceof Error ? error.message : String(error)
  return causes.find(([words]) => words.test(message))?.[1] ?? 'fault'
}
