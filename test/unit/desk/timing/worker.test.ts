import { describe, expect, it } from 'vitest'
import { createWorker } from '#desk/timing/worker.ts'
import { fakeClock } from '#support/desk-fakes.ts'

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

describe('a worker', () => {
  it('runs one step at a time, and only one more step for several calls of kick() during a step', async () => {
    let running = 0
    let runs = 0
    const worker = createWorker(
      fakeClock(),
      async () => {
        expect(++running).toBe(1)
        runs++
        await settle()
        running--
        return null
      },
      (error) => {
        throw error
      },
    )
    worker.kick()
    await Promise.resolve()
    for (let kick = 0; kick < 5; kick++) worker.kick()
    for (let turn = 0; turn < 6; turn++) await settle()
    expect(runs).toBe(2)
  })

  it('runs again after the pause that a step requests or after a step throws, but not after close()', async () => {
    const clock = fakeClock()
    const faults: unknown[] = []
    let runs = 0
    const worker = createWorker(
      clock,
      () => {
        runs++
        if (runs === 2) throw new Error('full')
        return 1_000
      },
      (error) => faults.push(error),
    )
    worker.kick()
    await settle()
    clock.advance(999)
    await settle()
    expect(runs).toBe(1)
    clock.advance(1)
    await settle()
    expect(runs).toBe(2)
    expect(faults).toHaveLength(1)
    clock.advance(5_000)
    await settle()
    expect(runs).toBe(3)
    await worker.close()
    clock.advance(60_000)
    worker.kick()
    await settle()
    expect(runs).toBe(3)
  })
})
