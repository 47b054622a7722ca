import type { Logger } from '#kit/logger.ts'

/** Maximum length of a line in characters; a longer line is cut. */
const longestLine = 4_000
const mostLines = 50
/** The time in which at most `mostLines` lines are logged, in milliseconds. */
const windowMs = 10_000

/**
 * Fields of a child's JSON line that are left out: fields that the logger of this process writes too, and fields that
 * name the computer.
 */
const replaced = new Set(['level', 'time', 'pid', 'hostname', 'name', 'msg'])

/**
 * Logs the lines that a child process writes to its standard streams. A JSON line of the child's own logger keeps its
 * level and its fields, so that secrets are censored by the names of their fields. Any other line is a warning if it
 * comes from stderr, because the runtime writes crashes and warnings there.
 *
 * At most 50 lines are logged in ten seconds, because a child that fails in a loop would otherwise push all other lines
 * out of the log. After the ten seconds, a warning contains the number of lines that were left out.
 */
export class ProcessOutput {
  readonly #logger: Logger
  readonly #ticks: () => number
  #windowSinceMs = Number.NEGATIVE_INFINITY
  #inWindow = 0
  #leftOut = 0

  /** `ticks`: monotonic milliseconds. */
  constructor(logger: Logger, ticks: () => number = () => performance.now()) {
    this.#logger = logger
    this.#ticks = ticks
  }

  /** Logs the lines of this stream until the stream ends; does nothing if the stream is null. */
  follow(stream: NodeJS.ReadableStream | null, source: 'stdout' | 'stderr'): void {
    if (stream === null) return
    let begun = ''
    stream.setEncoding('utf8')
    stream.on('data', (text: string) => {
      const [first = '', ...others] = text.split('\n')
      const last = others.pop()
      begun = joined(begun, first)
      if (last === undefined) return
      for (const line of [begun, ...others]) this.#take(line, source)
      begun = joined('', last)
    })
    stream.on('end', () => {
      this.#take(begun, source)
      begun = ''
    })
    // an error of the stream is ignored, because the stream ends only when the child process ends
    stream.on('error', () => undefined)
  }

  #take(text: string, source: 'stdout' | 'stderr'): void {
    const line = joined('', text).trim()
    if (line === '' || !this.#hasRoom()) return
    const fields = fieldsOf(line)
    if (fields === null) this.#logger[source === 'stderr' ? 'warn' : 'info']({ from: source }, line)
    else {
      const others = Object.entries(fields).filter(([name]) => !replaced.has(name))
      this.#logger[levelOf(fields['level'])](Object.fromEntries(others), textOf(fields['msg']))
    }
  }

  #hasRoom(): boolean {
    if (this.#ticks() - this.#windowSinceMs >= windowMs) {
      this.#windowSinceMs = this.#ticks()
      this.#inWindow = 0
    }
    this.#inWindow++
    if (this.#inWindow <= mostLines) return true
    if (this.#leftOut === 0) setTimeout(() => this.#reportLeftOut(), windowMs).unref()
    this.#leftOut++
    return false
  }

  #reportLeftOut(): void {
    this.#logger.warn({ leftOut: this.#leftOut }, 'more lines were written than are logged')
    this.#leftOut = 0
  }
}

/** Returns the two texts joined and cut to the maximum length of a line. */
function joined(begun: string, more: string): string {
  return begun.length >= longestLine ? begun : (begun + more).slice(0, longestLine)
}

/** Returns the fields of a JSON line; null for any other line. */
function fieldsOf(line: string): Readonly<Record<string, unknown>> | null {
  if (!line.startsWith('{')) return null
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === 'object' && value !== null ? { ...value } : null
  } catch {
    return null
  }
}

function levelOf(level: unknown): 'debug' | 'info' | 'warn' | 'error' {
  if (typeof level !== 'number') return 'warn'
  if (level >= 50) return 'error'
  if (level >= 40) return 'warn'
  return level >= 30 ? 'info' : 'debug'
}

function textOf(msg: unknown): string {
  return typeof msg === 'string' ? msg : ''
}
