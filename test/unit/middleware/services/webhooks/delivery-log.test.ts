import { afterEach, beforeEach, expect, it } from 'vitest'
import { replaySince } from '#middleware/services/webhooks/delivery-log.ts'
import { startWarehouseBench, type WarehouseBench } from '#support/warehouse-bench.ts'

const happened = '2026-06-01T10:00:00.000Z'

let bench: WarehouseBench
beforeEach(async () => {
  bench = await startWarehouseBench()
  await bench.subscribeToAll()
})
afterEach(() => bench.close())

it('a replay of which a step fails still sends the deliveries that its earlier steps have marked', async () => {
  const [{ id = '' } = {}] = await bench.rows(
    `select id from webhooks where customer_id = '${bench.alder.id}' limit 1`,
  )
  await bench.rows(`insert into events (id, customer_id, topic_group, topic_action, entity_id, created_at,
      deliveries, content)
    values ('e', '${bench.alder.id}', 'order', 'updated', 'o', '${happened}', 300, '{}')`)
  // one step marks 250 deliveries
  await bench.rows(`insert into deliveries (id, webhook_id, event_id, entity_id, state, attempts, created_at)
    with recursive numbers(value) as (select 1 union all select value + 1 from numbers where value < 300)
    select value, '${String(id)}', 'e', 'o', 'delivered', 1, '${happened}' from numbers`)
  await bench.rows(`create trigger fails before update on deliveries when old.id > 250
    begin select raise(abort, 'the disk is full'); end`)
  const told: unknown[] = []
  const deliveries = { ...bench.context.deliveries, replayed: (webhook: object) => void told.push(webhook) }
  const replay = replaySince({ ...bench.context, deliveries }, bench.alder, String(id), happened)
  await expect(replay).rejects.toThrow('the disk is full')
  expect(await bench.rows(`select count(*) as count from deliveries where state = 'pending'`)).toEqual([
    { count: 250 },
  ])
  expect(told).toEqual([{ webhook_id: id, customer_id: bench.alder.id }])
})
