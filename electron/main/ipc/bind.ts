import { ipcMain, type IpcMainInvokeEvent } from 'electron'
import type { ZodType } from 'zod'
import { channelName, channels, type Domain } from '#shared/bridge/channels.ts'
import {
  contract,
  type ArgsOf,
  type Contract,
  longestArguments,
  type ResultOf,
} from '#shared/bridge/contract.ts'
import type { ErrorCode } from '#shared/errors/catalogue.ts'
import { CataloguedError, fail, ok, type Result } from '#shared/errors/result.ts'
import { idArgument } from '#shared/bridge/view-parts.ts'
import { overLimit } from '#shared/wire/limits.ts'
import { isAppUrl } from '../app-files.ts'
import type { CallLog } from './call-log.ts'

type Answer<T> = Result<T> | Promise<Result<T>>

/**
 * The functions that implement the methods of a domain. Their arguments are already parsed. `station`: the id of the
 * station for which the window calls; undefined if the call is for the station that is open.
 */
export type Handlers<D extends Domain> = {
  readonly [M in keyof Contract[D]]: (args: ArgsOf<D, M>, station?: string) => Answer<ResultOf<D, M>>
}

/** The handlers of all domains. If a domain of the contract has no handlers, the code does not compile. */
export type BridgeHandlers = { readonly [D in Domain]: Handlers<D> }

/**
 * Maximum number of calls of the window that run or wait at the same time. The window needs at most ten, while it
 * opens. Without a limit, a compromised page could run thousands of calls at the same time, each with a connection or a
 * thread.
 */
const mostCalls = 64
/**
 * Maximum number of scans that are resolved or wait at the same time. Scans have a separate limit, so that a scan is
 * never refused because of other calls. No scanner reaches this limit, because each scan is resolved within seconds.
 */
const mostScans = 256

/** Runs at most `most` calls at the same time. A further call is not run and fails with `bridge.too_many_calls`. */
class CallLimit {
  readonly #most: number
  #underWay = 0

  constructor(most: number) {
    this.#most = most
  }

  async run(call: () => Promise<Result<unknown>>): Promise<Result<unknown>> {
    if (this.#underWay >= this.#most) return fail('bridge.too_many_calls')
    this.#underWay++
    try {
      return await call()
    } finally {
      this.#underWay--
    }
  }
}

/**
 * Starts calls in the order of their arrival, at most one in a turn of the event loop. Other work of main, such as
 * timers and serial scanners, runs between two calls. Otherwise many calls at the same time would delay this work by
 * the sum of their times, and a single change of the settings takes several milliseconds.
 */
class CallTurns {
  /** Whether a call has started in this turn of the event loop, or an earlier call waits. */
  #isTaken = false
  readonly #waiting: (() => void)[] = []

  /**
   * Resolves when the caller may start its call: at once if no other call has started in this turn of the event loop.
   */
  async next(): Promise<void> {
    if (this.#isTaken) await new Promise<void>((resolve) => this.#waiting.push(resolve))
    this.#isTaken = true
    setImmediate(() => {
      const start = this.#waiting.shift()
      if (start) start()
      else this.#isTaken = false
    })
  }
}

const calls = new CallLimit(mostCalls)
const scans = new CallLimit(mostScans)
const turns = new CallTurns()

/** Binds the handlers of every domain of the contract to their channels. */
export function bindBridge(handlers: BridgeHandlers, log: CallLog): void {
  for (const domain of Object.keys(channels) as Domain[]) bindDomain<Domain>(domain, handlers[domain], log)
}

/**
 * Binds the channels of one domain. A call is refused if it does not come from the app's main frame, or if 64 calls are
 * already running or waiting. The 64 calls include the calls of all domains, except scans, which have a separate limit.
 * All calls start in the order of their arrival, each in its own turn of the event loop. Arguments and results are
 * parsed. Every thrown error becomes a catalogued failure; the window gets no other error. Each failure is logged.
 */
export function bindDomain<D extends Domain>(domain: D, handlers: Handlers<D>, log: CallLog): void {
  const methods: Record<string, { args: ZodType; result: ZodType }> = contract[domain]
  const byName: Record<string, Handler> = handlers
  for (const [method, schemas] of Object.entries(methods)) {
    const bound = byName[method]
    if (!bound) throw new Error(`${domain}.${method} has no handler`)
    // the method is called with `handlers` as `this`, because `handlers` may be an instance of a class
    const handler: Handler = (args, station) => bound.call(handlers, args, station)
    const call = { name: `${domain}.${method}`, handler, schemas, log }
    const limit = domain === 'scan' && method === 'submit' ? scans : calls
    ipcMain.handle(channelName(domain, method), async (event, raw: unknown, station: unknown) => {
      const result = isOwnFrame(event)
        ? await limit.run(async () => {
            await turns.next()
            return answer(call, raw, station)
          })
        : fail('bridge.forbidden_sender')
      // logs only the refusals before the check of the arguments; all other failures are already logged, at the place
      // where their details are known
      if (!result.ok && isOfBorder.has(result.error.code)) log.failed(call.name, result.error)
      return result
    })
  }
}

type Handler = (args: never, station?: string) => Answer<unknown>

interface BoundCall {
  /** The name of the call: `domain.method`. */
  readonly name: string
  readonly handler: Handler
  readonly schemas: { readonly args: ZodType; readonly result: ZodType }
  readonly log: CallLog
}

/** Failures with which a call is refused before its arguments are checked. */
const isOfBorder = new Set<ErrorCode>(['bridge.too_many_calls', 'bridge.forbidden_sender'])

const stationArgument = idArgument.optional()

async function answer(
  { name, handler, schemas, log }: BoundCall,
  raw: unknown,
  calledFor: unknown,
): Promise<Result<unknown>> {
  // the limits are checked before the schema, because the schema would report each of a million wrong values
  const over = overLimit(raw, longestArguments)
  const args = over ? null : schemas.args.safeParse(raw)
  if (!args?.success) {
    log.rejected(
      name,
      schemas.args,
      over ? [{ code: 'over_limit', path: over.path }] : (args?.error.issues ?? []),
    )
    return fail('bridge.invalid_arguments')
  }
  const station = stationArgument.safeParse(calledFor)
  if (!station.success) {
    log.rejected(name, stationArgument, station.error.issues)
    return fail('bridge.invalid_arguments')
  }
  const from = performance.now()
  try {
    const result = await handler(args.data as never, station.data)
    log.done(name, performance.now() - from)
    if (!result.ok) {
      log.failed(name, result.error)
      return result
    }
    const value = schemas.result.safeParse(result.value)
    if (value.success) {
      log.told(name, value.data)
      return ok(value.data)
    }
    log.misfit(name, schemas.result, value.error.issues)
  } catch (error) {
    if (error instanceof CataloguedError) {
      log.failed(name, error.failure, error)
      return { ok: false, error: error.failure }
    }
    log.fault(name, error)
  }
  return fail('internal.unexpected')
}

function isOwnFrame(event: IpcMainInvokeEvent): boolean {
  const frame = event.senderFrame
  return frame !== null && frame.parent === null && isAppUrl(frame.url)
}
