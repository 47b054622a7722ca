/**
 * A warehouse management system in its own process: reads the work of a middleware over HTTP and does it. Its argument
 * is JSON in the format of `login`. Its last line is JSON: the id of the location that it created, and its calls.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { workItem } from '#shared/wire/warehouse.ts'
import { connectWarehouse } from './warehouse-client.ts'

const login = z
  .object({ url: z.string(), wms: z.string(), username: z.string(), password: z.string() })
  .extend({
    /** The ids of the work that this warehouse does. It ignores all other work. */
    ids: z.array(z.string()),
    /** The modifications that the warehouse disapproves. */
    disapproves: z.array(z.string()),
    /** The articles that the warehouse deletes when all other work is done. */
    deletes: z.array(z.string()),
  })
  .parse(JSON.parse(process.argv[2] ?? ''))

const made = z.object({ id: z.string() })
const quantities = z.object({ variant: made, quantity: z.number() })
const orderLines = z.object({ order_lines: z.array(quantities) })
const inboundLines = z.object({
  inbound_lines: z.array(quantities.extend({ variant: made.extend({ expirable: z.boolean() }) })),
})
type Item = z.output<typeof workItem>

const warehouse = await connectWarehouse(login)
const calls = new Set<string>()

/**
 * Sends the call twice with the same idempotency key, as after a lost response. Throws if it is refused, or if the two
 * responses have different bodies.
 */
async function send(method: 'POST' | 'PUT' | 'DELETE', path: string, body?: unknown): Promise<unknown> {
  const key = `${method} ${path} ${JSON.stringify(body ?? null)}`.replaceAll(/[^!-~]/g, '_').slice(0, 255)
  const first = await warehouse.command(`/warehouse/${path}`, { method, body, key })
  const again = await warehouse.command(`/warehouse/${path}`, { method, body, key })
  if (first.status >= 300 || JSON.stringify(first.body) !== JSON.stringify(again.body))
    throw new Error(`${method} ${path} was refused: ${first.status} ${JSON.stringify(first.body)}`)
  calls.add(`${method} ${path.replace(/[0-9a-f-]{36}/, ':id')}`)
  return first.body
}

const shelf = made.parse(await send('PUT', 'locations/', { code: 'EXT-01', pickable: true })).id

async function ship({ id, resource }: Item): Promise<void> {
  for (const status of ['plannable', 'planned', 'processing'])
    await send('PUT', `orders/${id}/status`, { status })
  const lines = orderLines.parse(resource).order_lines.map(({ variant, quantity }) => ({
    variant: variant.id,
    quantity,
  }))
  const labels = [
    { label_code: 'EXT-1', tracking_code: 'EXT-T-1', tracking_url: 'https://ext.example.org/1' },
  ]
  await send('POST', `orders/${id}/shipments/`, { lines, labels })
}

async function receive({ id, resource }: Item): Promise<void> {
  await send('PUT', `inbounds/${id}/status`, { status: 'processing' })
  await send('POST', `inbounds/${id}/quality-controls/`, {
    pallet_count: '1',
    was_delivery_appointment: true,
    had_packing_list: true,
    was_correct_quantity: true,
    had_proper_markings: true,
    box_condition: 'Dry',
  })
  const lines = inboundLines.parse(resource).inbound_lines.map(({ variant, quantity }) => ({
    variant: variant.id,
    quantity,
    location: shelf,
    ...(variant.expirable && { expiration_date: '2099-01-01' }),
  }))
  await send('POST', `inbounds/${id}/receipts/`, { lines, complete: true })
}

/** Returns false if the work cannot be done yet. */
async function work(item: Item): Promise<boolean> {
  const { kind, id, resource } = item
  const { status } = z.object({ status: z.string() }).parse(resource)
  if (kind === 'order') await ship(item)
  else if (kind === 'inbound') await receive(item)
  else if (kind === 'modification')
    await send('POST', `modifications/${id}/${login.disapproves.includes(id) ? 'disapprove' : 'approve'}`)
  else {
    if (status !== 'requested') return false
    await send('POST', `transfers/${id}/begin`)
    await send('POST', `transfers/${id}/accept`)
  }
  return true
}

const left = new Set(login.ids)
for (let cursor = 0; left.size > 0;) {
  const items = z.array(workItem).parse((await warehouse.read(`/warehouse/work/?after=${cursor}`)).body)
  for (const item of items) {
    if (left.has(item.id) && (await work(item))) left.delete(item.id)
    cursor = item.cursor
  }
  if (items.length === 0) await sleep(50)
}
for (const id of login.deletes) await send('DELETE', `articles/${id}/`)
process.stdout.write(`${JSON.stringify({ location: shelf, calls: [...calls] })}\n`)
