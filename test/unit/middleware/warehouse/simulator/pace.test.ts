import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createLogger } from '#kit/logger.ts'
import { SingleProcess } from '#middleware/data/engine/open-coordination.ts'
import { keepPace, type Pace } from '#middleware/warehouse/simulator/simulator.ts'

const paceMs = 5000

let logLines: string[]
let pace: Pace
/** The steps that have begun. The test ends each of them. */
let steps: { end: () => void; fail: (error: Error) => void }[]

beforeEach(() => {
  vi.useFakeTimers()
  logLines = []
  steps = []
  const logger = createLogger('test', {
    level: 'trace',
    destination: { write: (line) => logLines.push(line) },
  })
  const takeStep = (): Promise<void> =>
    new Promise((resolve, reject) => steps.push({ end: resolve, fail: reject }))
  pace = keepPace(takeStep, { paceMs, leases: new SingleProcess().leases, logger })
})
afterEach(async () => {
  for (const step of steps) step.end()
  await pace.stop()
  vi.useRealTimers()
})

const pass = (ms: number): Promise<unknown> => vi.advanceTimersByTimeAsync(ms)

describe('keepPace()', () => {
  it('takes each step of the simulator one interval after the previous step ended', async () => {
    await pass(paceMs - 1)
    expect(steps).toHaveLength(0)
    await pass(1)
    expect(steps).toHaveLength(1)
    // two steps never run at the same time
    await pass(10 * paceMs)
    expect(steps).toHaveLength(1)
    steps[0]?.end()
    await pass(paceMs - 1)
    expect(steps).toHaveLength(1)
    await pass(1)
    expect(steps).toHaveLength(2)
  })

  it('logs a failed step and takes the next step', async () => {
    await pass(paceMs)
    steps[0]?.fail(new Error('no shelf'))
    await pass(paceMs)
    expect(steps).toHaveLength(2)
    expect(logLines.filter((line) => line.includes('no shelf'))).toHaveLength(1)
  })

  it('takes no step after stop(), which waits until a running step has ended', async () => {
    await pass(paceMs)
    let stopped = false
    const stopping = pace.stop().then(() => (stopped = true))
    await pass(paceMs)
    expect([steps.length, stopped]).toEqual([1, false])
    steps[0]?.end()
    await stopping
    await pass(10 * paceMs)
    expect(steps).toHaveLength(1)
  })

  it('takes no step at all if it is stopped before the first step', async () => {
    await pace.stop()
    await pass(10 * paceMs)
    expect(steps).toHaveLength(0)
  })
})
