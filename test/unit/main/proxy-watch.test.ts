import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { StationView } from '#shared/bridge/views.ts'
import { ProxyWatch } from '../../../electron/main/proxy-watch.ts'

const station = (id: string): StationView => ({
  id,
  name: id,
  baseUrl: 'https://wms.example.com',
  wmsCode: 'LIVE',
  customerCode: id,
  documentHosts: '',
  environment: 'production',
  commandSecret: null,
  demoLogin: null,
})
const line = (state: 'online' | 'offline') => ({
  line: { state, since: '2026-11-24T08:00:00Z', failure: null },
})

let proxy: string | null
let isPrinting: boolean
let reopened: string[]
let watch: ProxyWatch

beforeEach(() => {
  vi.useFakeTimers()
  proxy = null
  isPrinting = false
  reopened = []
  watch = new ProxyWatch({
    read: () => Promise.resolve({ service: proxy, documents: {} }),
    isPrinting: () => Promise.resolve(isPrinting),
    reopen: async ({ id }) => {
      reopened.push(id)
      await watch.readFor(station(id))
    },
    onFault: (error) => {
      throw error
    },
  })
})
afterEach(() => {
  watch.stop()
  vi.useRealTimers()
})

const minute = (): Promise<unknown> => vi.advanceTimersByTimeAsync(60_000)

describe('the desk of a station', () => {
  it('is opened again once, after the system has a proxy that it did not have when the desk was opened without a network', async () => {
    await watch.readFor(station('a'))
    watch.heard(line('offline'))
    await minute()
    expect(reopened).toEqual([])
    proxy = 'http://corp:3128'
    await minute()
    watch.heard(line('offline'))
    await minute()
    expect(reopened).toEqual(['a'])
  })

  it('is opened again if the system has another proxy', async () => {
    proxy = 'http://old:3128'
    await watch.readFor(station('a'))
    watch.heard(line('offline'))
    proxy = 'http://new:3128'
    await minute()
    expect(reopened).toEqual(['a'])
  })

  it('is not opened again to be used without a proxy, because the script of the proxy cannot be read without a network', async () => {
    proxy = 'http://corp:3128'
    await watch.readFor(station('a'))
    watch.heard(line('offline'))
    proxy = null
    await minute()
    expect(reopened).toEqual([])
  })

  it('is not opened again while it is online', async () => {
    await watch.readFor(station('a'))
    watch.heard(line('offline'))
    watch.heard(line('online'))
    proxy = 'http://corp:3128'
    await minute()
    expect(reopened).toEqual([])
  })

  it('is opened again only after a print has ended', async () => {
    await watch.readFor(station('a'))
    watch.heard(line('offline'))
    proxy = 'http://corp:3128'
    isPrinting = true
    await minute()
    expect(reopened).toEqual([])
    isPrinting = false
    await minute()
    expect(reopened).toEqual(['a'])
  })
})
