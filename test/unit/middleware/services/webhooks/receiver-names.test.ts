import { describe, expect, it } from 'vitest'
import { ReceiverNames, type NameUser } from '#middleware/services/webhooks/receiver-names.ts'

/** Creates look-ups that end when the test ends them, by name. */
function createBench() {
  const begun: string[] = []
  const stopped: string[] = []
  const ends = new Map<string, (addresses: readonly string[]) => void>()
  const lookups = new ReceiverNames((name, signal) => {
    begun.push(name)
    signal.addEventListener('abort', () => stopped.push(name))
    return new Promise((resolve) => ends.set(name, resolve))
  })
  return { lookups, begun, stopped, end: (name: string) => ends.get(name)?.([name]) }
}

/** An attempt that ends only with its look-up. */
const patient: NameUser = { signal: new AbortController().signal, onTurn: () => undefined }
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
const names = Array.from({ length: 20 }, (_, nth) => `host-${nth}.example.org`)

describe('ReceiverNames.find()', () => {
  it('resolves a name once for simultaneous attempts of a customer, and again for a later attempt', async () => {
    const { lookups, begun, end } = createBench()
    const both = [1, 2].map(() => lookups.find('customer', 'host', patient))
    end('host')
    expect(await Promise.all(both)).toEqual([['host'], ['host']])
    const later = lookups.find('customer', 'host', patient)
    end('host')
    expect([await later, begun]).toEqual([['host'], ['host', 'host']])
  })

  it('resolves at most eight names of a customer at the same time, and delays no other customer', async () => {
    const { lookups, begun, end } = createBench()
    const all = names.map((name) => lookups.find('customer', name, patient))
    const other = lookups.find('other', 'host', patient)
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

  it('tells each attempt when its look-up begins, and not while it waits for its turn', async () => {
    const { lookups, end } = createBench()
    const told: string[] = []
    const attempt = (name: string): Promise<readonly string[]> =>
      lookups.find('customer', name, { ...patient, onTurn: () => void told.push(name) })
    const all = [...names.slice(0, 9), ...names.slice(0, 1)].map(attempt)
    await turn()
    expect(told.toSorted()).toEqual([...names.slice(0, 8), ...names.slice(0, 1)].toSorted())
    end(names[3] ?? '')
    await turn()
    expect(told.at(-1)).toBe(names[8])
    for (const name of names.slice(0, 9)) end(name)
    await Promise.all(all)
  })

  it('fails when its attempt is aborted, and stops the look-up when its last attempt is aborted', async () => {
    const { lookups, stopped, end } = createBench()
    const [first, second] = [new AbortController(), new AbortController()]
    const one = lookups.find('customer', 'host', { ...patient, signal: first.signal })
    const two = lookups.find('customer', 'host', { ...patient, signal: second.signal })
    first.abort()
    await expect(one).rejects.toThrow()
    expect(stopped).toEqual([])
    second.abort()
    await expect(two).rejects.toThrow()
    expect(stopped).toEqual(['host'])
    const again = lookups.find('customer', 'host', patient)
    end('host')
    expect(await again).toEqual(['host'])
  })
})
