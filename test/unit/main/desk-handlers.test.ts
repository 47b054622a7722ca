import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { Desk } from '#desk/desk.ts'
import { channelName, channels, type Domain } from '#shared/bridge/channels.ts'
import type { StorageView } from '#shared/bridge/storage-views.ts'
import { fail, ok, type Result } from '#shared/errors/result.ts'
import { callLogInto, type KeptLine } from '#support/call-log.ts'
import { pcSettings } from '#support/pc-settings.ts'
import type { BridgedDesk } from '../../../electron/main/ipc/desk.ipc.ts'
import { Stations } from '../../../electron/main/stations.ts'

type Answer = Promise<Result<unknown>> | Result<unknown>
type Handler = (event: unknown, args?: unknown, station?: unknown) => Answer

const handlers = new Map<string, Handler>()
vi.mock('electron', () => ({
  ipcMain: { handle: (channel: string, handler: Handler) => void handlers.set(channel, handler) },
}))
// the modules are loaded again, because test files of one worker share modules and this file has its own electron mock
vi.resetModules()
const { CataloguedError } = await import('#shared/errors/result.ts')
const { bindDomain } = await import('../../../electron/main/ipc/bind.ts')
const { deskHandlers } = await import('../../../electron/main/ipc/desk.ipc.ts')

const ownFrame = { senderFrame: { parent: null, url: 'app://desk/index.html' } }
const call = async (channel: string, args?: unknown, station?: unknown): Promise<unknown> =>
  handlers.get(channel)?.(ownFrame, args, station)

const storage: StorageView = {
  ...{ backups: [], keepDays: 60, journalBytes: 1, documents: 2, documentBytes: 3, recovery: null },
}

/** A part of a desk whose methods use `this`. */
class Labels {
  readonly #number: number
  readonly #heard: unknown[]

  constructor(number: number, heard: unknown[]) {
    this.#number = number
    this.#heard = heard
  }

  search(args: unknown): unknown {
    this.#heard.push([this.#number, args])
    return { labels: [], found: 0, isPartial: false, asOf: null, reachesBackTo: null }
  }

  get(args: unknown): unknown {
    this.#heard.push([this.#number, args])
    return fail('return_label.unknown')
  }

  reprint(args: unknown): unknown {
    this.#heard.push([this.#number, args])
    return fail('return_label.no_document')
  }

  secret(): string {
    return 'not of the contract'
  }
}

let heard: unknown[]
let kept: unknown[]
let lines: KeptLine[]
let desk: Desk
let openStation: string

beforeEach(() => {
  handlers.clear()
  heard = []
  kept = []
  desk = deskOf(1)
  openStation = 'alder'
  lines = []
  const log = callLogInto(lines)
  const domains = domainsOf()
  for (const domain of Object.keys(domains) as (keyof typeof domains)[])
    bindDomain<Domain>(domain, domains[domain], log)
})

function domainsOf(): ReturnType<typeof deskHandlers> {
  return deskHandlers({
    host: {
      desk: (station = openStation) =>
        station === openStation
          ? Promise.resolve(desk)
          : Promise.reject(new CataloguedError('station.changed')),
    },
    settings: { update: (change) => void kept.push(change) },
    stations: new Stations(pcSettings()),
  })
}

function deskOf(number: number): Desk {
  return {
    returnLabel: new Labels(number, heard),
    storage: {
      keep: (args: unknown) => (kept.push(args), Promise.resolve(storage)),
      backUp: () => (kept.push('backup'), Promise.resolve(storage)),
    },
    location: { list: () => [] },
    scan: { forget: (args: unknown) => void heard.push(args) },
  } as unknown as Desk
}

describe('the desk’s methods in the bridge', () => {
  it('are called with only those arguments that the contract has', async () => {
    const found = await call('returnLabel:search', { text: 'A', more: 'than the contract knows' })
    expect(found).toEqual(ok({ labels: [], found: 0, isPartial: false, asOf: null, reachesBackTo: null }))
    expect(heard).toEqual([[1, { text: 'A' }]])
  })

  it('are called on the desk that is open at the time of the call', async () => {
    desk = deskOf(2)
    await call('returnLabel:get', { id: '3f2b8c1a-9d4e-4f6a-8b7c-000000000001' })
    expect(heard).toEqual([[2, { id: '3f2b8c1a-9d4e-4f6a-8b7c-000000000001' }]])
  })

  it('return the failure of a Result unchanged, and success if the desk’s method returns nothing', async () => {
    expect(await call('returnLabel:get', { id: '3f2b8c1a-9d4e-4f6a-8b7c-000000000001' })).toEqual(
      fail('return_label.unknown'),
    )
    expect(await call('scan:forget', { reach: 'code', code: 'A', expect: 'anything' })).toEqual(ok(undefined))
  })

  it('are exactly the methods of the contract', () => {
    const desks: Domain[] = ['session', 'scan', 'returnLabel', 'article', 'modification', 'location']
    desks.push('catalogue', 'print', 'queue', 'storage', 'desk')
    const named = desks.flatMap((domain) => channels[domain].map((method) => channelName(domain, method)))
    expect([...handlers.keys()].sort()).toEqual(named.sort())
    const names = Object.values(channels).flat()
    expect(names.filter((name) => name in Object.prototype)).toEqual([])
  })

  it('fail with internal.unexpected and are logged if the desk does not implement them', async () => {
    expect(await call('returnLabel:recent')).toEqual(fail('internal.unexpected'))
    expect(heard).toEqual([])
    const err = new Error('the desk has no returnLabel.recent')
    const facts = { channel: 'returnLabel.recent', code: 'internal.unexpected', err }
    expect(lines).toEqual([['error', facts, 'a call failed']])
  })

  it('store new retention days in the settings of this PC before the open desk applies them', async () => {
    expect(await call('storage:keep', { days: 60 })).toEqual(ok(storage))
    expect(kept).toEqual([{ keepDays: 60 }, { days: 60 }])
  })
})

describe('a call of the window that names a station', () => {
  const variantId = '3f2b8c1a-9d4e-4f6a-8b7c-000000000001'

  it.each(Object.keys(domainsOf()) as (keyof ReturnType<typeof domainsOf>)[])(
    'is refused before the desk or the settings are changed if another station is open: %s',
    async (domain) => {
      const methods = Object.values<(args: never, station: string) => unknown>(domainsOf()[domain])
      const args = { text: `A-1;${variantId}\n`, days: 60 }
      for (const method of methods)
        await expect(method(args as never, 'birch')).rejects.toThrow(new CataloguedError('station.changed'))
      expect([heard, kept]).toEqual([[], []])
    },
  )

  it('is refused if another station is opened while the file of locations is read', async () => {
    const imported = call('location:import', { text: `A-1;${variantId}\n` }, 'alder')
    openStation = 'birch'
    expect(await imported).toEqual(fail('station.changed'))
  })

  it('fails with station.changed and is logged if another station is open; otherwise reaches the desk', async () => {
    const wish = { id: variantId }
    expect(await call('returnLabel:get', wish, 'birch')).toEqual(fail('station.changed'))
    expect(lines.map(([level, { channel, code }]) => [level, channel, code])).toEqual([
      ['warn', 'returnLabel.get', 'station.changed'],
    ])
    expect(await call('returnLabel:get', wish, 'alder')).toEqual(fail('return_label.unknown'))
    expect(heard).toEqual([[1, wish]])
  })

  it('is refused if its station is not a text of 1 to 100 characters', async () => {
    for (const station of [7, '', 'a'.repeat(101), ['alder'], null])
      expect(await call('returnLabel:get', { id: variantId }, station)).toEqual(
        fail('bridge.invalid_arguments'),
      )
    expect(heard).toEqual([])
  })
})

describe('a compromised page', () => {
  it('can make at most ten copies of desk.db in a minute, including those after a change of the retention days', async () => {
    for (let n = 0; n < 9; n++) expect(await call('storage:backUp')).toEqual(ok(storage))
    expect(await call('storage:keep', { days: 60 })).toEqual(ok(storage))
    const made = kept.length
    expect(await call('storage:backUp')).toMatchObject({ error: { code: 'bridge.too_often' } })
    expect(await call('storage:keep', { days: 61 })).toMatchObject({ error: { code: 'bridge.too_often' } })
    expect(kept).toHaveLength(made)
  })

  it('can request at most ten reprints of labels in a minute', async () => {
    const wish = { id: '3f2b8c1a-9d4e-4f6a-8b7c-000000000001', reason: null }
    for (let n = 0; n < 10; n++)
      expect(await call('returnLabel:reprint', wish)).toEqual(fail('return_label.no_document'))
    expect(await call('returnLabel:reprint', wish)).toMatchObject({ error: { code: 'bridge.too_often' } })
    expect(heard).toHaveLength(10)
  })
})

/**
 * This function is compiled but never called. The compiler must accept the first of the returned desks as a
 * `BridgedDesk` and refuse all others.
 */
export function wrongDesks(right: BridgedDesk): BridgedDesk[] {
  const { recent: _, ...lacking } = right.scan
  return [
    right,
    // @ts-expect-error a method of the contract is missing
    { ...right, scan: lacking },
    // @ts-expect-error a domain of the contract is missing
    { ...right, scan: undefined },
    // @ts-expect-error the method requires another argument than the contract has
    { ...right, scan: { ...right.scan, lookup: (id: string) => right.scan.lookup({ id }) } },
    {
      ...right,
      scan: {
        ...right.scan,
        // @ts-expect-error the method requires a further field in its argument
        lookup: (args: { id: string; at: number }) => right.scan.lookup(args),
      },
    },
    // @ts-expect-error the method returns another type than the contract has
    { ...right, scan: { ...right.scan, recent: () => ['scan'] } },
  ]
}
