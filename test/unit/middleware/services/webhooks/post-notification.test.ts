import { once } from 'node:events'
import type { AddressInfo, Socket } from 'node:net'
import { createServer } from 'node:https'
import { expect, it } from 'vitest'
import { ReceiverNames } from '#middleware/services/webhooks/receiver-names.ts'
import { Poster } from '#middleware/services/webhooks/post-notification.ts'
import { SenderThread, sharedCopy } from '#middleware/services/webhooks/sender-thread.ts'
import { receiverCertificate, receiverName } from '#support/webhook-receiver.ts'

it('Poster keeps at most one idle connection of a webhook whose host name gets a new address for each attempt, and sends nothing after its queue has stopped or its own address has changed', async () => {
  const open = new Set<Socket>()
  let requests = 0
  const server = createServer(receiverCertificate, (request, response) => {
    requests += 1
    request.resume().on('end', () => response.end('ok'))
  })
  server.keepAliveTimeout = 0
  server.on('connection', (socket: Socket) => {
    open.add(socket)
    socket.on('close', () => open.delete(socket))
    socket.on('error', () => undefined)
  })
  server.listen(0, '0.0.0.0')
  await once(server, 'listening')
  const thread = new SenderThread(
    { webhookCa: receiverCertificate.cert, mostConnections: 8 },
    () => undefined,
  )
  let last = 0
  const rules = {
    resolve: () => Promise.resolve([`127.0.0.${(last += 1)}`]),
    mayReach: () => true,
    timeoutMs: 10_000,
  }
  const lookups = new ReceiverNames(rules.resolve)
  const poster = new Poster({ webhook_id: 'webhook', customer_id: 'customer' }, { rules, thread, lookups })
  const notification = {
    event_id: 'event',
    topic_group: 'order',
    webhook_group: 'order',
    topic_action: 'created',
    url: `https://${receiverName}:${(server.address() as AddressInfo).port}/`,
    hash_secret: 'secret',
    attempts: 0,
    next_at: null,
    bytes: 2,
  } as const
  const turn = {
    signal: new AbortController().signal,
    begins: () => true,
    isCurrent: () => Promise.resolve(true),
  }
  for (let attempt = 0; attempt < 10; attempt += 1) {
    const end = await poster.post(notification, sharedCopy(Buffer.from('{}')), turn)
    expect(end).toEqual({ status: 200, failure: null })
    poster.keepAtMost(1)
  }
  await expect.poll(() => open.size).toBe(1)
  // the connection to the latest address is kept, because the next attempt may use it
  expect([...open].map((socket) => socket.localAddress)).toEqual(['127.0.0.10'])
  // the queue of the webhook has stopped while the attempt waited
  const late = { ...turn, begins: () => false }
  expect(await poster.post(notification, sharedCopy(Buffer.from('{}')), late)).toBeNull()
  // the webhook has got another address while the attempt waited
  const changed = { ...turn, isCurrent: () => Promise.resolve(false) }
  expect(await poster.post(notification, sharedCopy(Buffer.from('{}')), changed)).toBeNull()
  expect(requests).toBe(10)
  await thread.close()
  for (const socket of open) socket.destroy()
  server.close()
})
