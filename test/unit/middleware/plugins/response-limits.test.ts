import { PassThrough } from 'node:stream'
import { sql } from 'kysely'
import { describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { openSqliteDatabase } from '#middleware/data/engine/sqlite.ts'
import { LimitedReader } from '#middleware/plugins/response-limits.ts'
import { oncePerRecord } from '#middleware/routes/wire-values.ts'
import { Turns } from '#middleware/services/turns.ts'
import type { Route } from '#shared/wire/routes.ts'

const list: Route = {
  summary: 'List',
  method: 'GET',
  path: '/list/',
  status: 200,
  response: z.array(z.object({ id: z.number(), text: z.string() })),
  role: null,
}
const items = (count: number): { id: number; text: string; undeclared: string }[] =>
  Array.from({ length: count }, (_, id) => ({ id, text: 't'.repeat(200), undeclared: 'u' }))

describe('the JSON of a list', () => {
  const reader = new LimitedReader({ mostCharacters: 32 * 1024 * 1024 })

  it('has only the declared fields of each item, and is an empty array for an empty list', async () => {
    const expected = items(3).map(({ id, text }) => ({ id, text }))
    expect(JSON.parse((await reader.listAsJson(list, items(3))).toString())).toEqual(expected)
    expect((await reader.listAsJson(list, [])).toString()).toBe('[]')
  })

  it('is refused if it exceeds the size limit, or if an item lacks a declared field', async () => {
    const small = new LimitedReader({ mostCharacters: 1000 })
    await expect(small.listAsJson(list, items(10))).rejects.toThrow('The response would be too large')
    await expect(reader.listAsJson(list, [{ id: 1 }])).rejects.toThrow()
  })

  it('is encoded record by record, because encoding a whole list of 47 MB would take more than a second', async () => {
    const encode = vi.spyOn(Buffer, 'from')
    try {
      const bytes = await reader.listAsJson(list, items(50))
      const longest = Math.max(...encode.mock.calls.map(([text]) => (text as { length: number }).length))
      expect(longest).toBeLessThan(bytes.length / 25)
    } finally {
      encode.mockRestore()
    }
  })

  it('is created in steps; between the steps, calls of other customers run, but no further call of the same customer', async () => {
    const turns = new Turns({ read: 100, write: 100 })
    const order: string[] = []
    const run = (owner: string, work: () => Promise<void>): Promise<boolean> =>
      turns.run({ owner, kind: 'read', response: new PassThrough() }, work)
    const makeList = (name: string) => async (): Promise<void> => {
      order.push(`${name} begins`)
      await reader.listAsJson(list, items(100_000))
      order.push(`${name} ends`)
    }
    const small = async (): Promise<void> => {
      await run('honest', () => Promise.resolve(void order.push('small')))
      if (order.length < 12) await small()
    }
    await Promise.all([run('large', makeList('first')), run('large', makeList('second')), small()])
    const ends = order.indexOf('first ends')
    expect(order.slice(0, ends)).toContain('small')
    expect(order.indexOf('second begins')).toBeGreaterThan(ends)
  })
})

describe('the records that fill a response', () => {
  it('are read in steps, between which calls of other customers run', async () => {
    const reader = new LimitedReader({ mostCharacters: 1000 })
    const turns = new Turns({ read: 100, write: 100 })
    const order: string[] = []
    const run = (owner: string, work: () => Promise<void>): Promise<boolean> =>
      turns.run({ owner, kind: 'read', response: new PassThrough() }, work)
    const fill = async (): Promise<void> => {
      const read = (key: number): Promise<string> => {
        for (const begunAt = performance.now(); performance.now() - begunAt < 12;);
        return Promise.resolve(`record ${key}`)
      }
      const items = await reader.fill([1, 2, 3], read, String)
      order.push(items.join())
    }
    const small = (): Promise<boolean> => run('honest', () => Promise.resolve(void order.push('small')))
    await Promise.all([run('large', fill), small()])
    expect(order).toEqual(['small', 'record 1,record 2,record 3'])
  })
})

describe('the database reads of a call', () => {
  it('succeed for 50,000 small rows, and fail for 200,000', async () => {
    const database = openSqliteDatabase(':memory:')
    const reader = new LimitedReader({ mostCharacters: 32 * 1024 * 1024 })
    const read = (count: number): Promise<void> =>
      reader.run(async () => {
        await sql`with recursive numbers(value) as (select 1 union all select value + 1 from numbers where value < ${count})
          select value from numbers`.execute(database)
      })
    await read(50_000)
    await expect(read(200_000)).rejects.toThrow('The response would be too large')
    await database.destroy()
  })
})

describe('oncePerRecord()', () => {
  it('converts the same record only once, and different records separately', () => {
    let count = 0
    const convert = oncePerRecord(({ id }: { readonly id: string }) => {
      count++
      return { shown: id }
    })
    const [one, two] = [{ id: 'one' }, { id: 'two' }]
    expect([one, two, one, one].map(convert)).toEqual(
      ['one', 'two', 'one', 'one'].map((shown) => ({ shown })),
    )
    expect(count).toBe(2)
  })
})
