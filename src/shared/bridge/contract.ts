import { z } from 'zod'
import type { Result } from '../errors/result.ts'
import type { channels, Domain, EventName, MethodOf } from './channels.ts'
import {
  appInfo,
  connectionTest,
  deskStatus,
  returnLabelView,
  scanEntry,
  scanOutcome,
  sessionView,
  stationDraft,
  stationView,
} from './views.ts'

/** Arguments and result of one call; main parses both, so a wrong one never gets further. */
interface Method {
  readonly args: z.ZodType
  readonly result: z.ZodType
}

const nothing = z.undefined()
const byId = z.object({ id: z.string().min(1).max(100) })

/** The whole contract between the window and main. */
export const contract = {
  app: {
    info: { args: nothing, result: appInfo },
    setLanguage: { args: z.object({ language: z.enum(['en', 'nl']) }), result: appInfo },
  },
  station: {
    list: { args: nothing, result: z.array(stationView) },
    current: { args: nothing, result: stationView },
    test: { args: stationDraft, result: connectionTest },
    save: { args: stationDraft, result: stationView },
    use: { args: byId, result: stationView },
    remove: { args: byId, result: z.array(stationView) },
  },
  session: {
    state: { args: nothing, result: sessionView },
    login: {
      args: z.object({ username: z.string().min(1).max(200), password: z.string().min(1).max(500) }),
      result: sessionView,
    },
    logout: { args: nothing, result: sessionView },
  },
  scan: {
    /** Answers once the scan is durable and resolved; the window sounds only then. */
    submit: { args: z.object({ raw: z.string().min(1).max(8000) }), result: scanOutcome },
    recent: { args: nothing, result: z.array(scanEntry) },
  },
  returnLabel: {
    /** Starts create -> request -> store -> print; progress comes as `returnLabel` events. */
    make: { args: z.object({ shipmentId: z.string() }), result: returnLabelView },
    get: { args: byId, result: returnLabelView },
    recent: { args: nothing, result: z.array(returnLabelView) },
    reprint: { args: byId, result: returnLabelView },
  },
  desk: {
    status: { args: nothing, result: deskStatus },
    /** The operator's word on a write whose outcome nobody knows: it did not arrive (send again), or let it rest. */
    resolveUnknown: {
      args: z.object({ commandId: z.string(), decision: z.enum(['send_again', 'discard']) }),
      result: returnLabelView,
    },
  },
} as const satisfies { [D in Domain]: Record<MethodOf<D>, Method> }

export type Contract = typeof contract
export type ArgsOf<D extends Domain, M extends keyof Contract[D]> = Contract[D][M] extends Method
  ? z.output<Contract[D][M]['args']>
  : never
export type ResultOf<D extends Domain, M extends keyof Contract[D]> = Contract[D][M] extends Method
  ? z.output<Contract[D][M]['result']>
  : never

/** Payload of each event. */
export const events = {
  status: deskStatus,
  session: sessionView,
  returnLabel: returnLabelView,
} as const satisfies Record<EventName, z.ZodType>
export type EventPayload<E extends EventName> = z.output<(typeof events)[E]>

type Call<A, R> = [A] extends [undefined] ? () => Promise<Result<R>> : (args: A) => Promise<Result<R>>

/** The frozen object that the preload script puts at `window.scandesk`. */
export type ScandeskBridge = {
  readonly [D in keyof typeof channels]: {
    readonly [M in keyof Contract[D]]: Call<ArgsOf<D, M>, ResultOf<D, M>>
  }
} & {
  /** Calls back with each event; answers with the function that stops it. */
  readonly on: <E extends EventName>(event: E, listener: (payload: EventPayload<E>) => void) => () => void
}
