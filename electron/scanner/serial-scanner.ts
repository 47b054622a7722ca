import type { ScannerEntry, ScannerLive } from '#shared/bridge/scanner-views.ts'
import { type DropReason, type Frame, FrameSplitter } from '#shared/domain/serial-frames.ts'
import { BurstLimit, BurstWatch, type HeardScan } from '#shared/domain/scan-burst.ts'
import { failure } from '#shared/errors/catalogue.ts'
import { type LineCause, openLine, type OpenLine } from './serial-line.ts'

export interface ScannerDeps {
  readonly onScan: (scan: HeardScan) => void
  /** Anything of `live` is another. */
  readonly onChange: () => void
  /** What is waited before the first, the second, … try to open the port again; the last one stays. */
  readonly retryMs?: readonly number[]
  /** A scan without its ending is given up after so long a silence. */
  readonly unfinishedMs?: number
  readonly open?: typeof openLine
  /** A clock that never goes back, in milliseconds. */
  readonly nowMs?: () => number
}

const calmRetryMs = [500, 1_000, 2_000, 5_000] as const
const standardUnfinishedMs = 2_000
/** A timer that is late may be early for bytes that wait behind it: they get this long to be read. */
const graceMs = 25

type State = Pick<ScannerLive, 'state' | 'failure'>

/** One serial scanner: looks for its port as long as it runs, and says what was scanned. Never throws. */
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
  /** When the first bytes came of the scan that is begun, and the last ones of all. */
  #beganMs: number | null = null
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

  /** Resolves when the port is free for others. */
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
      // stopped meanwhile: `stop` waits for this and closes it
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
    this.#lastMs = (this.#deps.nowMs ?? (() => performance.now()))()
    this.#beganMs ??= this.#lastMs
    this.#handle(this.#splitter.feed(bytes))
    if (!this.#splitter.isBegun) {
      this.#beganMs = null
      return
    }
    const { ending, pauseMs } = this.#entry.settings
    const waitMs = ending === 'pause' ? pauseMs : (this.#deps.unfinishedMs ?? standardUnfinishedMs)
    this.#silence = setTimeout(() => {
      this.#silence = setTimeout(() => {
        this.#handle(this.#splitter.silence())
      }, graceMs)
    }, waitMs)
  }

  /** What was cut off by the plug is no scan, whatever the ending. */
  #forgetBegun(): void {
    clearTimeout(this.#silence)
    if (this.#splitter.isBegun) this.#drop('unfinished')
    this.#splitter.silence()
  }

  #handle(frames: readonly Frame[]): void {
    for (const frame of frames) {
      // what is no scan may be the first half of a barcode, too
      const span = { beganMs: this.#beganMs ?? this.#lastMs, endedMs: this.#lastMs }
      const inBurst = this.#bursts.take(span)
      const limited = this.#limit.take(span)
      this.#beganMs = this.#lastMs
      // the rest of a burst is one refused scan, however long it is
      if (limited === 'more') continue
      if (limited === 'refused') this.#drop('too_many')
      else if (frame.kind === 'dropped') this.#drop(frame.why)
      else {
        this.#counts = { ...this.#counts, scans: this.#counts.scans + 1 }
        this.#deps.onScan({ raw: frame.raw, inBurst })
      }
    }
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
