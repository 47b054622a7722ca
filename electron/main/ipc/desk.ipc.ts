import type { Desk } from '#desk/desk.ts'
import { channels, type Domain } from '#shared/bridge/channels.ts'
import type { ArgsOf, Contract, ResultOf } from '#shared/bridge/contract.ts'
import { failure } from '#shared/errors/catalogue.ts'
import { fail, ok, type Result } from '#shared/errors/result.ts'
import type { DeskHost } from '../desk-host.ts'
import { readLocationFileInThread } from '../location-file.ts'
import type { SettingsStore } from '../settings.ts'
import { OutwardLimit } from '../setup-tests.ts'
import { sandboxStation, type Stations } from '../stations.ts'
import type { BridgeHandlers, Handlers } from './bind.ts'

/** Domains of the contract that the open desk implements as objects of the same name. */
const deskDomains = [
  'session',
  'scan',
  'returnLabel',
  'article',
  'modification',
  'location',
  'catalogue',
  'print',
  'queue',
  'storage',
] as const satisfies readonly (Domain & keyof Desk)[]
type DeskDomain = (typeof deskDomains)[number]

/** Methods that main implements or extends; the desk implements all others. */
interface MainMethods {
  readonly session: Pick<Handlers<'session'>, 'login'>
  readonly returnLabel: Pick<Handlers<'returnLabel'>, 'reprint'>
  readonly location: Pick<Handlers<'location'>, 'list' | 'import' | 'types'>
  readonly storage: Pick<Handlers<'storage'>, 'backUp' | 'keep'>
}
type MainMethod<D extends DeskDomain> = D extends keyof MainMethods ? keyof MainMethods[D] : never

/**
 * The type that a method of the desk returns: the result in the contract, or a Result that contains it. A result with a
 * field `ok` is not allowed, because it would be mistaken for a Result.
 */
type Returned<R> = [Extract<R, { ok: unknown }>] extends [never] ? R | Result<R> : never

/**
 * The interface that the bridge calls. The type check refuses a desk that lacks a method, and a desk whose methods have
 * arguments or results that differ from the contract.
 */
export type BridgedDesk = {
  readonly [D in DeskDomain]: {
    readonly [M in keyof Contract[D] as Exclude<M, MainMethod<D>>]: (
      args: ArgsOf<D, M>,
    ) => Returned<ResultOf<D, M>> | Promise<Returned<ResultOf<D, M>>>
  }
}

interface DeskParts {
  readonly host: Pick<DeskHost, 'desk'>
  readonly settings: Pick<SettingsStore, 'update'>
  readonly stations: Pick<Stations, 'current'>
}

/**
 * Creates the handlers of all domains that the desk implements. Each call is forwarded to the desk that is open when
 * the call arrives. If the window called for another station, the call fails with `station.changed`.
 */
export function deskHandlers(parts: DeskParts): Pick<BridgeHandlers, DeskDomain | 'desk'> {
  const { host } = parts
  const open = (station?: string): Promise<BridgedDesk> => host.desk(station)
  const own: Partial<Record<DeskDomain, object>> = mainMethods(parts)
  const ofDesk = deskDomains.map((domain) => {
    const methods = channels[domain].map((method) => [method, callOf(open, domain, method)] as const)
    return [domain, { ...Object.fromEntries(methods), ...own[domain] }] as const
  })
  return {
    // the cast is safe, because `open` returns a BridgedDesk, which has the types of the contract
    ...(Object.fromEntries(ofDesk) as Pick<BridgeHandlers, DeskDomain>),
    desk: { status: async (_, station) => ok((await host.desk(station)).status()) },
  }
}

/** Calls one method of the contract on the open desk. A returned value that is not a Result becomes a success. */
function callOf(
  open: (station?: string) => Promise<BridgedDesk>,
  domain: DeskDomain,
  method: string,
): (args: never, station?: string) => Promise<Result<unknown>> {
  return async (args, station) => {
    const part: Readonly<Record<string, (args: never) => unknown>> = (await open(station))[domain]
    const own = part[method]
    if (!own) throw new Error(`the desk has no ${domain}.${method}`)
    const value = await own.call(part, args)
    return isResult(value) ? value : ok(value)
  }
}

function isResult(value: unknown): value is Result<unknown> {
  return typeof value === 'object' && value !== null && 'ok' in value
}

function mainMethods({ host, settings, stations }: DeskParts): MainMethods {
  // Logins are limited, because a compromised page could save a station with the server of an attacker, and send data
  // to that server as the user name and password of a login.
  const logins = new OutwardLimit((seconds) => failure('session.too_many_logins', { waitSeconds: seconds }))
  // Reprints and copies are limited, because a compromised page could fill the disk with copies of desk.db or with
  // files of the folder printer.
  const reprints = new OutwardLimit()
  const copies = new OutwardLimit()
  // only one file is read at a time, because the reading of each file starts a thread
  let isImporting = false
  return {
    session: {
      login: (credentials, station) => {
        const login = async (): ReturnType<Desk['session']['login']> =>
          (await host.desk(station)).session.login(credentials)
        // the number of logins at the sandbox is not limited, because the sandbox is a process of this PC
        return stations.current().id === sandboxStation.id ? login() : logins.run(login)
      },
    },
    returnLabel: {
      reprint: (wish, station) =>
        reprints.run(async () => (await host.desk(station)).returnLabel.reprint(wish)),
    },
    location: {
      list: async ({ after }, station) => ok((await host.desk(station)).location.list(after)),
      import: async ({ text }, station) => {
        if (isImporting) return fail('location.import_under_way')
        isImporting = true
        try {
          const file = await readLocationFileInThread(text)
          if (file.kind === 'too_large') return fail('location.file_too_large')
          if (file.kind === 'unreadable') return fail('location.file_unreadable')
          return await (await host.desk(station)).location.import(file.table)
        } finally {
          isImporting = false
        }
      },
      types: async (_, station) => ok((await host.desk(station)).catalogue.locationTypes()),
    },
    storage: {
      backUp: (_, station) => copies.run(async () => ok(await (await host.desk(station)).storage.backUp())),
      /**
       * the number of days for which data is kept is a setting of the PC: every desk that opens on it uses this number
       */
      keep: ({ days }, station) =>
        copies.run(async () => {
          const desk = await host.desk(station)
          settings.update({ keepDays: days })
          return ok(await desk.storage.keep({ days }))
        }),
    },
  }
}
