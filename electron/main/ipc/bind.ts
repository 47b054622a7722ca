import { ipcMain, type IpcMainInvokeEvent } from 'electron'
import { channelName, type Domain } from '#shared/bridge/channels.ts'
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

/** What a domain's file binds: one function a method, with arguments already parsed. */
export type Handlers<D extends Domain> = {
  readonly [M in keyof Contract[D]]: (args: ArgsOf<D, M>) => Answer<ResultOf<D, M>>
}

interface Schema {
  safeParse(value: unknown): { success: true; data: unknown } | { success: false }
}

/**
 * Binds one domain's channels: refuses calls from anything but the app's own main frame, parses arguments and
 * result, and turns whatever is thrown into a catalogued failure. Nothing else crosses the border.
 */
export function bindDomain<D extends Domain>(domain: D, handlers: Handlers<D>, logger: Logger): void {
  const methods: Record<string, { args: Schema; result: Schema }> = contract[domain]
  const byName: Record<string, (args: never) => Answer<unknown>> = handlers
  for (const [method, schemas] of Object.entries(methods)) {
    const handler = byName[method]
    if (!handler) throw new Error(`${domain}.${method} has no handler`)
    ipcMain.handle(channelName(domain, method), (event, raw: unknown) =>
      isOwnFrame(event) ? answer(handler, schemas, raw, logger) : fail('bridge.forbidden_sender'),
    )
  }
}

async function answer(
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
    logger.error({ channel: handler.name }, 'a result does not fit the contract')
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
