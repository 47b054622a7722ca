import { describe, expect, it } from 'vitest'
import { NameLookups } from '#middleware/services/webhooks/name-lookups.ts'

/** Creates look-ups that end when the test ends them, by name. */
function createBench() {
  const begun: string[] = []
  const stopped: string[] = []
  const ends = new Map<string, (addresses: readonly string[]) => void>()
  const lookups = new NameLookups((name, signal) => {
    begun.push(name)
    signal.addEventListener('abort', () => stopped.push(name))
    return new Promise((resolve) => ends.set(name, resolve))
  })
  return { lookups, begun, stopped, end: (name: string) => ends.get(name)?.([name]) }
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
const names = Array.from({ length: 20 }, (_, nth) => `host-${nth}.example.org`)

describe('NameLookups.find()', () => {
  it('resolves a name once for simultaneous attempts of a customer, and again for a later attempt', async () => {
    const { lookups, begun, end } = createBench()
    const { signal } = new AbortController()
    const both = [1, 2].map(() => lookups.find('customer', 'host', signal))
    end('host')
    expect(await Promise.all(both)).toEqual([['host'], ['host']])
    const later = lookups.find('customer', 'host', signal)
    end('host')
    expect([await later, begun]).toEqual([['host'], ['host', 'host']])
  })

  it('resolves at most eight names of a customer at the same time, and delays no other customer', async () => {
    const { lookups, begun, end } = createBench()
    const { signal } = new AbortController()
    const all = names.map((name) => lookups.find('customer', name, signal))
    const other = lookups.find('other', 'host', signal)
    expect(begun).toEqual([...names.slice(0, 8), 'host'])
    end('host')
    expect(await other).toEqual(['host'])
    for (const name of names) {
      end(name)
      await turn()
      expect(begun.length - 1).toBeLessThanOrEqual(names.indexOf(name) + 9)
    }
    expect(await Promise.all(all)).toEqual(names.map((name) => [name]))
  })

  it('fails when its attempt is aborted, and stops the look-up when its last attempt is aborted', async () => {
    const { lookups, stopped, end } = createBench()
    const [first, second] = [new AbortController(), new AbortController()]
    const one = lookups.find('customer', 'host', first.signal)
    const two = lookups.find('customer', 'host', second.signal)
    first.abort()
    await expect(one).rejects.toThrow()
    expect(stopped).toEqual([])
    second.abort()
    await expect(two).rejects.toThrow()
    expect(stopped).toEqual(['host'])
    const again = lookups.find('customer', 'host', new AbortController().signal)
    end('host')
    expect(await again).toEqual(['host'])
  })
})
