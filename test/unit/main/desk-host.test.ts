import { beforeEach, describe, expect, it } from 'vitest'
import type { Desk } from '#desk/desk.ts'
import type { EventName } from '#shared/bridge/channels.ts'
import { stationView } from '#support/station-view.ts'
import { DeskHost } from '../../../electron/main/desk-host.ts'

let events: string[]
let broadcasts: EventName[]
/** The functions that start the desks, by station id. The desk of a station without an entry starts at once. */
let starts: Map<string, () => Promise<void>>
let emits: Map<string, () => void>

/** Waits until every promise that can settle has settled. */
const rest = async (): Promise<void> => {
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve))
}

/** A desk with only the members that DeskHost uses. */
function fakeDesk(id: string): Desk {
  const listeners = new Set<() => void>()
  emits.set(id, () => listeners.forEach((listener) => listener()))
  const desk: Pick<Desk, 'on' | 'start' | 'close'> & { id: string; status: () => unknown } = {
    id,
    status: () => ({ unsent: { waiting: id.length, asking: 1, oldest: null } }),
    on(event, listener) {
      const heard = (): void => void Reflect.apply(listener, null, [{ event }])
      listeners.add(heard)
      return () => void listeners.delete(heard)
    },
    async start() {
      await starts.get(id)?.()
      events.push(`${id} started`)
    },
    async close() {
      events.push(`${id} closes`)
      await new Promise((resolve) => setImmediate(resolve))
      events.push(`${id} closed`)
    },
  }
  return desk as unknown as Desk
}

function open(): DeskHost {
  return new DeskHost(
    (one) => {
      events.push(`${one.id} composed`)
      return Promise.resolve(fakeDesk(one.id))
    },
    (event) => broadcasts.push(event),
  )
}

beforeEach(() => {
  events = []
  broadcasts = []
  starts = new Map()
  emits = new Map()
})

describe('DeskHost', () => {
  it('runs one desk at a time, and at the end runs the desk of the station that was chosen last', async () => {
    const host = open()
    await host.open(stationView('old'))
    await Promise.all([host.open(stationView('a')), host.open(stationView('b'))])
    expect(await host.desk()).toMatchObject({ id: 'b' })
    expect(events).toEqual(
      ['old', 'a']
        .flatMap((id) => [`${id} composed`, `${id} started`, `${id} closes`, `${id} closed`])
        .concat(['b composed', 'b started']),
    )
  })

  it('returns the desk of the new station to a call that arrives during a change of the station', async () => {
    const host = open()
    await host.open(stationView('old'))
    const switched = host.open(stationView('new'))
    expect(await host.desk()).toMatchObject({ id: 'new' })
    expect(await host.desk('new')).toMatchObject({ id: 'new' })
    await switched
  })

  it('refuses a call for the old station from the beginning of a change of the station', async () => {
    const host = open()
    await host.open(stationView('old'))
    const before = host.desk('old')
    const switched = host.open(stationView('new'))
    await expect(host.desk('old')).rejects.toThrow('station.changed')
    await switched
    await expect(host.desk('old')).rejects.toThrow('station.changed')
    expect([host.isAt('old'), host.isAt('new')]).toEqual([false, true])
    // a call that arrived before the change gets the desk of the old station
    expect(await before).toMatchObject({ id: 'old' })
  })

  it('refuses a call for the old station even if the desk of the new station cannot be opened', async () => {
    const host = open()
    await host.open(stationView('old'))
    starts.set('new', () => Promise.reject(new Error('the disk is full')))
    await expect(host.open(stationView('new'))).rejects.toThrow('the disk is full')
    await expect(host.desk('old')).rejects.toThrow('station.changed')
    await expect(host.desk('new')).rejects.toThrow('the disk is full')
  })

  it('closes a desk that is still opening when the app ends, and does not open the desk that was requested after this desk', async () => {
    const host = open()
    const begun = Promise.withResolvers<undefined>()
    starts.set('a', () => begun.promise)
    const opening = Promise.allSettled([host.open(stationView('a')), host.open(stationView('b'))])
    await rest()
    const closing = host.close()
    begun.resolve(undefined)
    await closing
    expect(await opening).toMatchObject([{ status: 'fulfilled' }, { status: 'rejected' }])
    expect(events).toEqual(['a composed', 'a started', 'a closes', 'a closed'])
  })

  it('closes a desk that was composed but could not start', async () => {
    const host = open()
    starts.set('a', () => Promise.reject(new Error('the disk is full')))
    await expect(host.open(stationView('a'))).rejects.toThrow('the disk is full')
    expect(events).toEqual(['a composed', 'a closes', 'a closed'])
    await host.open(stationView('b'))
    expect(await host.desk()).toMatchObject({ id: 'b' })
  })

  it('opens a desk again at the next calls after it could not be opened, and only once for all these calls', async () => {
    const host = open()
    let isFull = true
    starts.set('a', () => (isFull ? Promise.reject(new Error('the disk is full')) : Promise.resolve()))
    await expect(host.open(stationView('a'))).rejects.toThrow('the disk is full')
    const calls = await Promise.allSettled([host.desk('a'), host.desk()])
    expect(calls.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    expect(events).toEqual(Array.from({ length: 2 }, () => ['a composed', 'a closes', 'a closed']).flat())
    isFull = false
    const [one, other] = await Promise.all([host.desk('a'), host.desk()])
    expect(one).toBe(other)
    expect(events.slice(6)).toEqual(['a composed', 'a started'])
    expect(host.unsent()).not.toBeNull()
  })

  it('returns the number of unsent writes of a running desk, and null while no desk runs', async () => {
    const host = open()
    const begun = Promise.withResolvers<undefined>()
    starts.set('abc', () => begun.promise)
    expect(host.unsent()).toBeNull()
    const opening = host.open(stationView('abc'))
    await rest()
    expect(host.unsent()).toBeNull()
    begun.resolve(undefined)
    await opening
    expect(host.unsent()).toEqual({ waiting: 3, asking: 1 })
    const closing = host.close()
    await Promise.resolve()
    await rest()
    await closing
    expect(host.unsent()).toBeNull()
  })

  it('sends the window no events of a closed desk', async () => {
    const host = open()
    await host.open(stationView('a'))
    emits.get('a')?.()
    const heard = broadcasts.length
    expect(heard).toBeGreaterThan(0)
    await host.open(stationView('b'))
    emits.get('a')?.()
    expect(broadcasts).toHaveLength(heard)
  })
})
