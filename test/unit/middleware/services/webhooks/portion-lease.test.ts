import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { systemClock } from '#kit/clock.ts'
import { createLogger } from '#kit/logger.ts'
import type { Leases } from '#middleware/data/engine/coordination.ts'
import { type Database, type DatabasePlace, openDatabase } from '#middleware/data/engine/database.ts'
import { DeliveryRunner } from '#middleware/services/webhooks/delivery-runner.ts'
import { dropTestDatabase, testPlace } from '#support/test-database.ts'

let place: DatabasePlace
let database: Database
let runner: DeliveryRunner
/** The customers of the stored portions. */
let stored: string[]
/** Whether another process has the lease for writing portions. */
let isTaken: boolean
/** Called each time that the runner searches for a portion of events to write. */
let onSearch: () => Promise<void>
/** The steps of the runner that concern the portions. */
let steps: string[]

const leases: Leases = {
  take: (name) => {
    if (name !== 'event portions') return Promise.resolve(null)
    steps.push('take')
    if (isTaken) return Promise.resolve(null)
    const release = (): Promise<void> => {
      steps.push('release')
      return Promise.resolve()
    }
    return Promise.resolve({
      name,
      lost: new AbortController().signal,
      confirm: () => Promise.resolve(),
      release,
    })
  },
  wait: () => Promise.resolve(null),
}

const portions = {
  customerAfter: async () => {
    const found = stored[0] ?? null
    steps.push('search')
    await onSearch()
    return found
  },
  write: (customerId: string) => {
    steps.push(`write ${customerId}`)
    stored.shift()
    return Promise.resolve()
  },
  drop: () => Promise.resolve(),
}

beforeEach(async () => {
  stored = []
  isTaken = false
  onSearch = () => Promise.resolve()
  steps = []
  place = await testPlace(':memory:')
  database = await openDatabase(place, { warn: () => undefined })
  runner = new DeliveryRunner({
    database,
    leases,
    announce: () => undefined,
    clock: systemClock,
    logger: createLogger('test', { level: 'silent' }),
    webhookCa: null,
    options: {},
  })
})
afterEach(async () => {
  await runner.stop()
  await database.destroy()
  await dropTestDatabase(place)
})

it('DeliveryRunner takes the lease for writing portions of events only if a portion is stored', async () => {
  runner.start(portions)
  await vi.waitFor(() => expect(steps).toContain('search'))
  for (let event = 0; event < 3; event++) {
    runner.wake()
    await sleep(20)
  }
  expect(new Set(steps)).toEqual(new Set(['search']))
  steps = []
  stored = ['c']
  runner.wake()
  await vi.waitFor(() => expect(steps).toContain('release'))
  expect(steps.filter((step) => step !== 'search')).toEqual(['take', 'write c', 'release'])
})

it('DeliveryRunner writes a portion that is stored during its search for portions', async () => {
  const searched = Promise.withResolvers<undefined>()
  onSearch = () => searched.promise
  runner.start(portions)
  await vi.waitFor(() => expect(steps).toContain('search'))
  stored = ['c']
  runner.wake()
  searched.resolve(undefined)
  await vi.waitFor(() => expect(steps).toContain('write c'))
})

it('DeliveryRunner writes the portions of a process that died while it had the lease', async () => {
  isTaken = true
  stored = ['c']
  runner.start(portions)
  await vi.waitFor(() => expect(steps).toContain('take'))
  isTaken = false
  runner.heard({ topic: 'abandoned' })
  await vi.waitFor(() => expect(steps).toContain('write c'))
})
