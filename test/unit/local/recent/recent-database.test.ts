import { once } from 'node:events'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { describe, expect, it } from 'vitest'
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

  it('is not rewritten while its rows take too many bytes, because main would wait for the disk', async () => {
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
    // the file has the same size, but free pages are not copied
    run(`DELETE FROM shipments`)
    expect(await recent.rewrite()).toBe(true)
    expect(inode()).not.toBe(before)
    recent.close()
    await bench.dispose()
  })
})
