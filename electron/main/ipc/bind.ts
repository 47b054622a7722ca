import { ipcMain, type IpcMainInvokeEvent } from 'electron'
import { channelName, channels, type Domain } from '#shared/bridge/channels.ts'
import {
  contract,
  type ArgsOf,
  type Contract,
  longestArguments,
  type ResultOf,
} from '#shared/bridge/contract.ts'
import { CataloguedError, fail, ok, type Result } from '#shared/errors/result.ts'
import { overLimit } from '#shared/wire/limits.ts'
import type { Logger } from '#kit/logger.ts'
import { isAppUrl } from '../app-files.ts'

type Answer<T> = Result<T> | Promise<Result<T>>

/** One function a method of the domain, with arguments already parsed. */
export type Handlers<D extends Domain> = {
  readonly [M in keyof Contract[D]]: (args: ArgsOf<D, M>) => Answer<ResultOf<D, M>>
}

/** The whole contract: a domain without handlers does not compile. */
export type BridgeHandlers = { readonly [D in Domain]: Handlers<D> }

interface Schema {
  safeParse(value: unknown): { success: true; data: unknown } | { success: false }
}

/**
 * Most calls of the window that are under way at once; it has ten at most, while it opens. A page that was taken over
 * could otherwise start thousands at once, each with a connection or a thread of its own.
 */
const mostCalls = 64
/**
 * Scans have a count of their own, so that no other call ever costs a scan. A scan is resolved within seconds: no
 * scanner has as many under way.
 */
const mostScans = 256

/** Runs calls, at most `most` at once. One beyond them is refused with `bridge.too_many_calls`, and does nothing. */
class CallLimit {
  readonly #most: number
  #underWay = 0
  /** The log names the first one alone: a page can make a million. */
  #isLogged = false

  constructor(most: number) {
    this.#most = most
  }

  async run(channel: string, call: () => Promise<Result<unknown>>, logger: Logger): Promise<Result<unknown>> {
    if (this.#underWay >= this.#most) {
      if (!this.#isLogged) logger.error({ channel }, 'the window makes more calls than it ever needs')
      this.#isLogged = true
      return fail('bridge.too_many_calls')
    }
    this.#underWay++
    try {
      return await call()
    } finally {
      this.#underWay--
    }
  }
}

const calls = new CallLimit(mostCalls)
const scans = new CallLimit(mostScans)

/** Binds every domain of the contract. */
export function bindBridge(handlers: BridgeHandlers, logger: Logger): void {
  for (const domain of Object.keys(channels) as Domain[]) bindDomain<Domain>(domain, handlers[domain], logger)
}

/**
 * Binds one domain's channels: refuses calls from anything but the app's own main frame, parses arguments and
 * result, and turns whatever is thrown into a catalogued failure. Nothing else crosses the border. Of more than 64 calls
 * at once, in all domains together, those beyond are refused; scans are counted apart.
 */
export function bindDomain<D extends Domain>(domain: D, handlers: Handlers<D>, logger: Logger): void {
  const methods: Record<string, { args: Schema; result: Schema }> = contract[domain]
  const byName: Record<string, (args: never) => Answer<unknown>> = handlers
  for (const [method, schemas] of Object.entries(methods)) {
    const bound = byName[method]
    if (!bound) throw new Error(`${domain}.${method} has no handler`)
    const channel = channelName(domain, method)
    // the handlers may be an instance of a class
    const handler = (args: never): Answer<unknown> => bound.call(handlers, args)
    const limit = channel === channelName('scan', 'submit') ? scans : calls
    ipcMain.handle(channel, (event, raw: unknown) =>
      isOwnFrame(event)
        ? limit.run(channel, () => answer(channel, handler, schemas, raw, logger), logger)
        : fail('bridge.forbidden_sender'),
    )
  }
}

async function answer(
  channel: string,
  handler: (args: never) => Answer<unknown>,
  schemas: { args: Schema; result: Schema },
  raw: unknown,
  logger: Logger,
): Promise<Result<unknown>> {
  // before the schema, which would complain about each of a million wrong values
  const args = overLimit(raw, longestArguments) ? null : schemas.args.safeParse(raw)
  if (!args?.success) return fail('bridge.invalid_arguments')
  try {
    const result = await handler(args.data as never)
    if (!result.ok) return result
    const value = schemas.result.safeParse(result.value)
    if (value.success) return ok(value.data)
    logger.error({ channel }, 'a result does not fit the contract')
    return fail('internal.unexpected')
  } catch (error) {
    if (error instanceof CataloguedError) return { ok: false, error: error.failure }
    logger.error({ err: error }, 'a call failed')
    return fail('internal.unexpected')
  }
}

function isOwnFrame(event: IpcMainInvokeEvent): boolean {
  const frame = event.senderFrame
  return frame !== null && frame.parent === null && isAppUrl(frame.url)
}
