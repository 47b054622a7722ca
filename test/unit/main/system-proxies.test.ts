import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { sandboxStation } from '../../../electron/main/stations.ts'
import { SystemProxies } from '../../../electron/main/system-proxies.ts'
import { stationView } from '#support/station-view.ts'

const service = 'https://wms.example.com'
const labelHost = 'https://files.example.net'

/** The proxies that the system names now, by origin. */
let named: Record<string, string | null>
let reads: { readonly url: string; readonly reloads: boolean }[]
let whenRead: Promise<unknown>
let changes: number
let proxies: SystemProxies

const proxyOf = (origin: string): string | null => proxies.of(new URL(`${origin}/page?x=1`))
const hear = (state: 'online' | 'offline'): void => {
  proxies.heard({ line: { state, since: '2026-11-24T08:00:00Z', failure: null } })
}
const seconds = (count: number): Promise<unknown> => vi.advanceTimersByTimeAsync(count * 1_000)

beforeEach(async () => {
  vi.useFakeTimers()
  named = {}
  reads = []
  whenRead = Promise.resolve()
  changes = 0
  proxies = new SystemProxies(async (url, { reloads }) => {
    reads.push({ url, reloads })
    await whenRead
    return named[url] ?? null
  })
  proxies.onChanged(() => changes++)
  await proxies.open({ ...stationView('a'), documentHosts: 'files.example.net' })
})
afterEach(() => {
  proxies.stop()
  vi.useRealTimers()
})

describe('the proxies of a station', () => {
  it('are read separately for the service and each label host; any other origin has the proxy of the service', async () => {
    named = { [service]: 'http://corp:3128', [labelHost]: null }
    await proxies.open({ ...stationView('a'), documentHosts: 'files.example.net' })
    expect([service, labelHost, `${service}:8443`].map(proxyOf)).toEqual([
      'http://corp:3128',
      null,
      'http://corp:3128',
    ])
    named = { [service]: null, [labelHost]: 'http://corp:3128' }
    await proxies.open({ ...stationView('a'), documentHosts: 'files.example.net' })
    expect([service, labelHost].map(proxyOf)).toEqual([null, 'http://corp:3128'])
  })

  it('are not read for the sandbox, also if its desk is offline', async () => {
    reads = []
    await proxies.open(sandboxStation)
    hear('offline')
    await seconds(60)
    expect(reads).toEqual([])
    expect(proxyOf('http://127.0.0.1:8080')).toBeNull()
  })

  it('of the service only is read again every 15 seconds while the desk is offline, with the settings of the system', async () => {
    reads = []
    hear('offline')
    await seconds(14)
    expect(reads).toEqual([])
    await seconds(1)
    expect(reads).toEqual([{ url: service, reloads: true }])
    expect(changes).toBe(0)
    named = { [service]: 'http://corp:3128' }
    await seconds(15)
    expect(proxyOf(service)).toBe('http://corp:3128')
    named = { [service]: 'http://other:3128' }
    await seconds(15)
    expect(proxyOf(service)).toBe('http://other:3128')
    named = {}
    await seconds(15)
    expect(proxyOf(service)).toBeNull()
    expect(changes).toBe(3)
  })

  it.each([['online'], ['offline', 'online']] as const)(
    'of the label hosts only are read again when the desk becomes online, after 15 seconds, and then every 5 minutes (%s %s)',
    async (...states) => {
      reads = []
      for (const state of states) hear(state)
      named = { [service]: 'http://corp:3128', [labelHost]: 'http://corp:3128' }
      await seconds(0)
      expect([service, labelHost].map(proxyOf)).toEqual([null, 'http://corp:3128'])
      hear('online')
      await seconds(15 + 299)
      expect(reads).toEqual([labelHost, labelHost].map((url) => ({ url, reloads: true })))
      named = { [labelHost]: 'http://other:3128' }
      await seconds(1)
      expect(proxyOf(labelHost)).toBe('http://other:3128')
      expect(changes).toBe(0)
    },
  )

  it('of a label host is not lost if it cannot be read during an outage, or at one read while the desk is online', async () => {
    named = { [labelHost]: 'http://corp:3128' }
    hear('online')
    await seconds(0)
    named = {}
    hear('offline')
    await seconds(60)
    hear('online')
    await seconds(0)
    expect(proxyOf(labelHost)).toBe('http://corp:3128')
    named = { [labelHost]: 'http://corp:3128' }
    await seconds(15)
    named = {}
    await seconds(300)
    expect(proxyOf(labelHost)).toBe('http://corp:3128')
    await seconds(15)
    expect(proxyOf(labelHost)).toBeNull()
  })

  it('of the service stays the same while the desk is online, also if its host is a label host too', async () => {
    await proxies.open({ ...stationView('a'), documentHosts: 'wms.example.com' })
    hear('online')
    named = { [service]: 'http://corp:3128' }
    await seconds(900)
    expect(proxyOf(service)).toBeNull()
  })

  it('are not read while the desk is online if the station has no label hosts', async () => {
    await proxies.open(stationView('a'))
    reads = []
    hear('online')
    await seconds(600)
    expect(reads).toEqual([])
  })

  it('are not read for a station whose address is no URL', async () => {
    reads = []
    await proxies.open({ ...stationView('a'), baseUrl: 'wms example' })
    expect(reads).toEqual([])
  })

  it.each([
    ['the desk becomes online', '', () => hear('online')],
    ['the desk becomes online', 'files.example.net', () => hear('online')],
    ['another station is opened', '', () => void proxies.open(stationView('b'))],
  ])('stay the same if %s while they are read (label hosts: "%s")', async (_, documentHosts, change) => {
    await proxies.open({ ...stationView('a'), documentHosts })
    hear('offline')
    const read = Promise.withResolvers<unknown>()
    whenRead = read.promise
    await seconds(15)
    whenRead = Promise.resolve()
    change()
    await seconds(0)
    named = { [service]: 'http://corp:3128' }
    read.resolve(null)
    await seconds(300)
    expect(proxyOf(service)).toBeNull()
    expect(changes).toBe(0)
  })

  it('are those of the station that was opened last, also if the read for an earlier one ends later', async () => {
    const slow = Promise.withResolvers<unknown>()
    whenRead = slow.promise
    named = { [service]: 'http://corp:3128' }
    const first = proxies.open(stationView('a'))
    await proxies.open(sandboxStation)
    slow.resolve(null)
    await first
    expect(proxyOf(service)).toBeNull()
  })
})
