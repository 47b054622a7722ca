import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { type Outcome, replayDeliveries } from '#middleware/data/deliveries.ts'
import { type Database, type DatabasePlace, openDatabase } from '#middleware/data/engine/database.ts'
import { insertDeliveries, insertEvents } from '#middleware/data/events.ts'
import { insertWebhook } from '#middleware/data/webhooks.ts'
import { Recorder } from '#middleware/services/webhooks/delivery-runner.ts'
import { dropTestDatabase, testPlace } from '#support/test-database.ts'

const now = '2026-06-01T12:00:00.000Z'
const later = '2026-06-01T13:00:00.000Z'

let place: DatabasePlace
let database: Database
beforeEach(async () => {
  place = await testPlace(':memory:')
  database = await openDatabase(place, { warn: () => undefined })
})
afterEach(async () => {
  await database.destroy()
  await dropTestDatabase(place)
})

/** Stores pending deliveries of one webhook, and returns their ids. */
async function storeDeliveries(count: number): Promise<number[]> {
  const times = { created_at: now, modified_at: now }
  const customer = { id: 'c', code: 'C', name: 'C', return_shipping_method_id: null, return_address: '{}' }
  await database
    .insertInto('customers')
    .values({ ...customer, ...times })
    .execute()
  const topic = { customer_id: 'c', topic_group: 'order', topic_action: 'created' } as const
  const webhook = { id: 'w', url: 'https://hooks.receiver.test/', hash_secret: 's', replayed_at: null }
  await insertWebhook(database, { ...webhook, ...topic, ...times, deleted_at: null })
  const events = Array.from({ length: count }, (_, index) => ({
    row: { id: `e${index}`, ...topic, entity_id: `o${index}`, created_at: now, content: '{}' },
    webhookIds: ['w'],
  }))
  await insertEvents(database, events)
  await insertDeliveries(database, events)
  const rows = await database.selectFrom('deliveries').select('id').orderBy('id').execute()
  return rows.map(({ id }) => id)
}

function delivered(deliveryId: number): Outcome {
  const attempt = { started_at: now, duration_ms: 1, status: 200, failure: null }
  return { deliveryId, state: 'delivered', nextAt: null, attempt, before: { attempts: 0, next_at: null } }
}

/** The outcome of an attempt that began when the delivery had the values `before`. */
function failed(deliveryId: number, before: Outcome['before'], state: 'pending' | 'given_up'): Outcome {
  const attempt = { started_at: now, duration_ms: 1, status: 500, failure: null }
  return { deliveryId, state, nextAt: state === 'pending' ? later : null, attempt, before }
}

async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve))
}

it('Recorder stores outcomes in one transaction at a time, and PostgreSQL does not refuse a transaction that waited for another change of the same delivery', async () => {
  const ids = await storeDeliveries(4)
  const [first = 0, ...others] = ids
  const begin = vi.spyOn(database, 'transaction')
  const recorder = new Recorder(database)
  const stored: Promise<void>[] = []
  // this transaction changes the first delivery, so the transaction that stores the outcome of this delivery waits
  await database.transaction().execute(async (connection) => {
    await connection.updateTable('deliveries').set({ next_at: now }).where('id', '=', first).execute()
    begin.mockClear()
    stored.push(recorder.record(delivered(first)))
    while (begin.mock.calls.length === 0) await turns(1)
    for (const id of others) {
      stored.push(recorder.record(delivered(id)))
      await turns(5)
    }
    expect(begin).toHaveBeenCalledTimes(1)
  })
  await Promise.all(stored)
  expect(begin).toHaveBeenCalledTimes(2)
  const rows = await database.selectFrom('deliveries').select(['state', 'attempts']).execute()
  expect(rows).toEqual(ids.map(() => ({ state: 'delivered', attempts: 1 })))
})

it('Recorder stores later outcomes after a transaction failed, and rejects only the outcomes of that transaction', async () => {
  const [first = 0, second = 0] = await storeDeliveries(2)
  const recorder = new Recorder(database)
  const stored: Promise<void>[] = []
  vi.spyOn(database, 'transaction').mockImplementationOnce(() => {
    stored.push(recorder.record(delivered(second)))
    throw new Error('The disk is full')
  })
  const failed = recorder.record(delivered(first))
  await expect(failed).rejects.toThrow('The disk is full')
  await Promise.all(stored)
  const rows = await database.selectFrom('deliveries').select('state').orderBy('id').execute()
  expect(rows.map(({ state }) => state)).toEqual(['pending', 'delivered'])
})

it('Recorder keeps the attempts and the time of a replay during an attempt that fails, and stores the attempt', async () => {
  const ids = await storeDeliveries(5)
  const [first = 0, last = 0, replayed = 0, usual = 0, accepted = 0] = ids
  const early = '2026-06-01T11:00:00.000Z'
  const due = { next_at: early }
  await database.updateTable('deliveries').set(due).execute()
  await database.updateTable('deliveries').set({ attempts: 10 }).where('id', '=', last).execute()
  expect(await replayDeliveries(database, 'w', [first, last, replayed, accepted], now)).toBe(4)
  const recorder = new Recorder(database)
  await Promise.all([
    recorder.record(failed(first, { attempts: 1, ...due }, 'pending')),
    recorder.record(failed(last, { attempts: 10, ...due }, 'given_up')),
    // this delivery had been replayed before its attempt began, so the attempt began with zero earlier attempts
    recorder.record(failed(replayed, { attempts: 0, ...due }, 'pending')),
    recorder.record(failed(usual, { attempts: 0, ...due }, 'pending')),
    recorder.record(delivered(accepted)),
  ])
  const rows = await database
    .selectFrom('deliveries')
    .select(['state', 'attempts', 'next_at'])
    .orderBy('id')
    .execute()
  const again = { state: 'pending', attempts: 0, next_at: now }
  expect(rows).toEqual([
    again,
    again,
    again,
    { state: 'pending', attempts: 1, next_at: later },
    { state: 'delivered', attempts: 1, next_at: null },
  ])
  const log = await database.selectFrom('delivery_attempts').select('delivery_id').orderBy('id').execute()
  expect(log.map(({ delivery_id: id }) => id)).toEqual(ids)
})
