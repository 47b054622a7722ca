import { closeSync, fstatSync, openSync, readSync, renameSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { makeFolder } from '#kit/durable-files.ts'
import { privateFile } from '#kit/private-files.ts'

const largestFile = 1024 * 1024
/** Beside the one that is written to. */
const oldFiles = 5
/** A line may quote text of a service or a printer. */
const longestLine = 16_000
/** Of a line that is too long; its quotation marks double when it becomes a text. */
const keptOfLongLine = 7_500
/** Lines from before the file is open. */
const mostHeld = 200
const retryMs = 10_000

interface Limits {
  readonly largestFile: number
  readonly retryMs: number
}

/**
 * The log in the data directory: `logs/desk.log`, and up to five older files `desk.log.1` (newest) to `desk.log.5`.
 *
 * Each line is written synchronously: the last line before a crash of this process is the one that explains it, and a
 * stream would still hold it in memory. It is not synced to the disk, so that a power cut may cost lines. Lines are few (about ten
 * a minute at `info`), and one takes some ten microseconds.
 *
 * A disk that refuses costs lines and nothing else: no method throws, and the next attempt is made after ten seconds.
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
  /** The last write broke off inside a line. */
  #isTorn = false

  /** `ticks`: monotonic milliseconds. */
  constructor(limits: Limits = { largestFile, retryMs }, ticks: () => number = () => performance.now()) {
    this.#limits = limits
    this.#ticks = ticks
  }

  /** Why lines cannot be written now, as the system names it; null: they can. */
  get fault(): string | null {
    return this.#fault
  }

  /** Begins to write; `dataDir` was checked and belongs to this account. */
  open(dataDir: string): void {
    this.#file = join(dataDir, 'logs', 'desk.log')
    const held = this.#held
    this.#held = []
    for (const line of held) this.write(line)
  }

  /** `line`: JSON as pino writes it, with its line break. */
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

  /** Later lines open it again. */
  close(): void {
    if (this.#descriptor === null) return
    try {
      closeSync(this.#descriptor)
    } catch {
      // the system has let it go already
    }
    this.#descriptor = null
  }

  #append(file: string, line: string): void {
    // somebody removed the file: its lines would go nowhere
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

/** Each file takes the next name, and the oldest is replaced. One that is missing is left out. */
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

/** The line, or one that says how long it was and how it begins. */
function shortened(line: string): string {
  const bytes = Buffer.byteLength(line)
  if (bytes <= longestLine) return line
  const level = Number(/^\{"level":(?<level>\d+),/.exec(line)?.groups?.['level'] ?? 40)
  // cut inside a character, the last one is replaced
  const begins = Buffer.from(line).subarray(0, keptOfLongLine).toString()
  return lineOf(level, `a line of ${String(bytes)} bytes was cut`, { begins })
}

/** One line of the log as it is shown. */
export interface LogLine {
  /** As pino numbers them: 30 info, 40 warn, 50 error. */
  readonly level: number
  /** Milliseconds since 1970; null: the line cannot be read. */
  readonly at: number | null
  /** One line of text: what happened, and its facts. */
  readonly text: string
}

const readBytes = 128 * 1024
const longestText = 400

/**
 * The last lines of the log, newest first, 100 at most. Reads the end of the newest file, and of the one before where that
 * has fewer. Empty where there is none; throws the system's error where it cannot be read.
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

/** Without the line that it begins inside of. */
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

/** What a line has for programs, and nobody reads. */
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
  const [level, time, msg, err] = ['level', 'time', 'msg', 'err'].map((name) => fields.get(name))
  const reason = typeof err === 'object' && err !== null && 'message' in err ? `: ${String(err.message)}` : ''
  const facts = [...fields]
    .filter(([name, value]) => !leftOut.has(name) && value !== null)
    .map(([name, value]) => `${name} ${typeof value === 'string' ? value : JSON.stringify(value)}`)
  return {
    level: typeof level === 'number' ? level : 40,
    at: typeof time === 'number' && Number.isFinite(time) ? time : null,
    text: cut([`${typeof msg === 'string' ? msg : ''}${reason}`, ...facts].join(' · ')),
  }
}

function cut(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ')
  return line.length > longestText ? `${line.slice(0, longestText - 1)}…` : line
}
