import { closeSync, fstatSync, openSync, readSync, renameSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { makeFolder } from '#kit/durable-files.ts'
import { privateFile } from '#kit/private-files.ts'

const largestFile = 1024 * 1024
/** The number of log files that are kept in addition to the current one. */
const oldFiles = 5
/** Maximum length of a line in bytes. A line may quote a long text of a service or a printer. */
const longestLine = 16_000
/**
 * If a line is too long, only this number of its first bytes is logged. The number is less than half of `longestLine`,
 * because these bytes are logged inside a JSON string, in which each quotation mark takes two bytes.
 */
const keptOfLongLine = 7_500
/** Maximum number of lines that are kept in memory until the file is opened. */
const mostHeld = 200
const retryMs = 10_000

interface Limits {
  readonly largestFile: number
  readonly retryMs: number
}

/**
 * The log in the data directory: `logs/desk.log`, and up to five older files from `desk.log.1` (newest) to
 * `desk.log.5`. The field `name` of a line is `desk`, or `middleware` for the output of the embedded middleware.
 *
 * Each line is written synchronously, because the last line before a crash explains the crash, and a stream could lose
 * that line. Lines are not synced to the disk, so a power cut may lose some of the last lines. At level `info` the app
 * writes about ten lines a minute. The write of a line takes about twenty microseconds.
 *
 * If the disk is full or fails, only log lines are lost: no method throws, and the log tries to write again after ten
 * seconds.
 */
export class LogFile {
  readonly #limits: Limits
  readonly #ticks: () => number
  #file: string | null = null
  #descriptor: number | null = null
  #bytes = 0
  #held: string[] = []
  #lost = 0
  #fault: string | null = null
  #retryAt = 0
  /** Whether the last write wrote only a part of its line. */
  #isTorn = false

  /** `ticks`: monotonic milliseconds. */
  constructor(limits: Limits = { largestFile, retryMs }, ticks: () => number = () => performance.now()) {
    this.#limits = limits
    this.#ticks = ticks
  }

  /** The system's error code if lines cannot be written now, otherwise null. */
  get fault(): string | null {
    return this.#fault
  }

  /** Opens the log file in `dataDir`. Call it only after the check that this account owns `dataDir`. */
  open(dataDir: string): void {
    this.#file = join(dataDir, 'logs', 'desk.log')
    const held = this.#held
    this.#held = []
    for (const line of held) this.write(line)
  }

  /** Writes a line. `line`: JSON in the format of pino, with its line break. */
  write(line: string): void {
    if (this.#file === null) {
      if (this.#held.length < mostHeld) this.#held.push(line)
      else this.#lost += 1
      return
    }
    if (this.#fault !== null && this.#ticks() < this.#retryAt) {
      this.#lost += 1
      return
    }
    try {
      this.#append(this.#file, shortened(line))
      this.#fault = null
    } catch (error) {
      this.#lost += 1
      this.#fault = error instanceof Error && 'code' in error ? String(error.code) : 'unknown'
      this.#retryAt = this.#ticks() + this.#limits.retryMs
      this.close()
    }
  }

  /** Closes the file; the next line opens it again. */
  close(): void {
    if (this.#descriptor === null) return
    try {
      closeSync(this.#descriptor)
    } catch {
      // an error is ignored, because the descriptor cannot be used after a failed close
    }
    this.#descriptor = null
  }

  #append(file: string, line: string): void {
    // if another program has deleted the open file, the file is opened again, because lines written to a deleted
    // file are lost
    if (this.#descriptor !== null && fstatSync(this.#descriptor).nlink === 0) this.close()
    this.#descriptor ??= this.#reopen(file)
    const lost = this.#lost > 0 ? lineOf(40, `${String(this.#lost)} lines could not be written`) : ''
    const bytes = Buffer.from((this.#isTorn ? '\n' : '') + lost + line)
    if (this.#bytes > 0 && this.#bytes + bytes.length > this.#limits.largestFile) {
      this.close()
      turn(file)
      this.#descriptor = this.#reopen(file)
    }
    for (let written = 0; written < bytes.length;) {
      written += writeSync(this.#descriptor, bytes, written)
      this.#isTorn = written < bytes.length
    }
    this.#bytes += bytes.length
    this.#lost = 0
  }

  #reopen(file: string): number {
    makeFolder(join(file, '..'))
    const descriptor = openSync(file, 'a', privateFile)
    this.#bytes = fstatSync(descriptor).size
    return descriptor
  }
}

/** Renames each log file to the next number and deletes the oldest. Skips missing files. */
function turn(file: string): void {
  for (let number = oldFiles - 1; number >= 0; number--) {
    const from = number === 0 ? file : `${file}.${String(number)}`
    try {
      renameSync(from, `${file}.${String(number + 1)}`)
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error
    }
  }
}

/** The names of the log's files, newest first. */
export const logFileNames: readonly string[] = [
  'desk.log',
  ...Array.from({ length: oldFiles }, (_, at) => `desk.log.${String(at + 1)}`),
]

function lineOf(level: number, msg: string, more: Record<string, unknown> = {}): string {
  return `${JSON.stringify({ level, time: Date.now(), name: 'desk', ...more, msg })}\n`
}

/**
 * Returns the line unchanged if it is short enough. Otherwise returns a new line with the length and the beginning of
 * the long line.
 */
function shortened(line: string): string {
  const bytes = Buffer.byteLength(line)
  if (bytes <= longestLine) return line
  const level = Number(/^\{"level":(?<level>\d+),/.exec(line)?.groups?.['level'] ?? 40)
  // if the cut is inside a character, toString() returns U+FFFD for the part of this character before the cut
  const begins = Buffer.from(line).subarray(0, keptOfLongLine).toString()
  return lineOf(level, `a line of ${String(bytes)} bytes was cut`, { begins })
}

/** One line of the log for the screen. */
export interface LogLine {
  /** The number of the level in pino: 30 info, 40 warn, 50 error. */
  readonly level: number
  /** Milliseconds since 1970; null if the line cannot be read. */
  readonly at: number | null
  /** The message and the facts of the log line, as one line of text. */
  readonly text: string
}

const readBytes = 128 * 1024
const longestText = 400

/**
 * Returns the last lines of the log, newest first, at most `most`. Reads the end of the newest file, and the end of the
 * file before it if the newest has too few lines. Returns an empty list if there is no log. Throws the system's error
 * if the log cannot be read.
 */
export function lastLines(dataDir: string, most = 100): LogLine[] {
  const lines: LogLine[] = []
  for (const name of logFileNames.slice(0, 2)) {
    if (lines.length >= most) break
    const text = endOf(join(dataDir, 'logs', name))
    const whole = text.split('\n').filter((line) => line !== '')
    lines.push(
      ...whole
        .toReversed()
        .slice(0, most - lines.length)
        .map(readLine),
    )
  }
  return lines
}

/** Returns the complete lines among the last `readBytes` bytes of the file. A missing file has none. */
function endOf(file: string): string {
  let descriptor: number
  try {
    descriptor = openSync(file, 'r')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return ''
    throw error
  }
  try {
    const { size } = fstatSync(descriptor)
    const bytes = Buffer.alloc(Math.min(size, readBytes))
    const from = size - bytes.length
    const text = bytes.toString('utf8', 0, readSync(descriptor, bytes, 0, bytes.length, from))
    return from === 0 ? text : text.slice(text.indexOf('\n') + 1)
  } finally {
    closeSync(descriptor)
  }
}

/** Fields of a log line that are not shown as its facts, because the screen shows them elsewhere or not at all. */
const leftOut = new Set(['level', 'time', 'name', 'pid', 'msg', 'err'])

function readLine(line: string): LogLine {
  let read: unknown
  try {
    read = JSON.parse(line)
  } catch {
    read = null
  }
  if (typeof read !== 'object' || read === null) return { level: 40, at: null, text: cut(line) }
  const fields = new Map<string, unknown>(Object.entries(read))
  const [level, time, name, msg, err] = ['level', 'time', 'name', 'msg', 'err'].map((field) =>
    fields.get(field),
  )
  // a line of another process is shown with the name of that process
  const from = typeof name === 'string' && name !== 'desk' ? `${name}: ` : ''
  const reason = typeof err === 'object' && err !== null && 'message' in err ? `: ${String(err.message)}` : ''
  const facts = [...fields]
    .filter(([name, value]) => !leftOut.has(name) && value !== null)
    .map(([name, value]) => `${name} ${typeof value === 'string' ? value : JSON.stringify(value)}`)
  return {
    level: typeof level === 'number' ? level : 40,
    at: typeof time === 'number' && Number.isFinite(time) ? time : null,
    text: cut([`${from}${typeof msg === 'string' ? msg : ''}${reason}`, ...facts].join(' · ')),
  }
}

function cut(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ')
  return line.length > longestText ? `${line.slice(0, longestText - 1)}…` : line
}
