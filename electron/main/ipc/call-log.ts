import type { ZodType } from 'zod'
import { type ForkedLogger, HourBudget, isCode, type Logger, loggedParams } from '#kit/logger.ts'
import type { EventName } from '#shared/bridge/channels.ts'
import { type Failure, type ErrorCode, retryPolicy } from '#shared/errors/catalogue.ts'
import { knownPath } from '#shared/wire/known-path.ts'

/** One failure that reached the window, in the form of the support bundle. */
export interface LoggedFailure {
  /** The time as ISO 8601 text. */
  readonly at: string
  /** The name of the call `domain.method`, or of the event `event.name`. */
  readonly channel: string
  readonly code: ErrorCode
  readonly facts: Facts
  /** Number of times that this failure reached the window in the ten seconds that begin at `at`. */
  count: number
}
type Facts = Readonly<Record<string, string | number>>

/** zod's report about a wrong value. It contains no part of the value. */
export interface Issue {
  readonly code?: string | undefined
  readonly path: readonly PropertyKey[]
}

const quietMs = 10_000
const mostKept = 50
const mostIssues = 5

/**
 * Logs each failure that reaches the window, with its channel, code and cause, and never with a value that was typed,
 * scanned or received. The level depends on the class of the error in the catalogue. A fault of this program
 * (`internal.unexpected`) is an error. A failure that requires an action (`operator`) is a warning, and so is a call
 * that the window must not make (`bridge.…`). Other failures (`later`, `never`) happen every day and have the level
 * `info`.
 *
 * If a channel fails several times with the same code within ten seconds, only the first failure is logged; a second
 * line at the end of the ten seconds contains the number of repetitions. A compromised page can cause thousands of
 * failures a second, which would push all other lines out of the log. So the number of logged bytes an hour is limited.
 * Only the first line of each kind (`#written`) is written regardless of this limit. The page can also change the level
 * of the log, so changes of the level and the failures `bridge.…` are logged at every level.
 */
export class CallLog {
  readonly #logger: Logger
  readonly #always: Logger
  readonly #now: () => number
  readonly #after: (delayMs: number, action: () => void) => void
  /** The failures of the current ten seconds, by channel and code; there are a few hundred combinations. */
  readonly #open = new Map<string, LoggedFailure>()
  readonly #last: LoggedFailure[] = []
  readonly #states = new Map<string, { readonly state: string; readonly code: ErrorCode | null }>()
  /**
   * The kinds of lines that have been written. The kind of a line about a failure is its channel and code. The kind of
   * a line about a state is the name of the part (`line` is the connection to the service), its state and its code.
   * Lines about repetitions, finished calls and the log level have kinds of their own. There are at most some thousand
   * kinds.
   */
  readonly #written = new Set<string>()
  readonly #failures = new HourBudget(200_000)
  /**
   * The budget for lines about finished calls. It is separate from the budget for failures, so that lines of the level
   * `debug` never prevent the logging of a failure.
   */
  readonly #finished = new HourBudget(400_000)

  /** The calls of the current ten seconds by channel, logged at level `debug`. */
  readonly #returned = new Map<string, { calls: number; worstMs: number }>()
  /** The changes of the log level in the current ten seconds. */
  #levels: { to: string; count: number } | null = null

  /** `now`: milliseconds since 1970. */
  constructor(
    { logger, always }: Pick<ForkedLogger, 'logger' | 'always'>,
    now: () => number = Date.now,
    after: (delayMs: number, action: () => void) => void = (delayMs, action) =>
      void setTimeout(action, delayMs).unref(),
  ) {
    this.#logger = logger
    this.#always = always
    this.#now = now
    this.#after = after
  }

  /** The fifty newest failures, oldest first. */
  get last(): readonly LoggedFailure[] {
    return this.#last
  }

  /** Logs a failure of a call. `thrown`: the caught error, if the failure was thrown. */
  failed(channel: string, { code, params }: Failure, thrown?: unknown): void {
    this.#log(channel, code, { ...loggedParams(params), ...causeOf(thrown) })
  }

  /** Logs arguments that the contract does not allow. `schema`: the arguments that it allows. */
  rejected(channel: string, schema: ZodType, issues: readonly Issue[]): void {
    this.#log(channel, 'bridge.invalid_arguments', factsOf(schema, issues))
  }

  /** Logs a result that the contract does not allow, which is a fault of this program. */
  misfit(channel: string, schema: ZodType, issues: readonly Issue[]): void {
    this.#log(channel, 'internal.unexpected', factsOf(schema, issues))
  }

  /** Logs a thrown error that is not in the catalogue, with its stack. Such an error is a fault of this program. */
  fault(channel: string, error: unknown): void {
    this.#log(channel, 'internal.unexpected', {}, error)
  }

  /**
   * Logs a failure that a returned value or an event contains, such as a failed scan, or the state of a printer that
   * cannot print.
   */
  told(channel: string, value: unknown): void {
    const failure = failureIn(value)
    if (failure) this.failed(channel, failure)
  }

  /**
   * Logs the failure that an event contains. The states of the connection to the service and of the printer are logged
   * only when they change.
   */
  event(event: EventName, payload: unknown): void {
    if (event !== 'status') {
      this.told(`event.${event}`, payload)
      return
    }
    for (const part of ['line', 'printer']) {
      const value = isRecord(payload) ? payload[part] : null
      if (!isRecord(value)) continue
      const state = { state: String(value['state']), code: failureIn(value)?.code ?? null }
      const known = this.#states.get(part)
      if (known?.state === state.state && known.code === state.code) continue
      this.#states.set(part, state)
      const line = {
        logger: this.#logger,
        level: 'info',
        facts: { part, ...state },
        text: 'a state changed',
      } as const
      this.#write(`${part} ${state.state} ${String(state.code)}`, line)
    }
  }

  /**
   * Counts a finished call, successful or not. At the level `debug`, the calls of a channel within ten seconds are
   * logged in one line at the end of this time.
   */
  done(channel: string, ms: number): void {
    const known = this.#returned.get(channel)
    if (known) {
      known.calls++
      known.worstMs = Math.max(known.worstMs, Math.round(ms))
      return
    }
    const returned = { calls: 1, worstMs: Math.round(ms) }
    this.#returned.set(channel, returned)
    this.#after(quietMs, () => {
      this.#returned.delete(channel)
      const facts = { channel, ...returned }
      const line = { logger: this.#logger, level: 'debug', facts, text: 'calls have returned' } as const
      this.#write(channel, line, this.#finished)
    })
  }

  /**
   * Logs a change of the log level. Further changes within ten seconds are logged in one line at the end of this time.
   */
  levelChanged(from: string, to: string): void {
    if (this.#levels) {
      this.#levels.to = to
      this.#levels.count++
      return
    }
    const change = { to, count: 1 }
    this.#levels = change
    const warn = { logger: this.#always, level: 'warn' } as const
    const text = 'the level of the log was changed'
    this.#write('level', { ...warn, facts: { from, to }, text })
    this.#after(quietMs, () => {
      this.#levels = null
      const again = change.count - 1
      if (again > 0)
        this.#write('level again', { ...warn, facts: { to: change.to, again }, text: `${text} again` })
    })
  }

  #log(channel: string, code: ErrorCode, facts: Facts, err?: unknown): void {
    const key = `${channel} ${code}`
    const open = this.#open.get(key)
    if (open) {
      open.count++
      return
    }
    const logged: LoggedFailure = { at: new Date(this.#now()).toISOString(), channel, code, facts, count: 1 }
    this.#open.set(key, logged)
    this.#last.push(logged)
    if (this.#last.length > mostKept) this.#last.shift()
    const level = levelOf(code)
    const logger = isOfBridge(code) ? this.#always : this.#logger
    const told = { channel, code, ...facts, ...(err !== undefined && { err }) }
    this.#write(key, { logger, level, facts: told, text: 'a call failed' })
    this.#after(quietMs, () => {
      this.#open.delete(key)
      const again = logged.count - 1
      const line = { logger, level, facts: { channel, code, again }, text: 'a call failed again' }
      if (again > 0) this.#write(`${key} again`, line)
    })
  }

  /** Writes the line if it is the first of its kind, or if the budget of the current hour has enough bytes left. */
  #write(
    kind: string,
    { logger, level, facts, text }: LoggedLine,
    budget: HourBudget = this.#failures,
  ): void {
    const lines = budget.leftOutBefore(this.#now())
    const leftOut = 'lines about calls were left out'
    if (lines > 0 && budget === this.#failures) this.#always.warn({ lines }, leftOut)
    else if (lines > 0) this.#logger.debug({ lines }, leftOut)
    const isFirst = !this.#written.has(kind)
    this.#written.add(kind)
    if (budget.take(bytesOf(facts) + text.length) || isFirst) logger[level](facts, text)
  }
}

interface LoggedLine {
  readonly logger: Logger
  readonly level: 'error' | 'warn' | 'info' | 'debug'
  readonly facts: Readonly<Record<string, unknown>>
  readonly text: string
}

/** Number of bytes that the level, the time and the name take together in each line. */
const besideFacts = 80

function bytesOf(facts: Readonly<Record<string, unknown>>): number {
  const { err } = facts
  const stack = err instanceof Error ? Buffer.byteLength(`${err.stack ?? ''}${String(err.cause)}`) : 0
  return Buffer.byteLength(JSON.stringify(facts)) + stack + besideFacts
}

function levelOf(code: ErrorCode): 'error' | 'warn' | 'info' {
  if (code === 'internal.unexpected') return 'error'
  return isOfBridge(code) || retryPolicy(code) === 'operator' ? 'warn' : 'info'
}

function isOfBridge(code: ErrorCode): boolean {
  return code.startsWith('bridge.')
}

/**
 * Returns the name and the system's error code of the error that caused a thrown failure, such as `SqliteError
 * SQLITE_FULL`; only the name if it has no code, and nothing if no error caused the failure. The error's message is
 * left out, because it may contain a file name or a value.
 */
function causeOf(thrown: unknown): Facts {
  const cause = thrown instanceof Error ? thrown.cause : null
  if (!(cause instanceof Error)) return {}
  const code = 'code' in cause ? String(cause.code) : ''
  return { thrown: isCode.test(code) ? `${cause.name} ${code}` : cause.name }
}

function factsOf(schema: ZodType, issues: readonly Issue[]): Facts {
  const told = issues
    .slice(0, mostIssues)
    .map(({ code, path }) => `${code ?? 'unknown'} at ${knownPath(schema, path) || 'the top'}`)
  return { issues: told.join(', '), issueCount: issues.length }
}

function failureIn(value: unknown): Failure | null {
  const failure = isRecord(value) ? value['failure'] : null
  // `failure` has the type Failure, because the bridge has checked the value against the contract
  return isRecord(failure) && typeof failure['code'] === 'string' ? (failure as unknown as Failure) : null
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
