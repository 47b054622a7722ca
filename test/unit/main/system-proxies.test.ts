import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { sandboxStation } from '../../../electron/main/stations.ts'
import { type ProxyList, SystemProxies } from '../../../electron/main/system-proxies.ts'
import { type ErrorCode, failure } from '#shared/errors/catalogue.ts'
import { stationView } from '#support/station-view.ts'

const service = 'https://wms.example.com'
const labelHost = 'https://files.example.net'
const corp = 'http://corp:3128'
const other = 'http://other:3128'

/** The proxies that the system names now, by origin. */
let named: Record<string, ProxyList>
let reads: { readonly url: string; readonly reloads: boolean }[]
let whenRead: Promise<unknown>
/** The proxies of the service that the listener received. */
let changes: (string | null)[]
let proxies: SystemProxies

const proxyOf = (origin: string): string | null => proxies.of(new URL(`${origin}/page?x=1`))
const open = (documentHosts = 'files.example.net'): Promise<void> =>
  proxies.open({ ...stationView('a'), documentHosts })
const hear = (state: 'online' | 'offline', code: ErrorCode = 'network.offline'): void => {
  const why = state === 'offline' ? failure(code) : null
  proxies.heard({ line: { state, since: '2026-11-24T08:00:00Z', failure: why } })
}
const seconds = (count: number): Promise<unknown> => vi.advanceTimersByTimeAsync(count * 1_000)

beforeEach(async () => {
  vi.useFakeTimers()
  named = {}
  reads = []
  whenRead = Promise.resolve()
  changes = []
  proxies = new SystemProxies(async (url, { reloads }) => {
    reads.push({ url, reloads })
    await whenRead
    return named[url] ?? [null]
  })
  proxies.onChanged((proxy) => changes.push(proxy))
  await open()
})
afterEach(() => {
  proxies.stop()
  vi.useRealTimers()
})

describe('the proxies of a station that is opened', () => {
  it('are read for the service and each label host; any other origin has the proxy of the service', async () => {
    named = { [service]: [corp], [labelHost]: [null] }
    await open()
    expect([service, labelHost, `${service}:8443`].map(proxyOf)).toEqual([corp, null, corp])
    named = { [service]: [null], [labelHost]: [corp] }
    await open()
    expect([service, labelHost].map(proxyOf)).toEqual([null, corp])
  })

  it('are not read for the sandbox or for an address that is no URL, also while the desk is offline', async () => {
    reads = []
    for (const station of [sandboxStation, { ...stationView('a'), baseUrl: 'wms example' }]) {
      await proxies.open(station)
      hear('offline')
      await seconds(60)
    }
    expect(reads).toEqual([])
    expect(proxyOf('http://127.0.0.1:8080')).toBeNull()
  })

  it('are waited for at most five seconds, and used when they arrive', async () => {
    const slow = Promise.withResolvers<unknown>()
    whenRead = slow.promise
    named = { [service]: [corp] }
    changes = []
    const opened = open()
    await seconds(5)
    await opened
    expect(proxyOf(service)).toBeNull()
    slow.resolve(null)
    await seconds(0)
    expect(proxyOf(service)).toBe(corp)
    expect(changes).toEqual([corp])
  })

  it('are those of the station that was opened last, also if the read for an earlier one ends later', async () => {
    const slow = Promise.withResolvers<unknown>()
    whenRead = slow.promise
    named = { [service]: [corp] }
    const first = open()
    await proxies.open(sandboxStation)
    slow.resolve(null)
    await first
    expect(proxyOf(service)).toBeNull()
  })
})

describe('the proxy of the service', () => {
  it('is read again every 15 seconds while the desk is offline, with the settings of the system', async () => {
    await open('')
    reads = []
    changes = []
    hear('offline')
    await seconds(14)
    expect(reads).toEqual([])
    await seconds(1)
    expect(reads).toEqual([{ url: service, reloads: true }])
    for (const list of [[corp], [other], [corp]]) {
      named = { [service]: list }
      await seconds(15)
      expect(proxyOf(service)).toBe(list[0])
    }
    expect(changes).toEqual([corp, other, corp])
  })

  it('is the next one of its list after each read while the desk is offline, also if the list changes', async () => {
    named = { [service]: [corp, other, null] }
    await open()
    hear('offline')
    const used: (string | null)[] = []
    for (let turn = 0; turn < 4; turn++) {
      await seconds(15)
      used.push(proxyOf(service))
      named = { [service]: [corp, other, null, `http://spare${turn}:3128`] }
    }
    expect(used).toEqual([other, null, 'http://spare1:3128', corp])
    hear('online')
    await seconds(900)
    expect(proxyOf(service)).toBe(corp)
  })

  it.each([
    [[corp], [null, corp, null]],
    [
      [corp, null],
      [null, corp, null],
    ],
    [
      [corp, null, other],
      [null, other, corp],
    ],
  ])(
    'is alternately one of the last known ones (%j) and none while the desk is offline and the PAC script cannot be read',
    async (list, expected) => {
      named = { [service]: list }
      await open()
      named = {}
      hear('offline')
      const used: (string | null)[] = []
      for (let turn = 0; turn < 3; turn++) {
        await seconds(15)
        used.push(proxyOf(service))
      }
      expect(used).toEqual(expected)
    },
  )

  it.each(['', 'files.example.net', 'wms.example.com'])(
    'stays the same while the desk is online and the PAC script cannot be read, also after an outage (label hosts: "%s")',
    async (documentHosts) => {
      named = { [service]: [corp] }
      await open(documentHosts)
      hear('offline')
      const read = Promise.withResolvers<unknown>()
      whenRead = read.promise
      named = {}
      await seconds(15)
      hear('online')
      whenRead = Promise.resolve()
      read.resolve(null)
      await seconds(900)
      expect(proxyOf(service)).toBe(corp)
    },
  )

  it('stays the same if the service responds with a failure, so that the desk is offline', async () => {
    named = { [service]: [corp, other] }
    await open()
    hear('offline', 'api.unavailable')
    await seconds(60)
    expect(proxyOf(service)).toBe(corp)
  })

  it('is another one after two consecutive reads without it, although the desk is online, because open connections may work when new ones are refused', async () => {
    named = { [service]: [corp] }
    await open()
    hear('online')
    await seconds(15)
    named = { [service]: [other] }
    await seconds(300)
    expect(proxyOf(service)).toBe(corp)
    named = { [service]: [corp, other] }
    await seconds(15)
    named = { [service]: [other] }
    await seconds(300)
    expect(proxyOf(service)).toBe(corp)
    await seconds(15)
    expect(proxyOf(service)).toBe(other)
  })

  it('is another one within 30 seconds if the desk becomes offline and online each second', async () => {
    named = { [service]: [corp] }
    await open()
    hear('online')
    named = { [service]: [other] }
    for (let turn = 0; turn < 15; turn++) {
      hear('offline')
      await seconds(1)
      hear('online')
      await seconds(1)
    }
    expect(proxyOf(service)).toBe(other)
  })

  it('is read again if a read does not end within a minute, and is used before the label hosts are read', async () => {
    hear('offline')
    whenRead = new Promise(() => undefined)
    await seconds(15)
    reads = []
    whenRead = Promise.resolve()
    named = { [service]: [corp] }
    await seconds(60 + 15)
    expect(reads[0]).toEqual({ url: labelHost, reloads: false })
    expect(proxyOf(service)).toBe(corp)
  })
})

describe('the proxy of a label host', () => {
  it('is read again within 15 seconds after the desk is online, and then every 5 minutes', async () => {
    hear('online')
    named = { [labelHost]: [corp] }
    await seconds(15)
    expect([service, labelHost].map(proxyOf)).toEqual([null, corp])
    named = { [labelHost]: [other] }
    await seconds(299)
    expect(proxyOf(labelHost)).toBe(corp)
    await seconds(1)
    expect(proxyOf(labelHost)).toBe(other)
  })

  it('is kept if it cannot be read during an outage, or at one read while the desk is online', async () => {
    named = { [labelHost]: [corp] }
    await open()
    named = {}
    hear('offline')
    await seconds(60)
    hear('online')
    await seconds(15)
    expect(proxyOf(labelHost)).toBe(corp)
    named = { [labelHost]: [corp] }
    await seconds(15)
    named = {}
    await seconds(300)
    expect(proxyOf(labelHost)).toBe(corp)
    await seconds(15)
    expect(proxyOf(labelHost)).toBeNull()
  })

  it('is kept while the desk is online and the PAC script cannot be read, if the service has a proxy too', async () => {
    named = { [service]: [corp], [labelHost]: [corp] }
    await open()
    hear('online')
    named = {}
    await seconds(7_200)
    expect([service, labelHost].map(proxyOf)).toEqual([corp, corp])
  })

  it('is alternately the first of its list and none if the service with the same list is reached without a proxy', async () => {
    named = { [service]: [corp, null], [labelHost]: [corp, null] }
    await open()
    hear('offline')
    await seconds(15)
    expect([service, labelHost].map(proxyOf)).toEqual([null, null])
    hear('online')
    await seconds(15)
    const used = [proxyOf(labelHost)]
    for (let turn = 0; turn < 2; turn++) {
      await seconds(300)
      used.push(proxyOf(labelHost))
    }
    expect(used).toEqual([corp, null, corp])
    expect(proxyOf(service)).toBeNull()
  })

  it('is that of the service if both have the same list, and otherwise the first of its list', async () => {
    named = { [service]: [corp, other], [labelHost]: [corp, other] }
    await open()
    hear('offline')
    await seconds(15)
    expect([service, labelHost].map(proxyOf)).toEqual([other, other])
    named = { [service]: [null], [labelHost]: [corp, null] }
    await open()
    hear('online')
    await seconds(900)
    expect([service, labelHost].map(proxyOf)).toEqual([null, corp])
  })

  it('is read by one read at a time, however often the state of the connection changes', async () => {
    reads = []
    whenRead = new Promise(() => undefined)
    for (let turn = 0; turn < 30; turn++) {
      hear(turn % 2 === 0 ? 'offline' : 'online')
      await seconds(1)
    }
    expect(reads).toHaveLength(1)
  })
})
