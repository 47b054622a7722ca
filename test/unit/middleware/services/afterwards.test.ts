import { describe, expect, it } from 'vitest'
import { createLogger } from '#kit/logger.ts'
import { LeaseLost } from '#middleware/data/engine/coordination.ts'
import { SingleProcess } from '#middleware/data/engine/open-coordination.ts'
import { Afterwards } from '#middleware/services/afterwards.ts'

describe('Afterwards.startAlone()', () => {
  it('runs the work again with a new lease if the work throws LeaseLost, and logs nothing', async () => {
    const lines: string[] = []
    const logger = createLogger('test', { destination: { write: (line) => lines.push(line) } })
    const afterwards = new Afterwards(logger, new SingleProcess().leases)
    const leases = new Set<unknown>()
    await new Promise<void>((resolve) => {
      afterwards.startAlone('redactions', (lease) => {
        leases.add(lease)
        if (leases.size < 3) return Promise.reject(new LeaseLost(lease.name))
        resolve()
        return Promise.resolve()
      })
    })
    await afterwards.settle()
    expect(leases.size).toBe(3)
    expect(lines).toEqual([])
  })
})
