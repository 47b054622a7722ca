import type { ChildProcess } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { tokens as tokensSchema } from '#shared/wire/auth.ts'
import { order as orderSchema, type Order } from '#shared/wire/order.ts'
import { waitUntil } from '#support/child-program.ts'
import { count, seed } from '#support/counts.ts'
import { exitCode, firstLine, type Invitation, spawnCli } from '#support/middleware-children.ts'
import { type CallOptions, type Reply, send } from '#support/middleware-server.ts'
import { newOrder } from '#support/order-payloads.ts'
import { randomFrom } from '#support/random.ts'

/*
 * Clients create orders with three lines and two documents while the process is killed repeatedly. After each kill,
 * each order must be stored completely or not at all, and it must be stored if a client received the response to its
 * creation.
 */
const kills = count(3, 200)
const clients = 3
const draw = randomFrom(seed)

let folder: string
let child: ChildProcess
let invitation: Invitation
let token: string
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'middleware-'))
  invitation = await start()
  const { username, password } = invitation
  const body = { username, password: password ?? '' }
  token = tokensSchema.parse((await call('/wms/auth/login/', { method: 'POST', body })).body).token
  const article = { name: 'Goods', variants: codes.map((article_code) => ({ article_code })) }
  expect((await call('/wms/articles/', { method: 'POST', token, body: article })).status).toBe(201)
})
afterAll(() => {
  child.kill('SIGKILL')
  rmSync(folder, { recursive: true })
})

/** Starts a server without the demo data. The test starts the server often, and such a server starts quickly. */
async function start(): Promise<Invitation> {
  child = spawnCli('--data', folder, '--seed', 'empty')
  return firstLine(child)
}

const codes = ['one', 'two', 'three']

function call(path: string, options: CallOptions): Promise<Reply> {
  const { url, wms, customer } = invitation
  return send(url, path, { ...options, customer, headers: { 'x-wms-code': wms } })
}

function payload(reference: string): Record<string, unknown> {
  const file = Buffer.alloc(20_000, '%PDF-').toString('base64')
  return newOrder({
    external_reference: reference,
    external_id: reference,
    order_lines: codes.map((article_code, index) => ({
      article_code,
      quantity: index + 1,
      description: reference,
    })),
    documents: ['one', 'two'].map((title) => ({ title, file })),
  })
}

/**
 * Creates orders one after the other until the server stops responding. Records the references of the sent orders and
 * of the acknowledged orders.
 */
async function work(name: string, seen: { tried: string[]; told: string[] }): Promise<void> {
  for (let number = 0; ; number += 1) {
    const reference = `${name}-${number}`
    seen.tried.push(reference)
    try {
      const reply = await call('/wms/orders/', { method: 'POST', token, body: payload(reference) })
      if (reply.status === 201) seen.told.push(reference)
    } catch {
      return
    }
  }
}

async function find(reference: string): Promise<Order | null> {
  const list = await call(`/wms/orders/?external_reference=${reference}`, { token })
  const [row, ...others] = z.array(orderSchema).parse(list.body)
  expect(others).toEqual([])
  if (row === undefined) return null
  const expand = 'order_lines,documents,shipping_address'
  return orderSchema.parse((await call(`/wms/orders/${row.id}/`, { token, expand })).body)
}

describe(`orders that clients create while the middleware is killed ${kills} times`, () => {
  it(
    'are all stored if the middleware acknowledged them, and none is stored partially',
    { timeout: 60_000 + kills * 30_000 },
    async () => {
      let unanswered = 0
      let acknowledged = 0
      for (let kill = 0; kill < kills; kill += 1) {
        const seen: { tried: string[]; told: string[] } = { tried: [], told: [] }
        const workers = Array.from({ length: clients }, (_, client) => work(`k${kill}c${client}`, seen))
        // Before successive kills, waits for one, two, zero, one, … acknowledged orders. A wait of fixed length alone
        // is not enough: on a slow machine it may end before the first order is acknowledged.
        await waitUntil(() => seen.told.length >= (kill + 1) % 3, 'acknowledged orders')
        await new Promise((resolve) => setTimeout(resolve, 20 + draw() * 150))
        child.kill('SIGKILL')
        await exitCode(child)
        await Promise.all(workers)
        invitation = await start()
        acknowledged += seen.told.length
        unanswered += seen.tried.length - seen.told.length
        for (const reference of seen.tried) {
          const order = await find(reference)
          if (order === null) {
            expect(seen.told).not.toContain(reference)
            continue
          }
          expect(order.external_id).toBe(reference)
          expect(order.order_lines?.map((line) => line.quantity)).toEqual([1, 2, 3])
          expect(order.documents?.map(({ title }) => title)).toEqual(['one', 'two'])
        }
        const again = await call('/wms/orders/', { method: 'POST', token, body: payload(`after-${kill}`) })
        expect(again.status).toBe(201)
      }
      // Calls without a response prove that the kills happened during calls.
      expect(unanswered).toBeGreaterThanOrEqual(kills * clients)
      expect(acknowledged).toBeGreaterThan(0)
    },
  )
})
