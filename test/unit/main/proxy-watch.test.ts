import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { stationView } from '#support/station-view.ts'
import { ProxyWatch } from '../../../electron/main/proxy-watch.ts'

/** The proxy that the system names now. */
let proxy: string | null
let isPrinting: () => Promise<boolean>
let reopened: string[]
let watch: ProxyWatch

const open = (id: string): void => {
  watch.opened(stationView(id), proxy)
}
const hear = (state: 'online' | 'offline'): void => {
  watch.heard({ line: { state, since: '2026-11-24T08:00:00Z', failure: null } })
}
const minutes = (count: number): Promise<unknown> => vi.advanceTimersByTimeAsync(count * 60_000)

beforeEach(() => {
  vi.useFakeTimers()
  proxy = null
  isPrinting = () => Promise.resolve(false)
  reopened = []
  watch = new ProxyWatch({
    readAgain: () => Promise.resolve(proxy),
    isPrinting: () => isPrinting(),
    reopen: ({ id }) => {
      reopened.push(id)
      open(id)
      return Promise.resolve()
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

describe('a desk that was opened without a proxy and is offline', () => {
  beforeEach(() => {
    open('a')
    hear('offline')
  })

  it('is opened again once when the system names a proxy, also if the proxy then changes and the desk stays offline', async () => {
    await minutes(5)
    expect(reopened).toEqual([])
    proxy = 'http://corp:3128'
    await minutes(1)
    expect(reopened).toEqual(['a'])
    hear('offline')
    proxy = 'http://other:3128'
    await minutes(60)
    expect(reopened).toEqual(['a'])
  })

  it('is not opened again if it has been online meanwhile', async () => {
    hear('online')
    hear('offline')
    proxy = 'http://corp:3128'
    await minutes(5)
    expect(reopened).toEqual([])
  })

  it('is opened again only after a print has ended', async () => {
    proxy = 'http://corp:3128'
    isPrinting = () => Promise.resolve(true)
    await minutes(5)
    expect(reopened).toEqual([])
    isPrinting = () => Promise.resolve(false)
    await minutes(1)
    expect(reopened).toEqual(['a'])
  })

  it.each([
    ['becomes online', () => hear('online')],
    ['is replaced by the desk of another station', () => open('b')],
  ])('is not opened again if it %s while the watch waits for the state of its prints', async (_, change) => {
    const printing = Promise.withResolvers<boolean>()
    isPrinting = () => printing.promise
    proxy = 'http://corp:3128'
    await minutes(1)
    change()
    printing.resolve(false)
    await minutes(5)
    expect(reopened).toEqual([])
  })
})

describe('a desk that was opened with a proxy', () => {
  it('is not opened again, whichever proxy the system names while the desk is offline', async () => {
    proxy = 'http://a:3128'
    open('a')
    hear('offline')
    for (const next of ['http://b:3128', 'http://a:3128', null]) {
      proxy = next
      await minutes(2)
    }
    expect(reopened).toEqual([])
  })
})
