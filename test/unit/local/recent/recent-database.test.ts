import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { describe, expect, it } from 'vitest'
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
})
