import { describe, expect, it } from 'vitest'
import {
  EventContents,
  FurtherConnections,
  type SentEvent,
  usualDeliveryLimits,
} from '#middleware/services/webhooks/delivery-shares.ts'

/**
 * Contents of events with 10 bytes each. Two contents may be in memory at once, but only one content of each customer;
 * `reservedBytes` allows further contents. `reads` lists the events whose content was read.
 */
function smallContents(reservedBytes = 0): { contents: EventContents; reads: string[] } {
  const reads: string[] = []
  const limits = { ...usualDeliveryLimits, mostBytes: 11, mostBytesOfCustomer: 1, reservedBytes }
  const read = (id: string): Promise<Buffer | null> => {
    reads.push(id)
    if (id === 'broken') return Promise.reject(new Error('no disk'))
    return Promise.resolve(id === 'gone' ? null : Buffer.from(id))
  }
  return { contents: new EventContents(limits, read), reads }
}

function event(id: string, customerId = 'a'): SentEvent {
  return { id, customerId, bytes: 10 }
}

/** Keeps the content of an event in use, as a delivery does, until the returned `end` is called. */
function use(
  contents: EventContents,
  used: SentEvent,
): { content: Promise<string>; end: () => Promise<void> } {
  const began = Promise.withResolvers<string>()
  const ended = Promise.withResolvers<undefined>()
  const done = contents.use(used, async (content) => {
    began.resolve(String(content))
    await ended.promise
  })
  return {
    content: began.promise,
    end: async () => {
      ended.resolve(undefined)
      await done
    },
  }
}

/** Waits until every call that can continue now has continued. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

describe('EventContents', () => {
  it('reads the content of an event once for all parallel deliveries, and again for a later delivery', async () => {
    const { contents, reads } = smallContents()
    const first = use(contents, event('1'))
    const second = use(contents, event('1'))
    expect([await first.content, await second.content]).toEqual(['1', '1'])
    await first.end()
    const third = use(contents, event('1'))
    expect(await third.content).toBe('1')
    expect(reads).toEqual(['1'])
    await Promise.all([second.end(), third.end()])
    await contents.use(event('1'), () => Promise.resolve())
    expect(reads).toEqual(['1', '1'])
  })

  it('delays reading a content while other contents of its customer use all memory that one customer may use', async () => {
    const { contents, reads } = smallContents()
    const first = use(contents, event('1'))
    const second = use(contents, event('2'))
    const other = use(contents, event('3', 'b'))
    await settled()
    expect(reads).toEqual(['1', '3'])
    await first.end()
    await second.content
    expect(reads).toEqual(['1', '3', '2'])
    await Promise.all([second.end(), other.end()])
  })

  it('uses the reserved memory for the first content of a customer while other customers use all other memory', async () => {
    const { contents, reads } = smallContents(21)
    const running = ['a', 'b', 'c', 'd', 'e'].map((customer) => use(contents, event(customer, customer)))
    running.push(use(contents, event('c2', 'c')))
    await settled()
    expect(reads).toEqual(['a', 'b', 'c', 'd'])
    await running[2]?.end()
    await settled()
    expect(reads).toEqual(['a', 'b', 'c', 'd', 'e'])
    await running[3]?.end()
    await settled()
    expect(reads).toEqual(['a', 'b', 'c', 'd', 'e', 'c2'])
    await Promise.all(running.map(({ end }) => end()))
  })

  it('delays the read of an event’s content while all memory is in use, and then serves the customers in turn', async () => {
    const { contents, reads } = smallContents()
    const running = [use(contents, event('a1', 'a')), use(contents, event('b1', 'b'))]
    const waiting = [event('c1', 'c'), event('c2', 'c'), event('d1', 'd')].map((each) => use(contents, each))
    await settled()
    expect(reads).toEqual(['a1', 'b1'])
    for (const { end } of running) await end()
    await settled()
    expect(reads).toEqual(['a1', 'b1', 'c1', 'd1'])
    await Promise.all(waiting.map(({ end }) => end()))
    expect(reads).toEqual(['a1', 'b1', 'c1', 'd1', 'c2'])
  })

  it('reads the next notification after a notification is missing or unreadable, or cannot be sent', async () => {
    const { contents, reads } = smallContents()
    expect(await contents.use(event('gone'), (content) => Promise.resolve(content))).toBeNull()
    await expect(contents.use(event('broken'), () => Promise.resolve())).rejects.toThrow('no disk')
    const failing = contents.use(event('1'), () => Promise.reject(new Error('no receiver')))
    await expect(failing).rejects.toThrow('no receiver')
    await contents.use(event('2'), () => Promise.resolve())
    expect(reads).toEqual(['gone', 'broken', '1', '2'])
  })

  it('reads no further content while it uses a content that is larger than the limit', async () => {
    const { contents, reads } = smallContents()
    const large = use(contents, { id: 'large', customerId: 'a', bytes: 1000 })
    const next = use(contents, event('next', 'b'))
    await settled()
    expect(reads).toEqual(['large'])
    await large.end()
    await next.end()
    expect(reads).toEqual(['large', 'next'])
  })
})

describe('FurtherConnections', () => {
  it('limits the connections of a customer, and notifies the waiting webhooks when a connection is released', () => {
    const connections = new FurtherConnections(2)
    const told: string[] = []
    const take = (name: string, customer = 'a'): boolean =>
      connections.take(customer, () => void told.push(name))
    expect([take('1'), take('2'), take('3'), take('4'), take('5', 'b')]).toEqual([
      true,
      true,
      false,
      false,
      true,
    ])
    connections.release('b')
    expect(told).toEqual([])
    connections.release('a')
    expect(told).toEqual(['3', '4'])
    expect([take('3'), take('4')]).toEqual([true, false])
    connections.release('a')
    expect(told).toEqual(['3', '4', '4'])
  })
})
