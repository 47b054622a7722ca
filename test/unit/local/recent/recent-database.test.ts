import { once } from 'node:events'
import { mkdirSync, readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import Database from 'better-sqlite3'
import { describe, expect, it } from 'vitest'
import { UnusableCache } from '#local/cache.ts'
import { openRecentDatabase } from '#local/recent/recent-database.ts'
import { count } from '#support/counts.ts'
import { StoreBench } from '#support/store-bench.ts'

const opener = new URL('../../../support/recent-child.ts', import.meta.url)

describe('recent.db', () => {
  it('is created only once if several threads open it at the same time', async () => {
    for (let round = 0; round < count(2, 20); round++) {
      const bench = await StoreBench.create()
      const openers = Array.from({ length: 6 }, () => new Worker(opener, { workerData: bench.dataDir }))
      await Promise.all(openers.map((one) => once(one, 'message')))
      const answers = openers.map((one) => once(one, 'message'))
      for (const one of openers) one.postMessage('open')
      expect((await Promise.all(answers)).flat()).toEqual(Array<string>(6).fill('opened'))
      await bench.dispose()
    }
  })

  it('is not rewritten while its rows have more bytes than the limit, because main would wait for the disk', async () => {
    const bench = await StoreBench.create()
    const recent = openRecentDatabase(bench.dataDir, () => undefined, 1_000_000)
    const run = (sql: string): void =>
      recent
        .part((database) => database.prepare(sql))
        .use(
          (statement) => void statement.run(),
          () => undefined,
        )
    const inode = (): number => statSync(join(bench.dataDir, 'recent.db')).ino
    const before = inode()
    run(`INSERT INTO shipments VALUES ('scope', 'large', 1, 1, hex(zeroblob(600000)))`)
    expect([await recent.rewrite(), inode()]).toEqual([false, before])
    // the file still has the same size, but its pages are now free, and a rewrite does not copy free pages
    run(`DELETE FROM shipments`)
    expect(await recent.rewrite()).toBe(true)
    expect(inode()).not.toBe(before)
    recent.close()
    await bench.dispose()
  })

  it.each(['recent.rewritten.db', 'recent.replaced.db'])(
    'opens although the leftover %s cannot be removed, and the next rewrite reports or removes it',
    async (name) => {
      const bench = await StoreBench.create()
      const leftover = join(bench.dataDir, name)
      mkdirSync(leftover)
      const recent = openRecentDatabase(bench.dataDir, () => undefined)
      expect(recent.hasLeftovers).toBe(true)
      await expect(recent.rewrite()).rejects.toThrow()
      rmSync(leftover, { recursive: true })
      expect(await recent.rewrite()).toBe(true)
      recent.close()
      await bench.dispose()
    },
  )

  it('is deleted if it is of another version, so that no names stay in a file that no store knows', async () => {
    const bench = await StoreBench.create()
    openRecentDatabase(bench.dataDir, () => undefined).close()
    const earlier = new Database(join(bench.dataDir, 'recent.db'))
    earlier.pragma('user_version = 1')
    earlier.close()
    let lost = 0
    openRecentDatabase(bench.dataDir, () => lost++).close()
    expect(lost).toBe(1)
    expect(readdirSync(bench.dataDir).filter((name) => name.startsWith('recent'))).toEqual(['recent.db'])
    await bench.dispose()
  })

  it('is usable again after its replacement has failed, but not after it was closed', async () => {
    const bench = await StoreBench.create()
    const recent = openRecentDatabase(bench.dataDir, () => undefined)
    const part = recent.part((database) => database.prepare('SELECT count(*) FROM shipments').pluck())
    const read = (): unknown =>
      part.use(
        (count) => count.get(),
        () => null,
      )
    const hindrance = join(bench.dataDir, 'recent.damaged.db')
    mkdirSync(hindrance)
    const damaged = (): never => {
      throw new UnusableCache('damaged')
    }
    expect(() => part.use(damaged, () => null)).toThrow()
    rmSync(hindrance, { recursive: true })
    expect(read()).toBe(0)
    recent.close()
    expect(read).toThrow('session.signed_out')
    await bench.dispose()
  })
})
