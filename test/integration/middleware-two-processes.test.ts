import type { ChildProcess } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { tokens as tokensSchema } from '#shared/wire/auth.ts'
import { returnLabel as labelSchema } from '#shared/wire/return-label.ts'
import { count } from '#support/counts.ts'
import { firstLine, forkUnlocked, type Invitation } from '#support/middleware-children.ts'
import { type CallOptions, type Reply, send } from '#support/middleware-server.ts'
import { newOrder } from '#support/order-payloads.ts'

/**
 * In one process, the event loop prevents many interleavings of two calls. If two processes use one file, only the
 * conditional SQL statements decide which call succeeds. The product locks its folder (middleware-start.test.ts); these
 * child processes omit the lock.
 */
const rounds = count(20, 200)

const some = z.array(z.object({ id: z.string() }))
const firstOf = z.union([some, z.object({ results: some }).transform(({ results }) => results)])

let folder: string
const children: ChildProcess[] = []
const servers: Invitation[] = []
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'middleware-'))
  while (servers.length < 2) {
    const child = forkUnlocked(folder)
    children.push(child)
    servers.push(await firstLine(child))
  }
})
afterAll(() => {
  for (const child of children) child.kill('SIGKILL')
  rmSync(folder, { recursive: true })
})

function call(server: number, path: string, options: CallOptions): Promise<Reply> {
  const to = servers[server % 2]
  if (to === undefined) throw new Error('Two servers run')
  const headers = { 'x-wms-code': to.wms, ...options.headers }
  return send(to.url, path, { method: 'POST', ...options, headers, customer: to.customer })
}

async function logIn(): Promise<z.output<typeof tokensSchema>> {
  const body = { username: servers[0]?.username, password: servers[0]?.password }
  return tokensSchema.parse((await call(0, '/wms/auth/login/', { body })).body)
}

describe(`two processes of the middleware in ${rounds} rounds of simultaneous calls`, () => {
  it('accept one of two refreshes with the same token', async () => {
    let { refresh_token } = await logIn()
    for (let round = 0; round < rounds; round += 1) {
      const body = { refresh_token }
      const replies = await Promise.all([0, 1].map((server) => call(server, '/wms/auth/refresh/', { body })))
      expect(replies.map(({ status }) => status).sort()).toEqual([200, 401])
      const winner = replies.find(({ status }) => status === 200)
      refresh_token = tokensSchema.parse(winner?.body).refresh_token
    }
  })

  it('accept only one of a request and a cancellation of the same label', async () => {
    const { token } = await logIn()
    const shipments = await call(0, '/wms/shipments/?limit=1', { method: 'GET', token })
    const [shipment] = z.array(z.object({ id: z.string() })).parse(shipments.body)
    for (let round = 0; round < rounds; round += 1) {
      const made = await call(0, '/wms/return-labels/', { token, body: { shipment_id: shipment?.id } })
      const path = `/wms/return-labels/${labelSchema.parse(made.body).id}`
      const [requested, cancelled] = await Promise.all([
        call(round, `${path}/request`, { token }),
        call(round + 1, `${path}/cancel`, { token }),
      ])
      const label = labelSchema.parse((await call(1, path, { method: 'GET', token })).body)
      const outcome = [
        requested.status,
        cancelled.status,
        label.url === null,
        label.tracking_information.length,
      ]
      expect([
        [200, 412, false, 1],
        [400, 200, true, 0],
      ]).toContainEqual(outcome)
    }
  })

  it('create only one of two orders with the same external_id', async () => {
    const { token } = await logIn()
    const goods = await call(0, '/wms/variants/?limit=1', { method: 'GET', token })
    const [variant] = z.array(z.object({ article_code: z.string() })).parse(goods.body)
    const order_lines = [{ article_code: variant?.article_code, quantity: 1, description: 'One' }]
    for (let round = 0; round < rounds; round += 1) {
      const external_id = `both-${round}`
      const replies = await Promise.all(
        [0, 1].map((server) => {
          const body = newOrder({ external_id, external_reference: `${external_id}-${server}`, order_lines })
          return call(server, '/wms/orders/', { token, body })
        }),
      )
      expect(replies.map(({ status }) => status).sort()).toEqual([201, 400])
      const found = await call(round, `/wms/orders/?external_id=${external_id}`, { method: 'GET', token })
      expect(found.body).toHaveLength(1)
    }
  })

  it('accept all simultaneous changes of a record', async () => {
    const { token } = await logIn()
    const lists = ['/wms/inbounds/?status=announced&limit=1', '/webhooks/?limit=1']
    const paths = await Promise.all(
      lists.map(async (list) => {
        const { body } = await call(0, list, { method: 'GET', token })
        const [first] = firstOf.parse(body)
        return `${list.split('?')[0] ?? ''}${first?.id ?? ''}/`
      }),
    )
    for (let round = 0; round < rounds; round += 1) {
      const changes = [{ note: `note ${round}` }, { url: `https://example.org/${round}` }]
      const replies = await Promise.all(
        [0, 1, 2, 3, 4, 5, 6, 7].map((server) => {
          const [path = '', body] = [paths[(server >> 1) % 2], changes[(server >> 1) % 2]]
          return call(server, path, { method: 'PATCH', token, body })
        }),
      )
      expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 200))
    }
  })
})
