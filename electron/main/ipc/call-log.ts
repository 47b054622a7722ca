import type { Logger } from '#kit/logger.ts'
import type { EventName } from '#shared/bridge/channels.ts'
import { type Failure, type ErrorCode, retryPolicy } from '#shared/errors/catalogue.ts'

/** One failure that reached the window, as the support bundle has it. */
export interface LoggedFailure {
  /** ISO 8601. */
  readonly at: string
  /** `domain.method`, or `event.name`. */
  readonly channel: string
  readonly code: ErrorCode
  readonly facts: Facts
  /** How often within the ten seconds from `at` on. */
  count: number
}
type Facts = Readonly<Record<string, string | number>>

/** What zod says of a value; it holds nothing of the value itself. */
export interface Issue {
  readonly code?: string | undefined
  readonly path: readonly PropertyKey[]
}

const quietMs = 10_000
const mostKept = 50
const mostIssues = 5

/** Params of a failure that are codes of ours or of a system. The others are titles, names, codes that were scanned. */
const namesOfCodes = new Set(['cause', 'kind', 'role', 'fault', 'by', 'policy', 'side'])
const isCode = /^[\w.:-]{1,60}$/

/**
 * Logs each failure that reaches the window: by its channel, code and cause, never by a value that somebody typed, scanned
 * or received. The level comes from the catalogue: a failure after which somebody has to act (`operator`) is a warning,
 * and so is a call that the window should not have made (`bridge.…`); others (`later`, `never`) happen every day: info.
 *
 * The same code of the same channel is logged once in ten seconds; how often it came again is a line of its own, when these
 * are over. A page that was taken over can make thousands a second, and would drive everything else out of the log.
 */
export class CallLog {
  readonly #logger: Logger
  readonly #now: () => number
  readonly #after: (delayMs: number, action: () => void) => void
  /** By channel and code, of which there are a few hundred. */
  readonly #open = new Map<string, LoggedFailure>()
  readonly #last: LoggedFailure[] = []
  readonly #states = new Map<string, { readonly state: string; readonly code: ErrorCode | null }>()

  /** `now`: milliseconds since 1970. */
  constructor(
    logger: Logger,
    now: () => number = Date.now,
    after: (delayMs: number, action: () => void) => void = (delayMs, action) =>
      void setTimeout(action, delayMs).unref(),
  ) {
    this.#logger = logger
    this.#now = now
    this.#after = after
  }

  /** The last fifty, oldest first. */
  get last(): readonly LoggedFailure[] {
    return this.#last
  }

  /** `thrown`: what was caught, where the failure was thrown. */
  failed(channel: string, { code, params }: Failure, thrown?: unknown): void {
    const facts = Object.entries(params).filter(
      ([name, value]) => typeof value === 'number' || (namesOfCodes.has(name) && isCode.test(value)),
    )
    this.#log(channel, code, { ...Object.fromEntries(facts), ...causeOf(thrown) })
  }

  /** Arguments that the contract does not allow. */
  rejected(channel: string, issues: readonly Issue[]): void {
    this.#log(channel, 'bridge.invalid_arguments', factsOf(issues))
  }

  /** A result that the contract does not allow: a fault of ours. */
  misfit(channel: string, issues: readonly Issue[]): void {
    this.#log(channel, 'internal.unexpected', factsOf(issues))
  }

  /** Anything that was thrown and is no failure of the catalogue: a fault of ours, with its stack. */
  fault(channel: string, error: unknown): void {
    this.#log(channel, 'internal.unexpected', {}, error)
  }

  /** A failure that the value of a call or of an event tells of: a scan that failed, a printer that refuses. */
  told(channel: string, value: unknown): void {
    const failure = failureIn(value)
    if (failure) this.failed(channel, failure)
  }

  /** The same of an event; of the status, the line to the service and the printer whenever their state changes. */
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
      this.#logger.info({ part, ...state }, 'a state changed')
    }
  }

  /** A call that was carried out, whatever came of it; for `debug` alone. */
  done(channel: string, ms: number): void {
    this.#logger.debug({ channel, ms: Math.round(ms) }, 'a call was answered')
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
    this.#logger[level]({ channel, code, ...facts, ...(err !== undefined && { err }) }, 'a call failed')
    this.#after(quietMs, () => {
      this.#open.delete(key)
      const again = logged.count - 1
      if (again > 0) this.#logger[level]({ channel, code, again }, 'a call failed again')
    })
  }
}

function levelOf(code: ErrorCode): 'error' | 'warn' | 'info' {
  if (code === 'internal.unexpected') return 'error'
  return code.startsWith('bridge.') || retryPolicy(code) === 'operator' ? 'warn' : 'info'
}

/** The system's code of what was below a failure: `ENOSPC`, `SQLITE_FULL`. Its message may name a file or a value. */
function causeOf(thrown: unknown): Facts {
  const cause = thrown instanceof Error ? thrown.cause : null
  if (!(cause instanceof Error)) return {}
  const code = 'code' in cause ? String(cause.code) : ''
  return { thrown: isCode.test(code) ? `${cause.name} ${code}` : cause.name }
}

function factsOf(issues: readonly Issue[]): Facts {
  const told = issues.slice(0, mostIssues).map(({ code, path }) => `${code ?? 'unknown'} at ${pathOf(path)}`)
  return { issues: told.join(', '), issueCount: issues.length }
}

/** Names of fields that the contract does not have come from the page. */
function pathOf(path: readonly PropertyKey[]): string {
  const names = path.slice(0, 8).map((name) => (isCode.test(String(name)) ? String(name) : '?'))
  return names.length === 0 ? 'the top' : names.join('.')
}

function failureIn(value: unknown): Failure | null {
  const failure = isRecord(value) ? value['failure'] : null
  // parsed by the contract
  return isRecord(failure) && typeof failure['code'] === 'string' ? (failure as unknown as Failure) : null
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
