import type { LookupAddress } from 'node:dns'
import { describe, expect, it } from 'vitest'
import { createNameLookup, type LookUpAll } from '#kit/name-lookups.ts'

const at = (address: string): LookupAddress[] => [{ address, family: 4 }]

/** A resolver whose look-ups end when the test ends them. */
function createResolver(): {
  lookUp: LookUpAll
  asked: () => string[]
  end: (name: string, address?: string) => void
} {
  const running = new Map<string, Parameters<LookUpAll>[2]>()
  return {
    lookUp: (name, _, found) => {
      if (running.has(name)) throw new Error(`${name} is looked up twice at a time`)
      running.set(name, found)
    },
    asked: () => [...running.keys()],
    end: (name, address) => {
      const found = running.get(name)
      running.delete(name)
      if (address === undefined) found?.(Object.assign(new Error('no server'), { code: 'EAI_AGAIN' }), [])
      else found?.(null, at(address))
    },
  }
}

const resultOf = (lookUp: LookUpAll, name: string): Promise<string> =>
  new Promise((resolve) => {
    lookUp(name, {}, (error, addresses) => resolve(error?.code ?? String(addresses[0]?.address)))
  })

describe('the look-up of host names', () => {
  it('makes one look-up of a name at a time, for all that need it', async () => {
    const { lookUp, asked, end } = createResolver()
    const find = createNameLookup({ lookUp })
    const both = Promise.all([resultOf(find, 'wms.example.com'), resultOf(find, 'WMS.example.com')])
    expect(asked()).toEqual(['wms.example.com'])
    end('wms.example.com', '192.0.2.1')
    expect(await both).toEqual(['192.0.2.1', '192.0.2.1'])
    const failed = resultOf(find, 'wms.example.com')
    end('wms.example.com')
    expect(await failed).toBe('EAI_AGAIN')
  })

  it('looks up one printer at a time, and each name once, however often dead names are needed', async () => {
    const { lookUp, asked, end } = createResolver()
    const find = createNameLookup({ most: 1, lookUp })
    const results = ['a', 'b', 'a', 'b', 'c'].map((name) => resultOf(find, name))
    expect(asked()).toEqual(['a'])
    end('a')
    expect(asked()).toEqual(['b'])
    end('b')
    expect(asked()).toEqual(['c'])
    end('c', '192.0.2.3')
    expect(await Promise.all(results)).toEqual([
      ...['EAI_AGAIN', 'EAI_AGAIN'],
      'EAI_AGAIN',
      'EAI_AGAIN',
      '192.0.2.3',
    ])
    expect(asked()).toEqual([])
  })

  it('uses the last addresses of a printer while the name of another one is looked up', async () => {
    const { lookUp, asked, end } = createResolver()
    const find = createNameLookup({ most: 1, keptMs: 60_000, lookUp })
    const first = resultOf(find, 'good')
    end('good', '192.0.2.1')
    await first
    const dead = resultOf(find, 'dead')
    expect(await resultOf(find, 'good')).toBe('192.0.2.1')
    expect(asked()).toEqual(['dead'])
    end('dead')
    expect(await dead).toBe('EAI_AGAIN')
    // the addresses are then renewed
    expect(asked()).toEqual(['good'])
    end('good', '192.0.2.2')
    const again = resultOf(find, 'dead')
    expect(await resultOf(find, 'good')).toBe('192.0.2.2')
    end('dead')
    await again
  })

  it('looks up localhost at once, while the names of other printers wait', async () => {
    const { lookUp, asked, end } = createResolver()
    const find = createNameLookup({ most: 1, lookUp })
    const results = ['dead', 'next', 'localhost'].map((name) => resultOf(find, name))
    expect(asked()).toEqual(['dead', 'localhost'])
    end('localhost', '127.0.0.1')
    expect(asked()).toEqual(['dead'])
    end('dead')
    end('next', '192.0.2.1')
    expect(await Promise.all(results)).toEqual(['EAI_AGAIN', '192.0.2.1', '127.0.0.1'])
  })
})
