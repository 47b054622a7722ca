import { afterEach, describe, expect, it } from 'vitest'
import { createdWebhook } from '#shared/wire/webhook.ts'
import { receiverCertificate } from '#support/webhook-receiver.ts'
import { WebhookSite } from '#support/webhook-site.ts'

let site: WebhookSite
afterEach(() => site.close())

/**
 * Addresses of private and special networks, and texts that are no complete addresses. The server does not connect to a
 * host whose name resolves to one of them.
 */
const closed = [
  '127.0.0.1',
  '127.255.255.254',
  '0.0.0.0',
  '0.1.2.3',
  '10.0.0.1',
  '100.64.0.1',
  '169.254.169.254',
  '172.16.0.1',
  '172.31.255.255',
  '192.0.0.1',
  '192.0.2.1',
  '192.168.0.1',
  '198.18.0.1',
  '198.51.100.1',
  '203.0.113.1',
  '224.0.0.1',
  '255.255.255.255',
  '::1',
  '::',
  '::127.0.0.1',
  '::ffff:127.0.0.1',
  '::ffff:7f00:1',
  '::ffff:10.0.0.1',
  '::ffff:0:127.0.0.1',
  '64:ff9b::7f00:1',
  '64:ff9b:1::7f00:1',
  '2002:7f00:1::',
  '2001::1',
  '2001:db8::1',
  '3fff::1',
  'fc00::1',
  'fd12:3456::1',
  'fe80::1',
  'fe80::1%lo',
  'fec0::1',
  'ff02::1',
  '100::1',
  // These texts are not complete addresses, so a connection would resolve them as host names.
  'localhost',
  '127.1',
  '2130706433',
  '0x7f000001',
  '0177.0.0.1',
  '',
]

describe('a webhook host with an address outside the public internet', () => {
  it.each(closed)('is not contacted at %s, even if its name also has a public address', async (address) => {
    let answers: readonly string[] = [address]
    site = await WebhookSite.open({
      webhookCa: null,
      deliveries: {
        resolve: () => Promise.resolve(answers),
        retryMs: 3_600_000,
      },
    })
    const receiver = await site.listen()
    const alone = await site.subscribe(receiver.url())
    await site.makeOrder()
    const first = await failureOf(alone)
    answers = ['198.41.0.4', address]
    const beside = await site.subscribe(receiver.url())
    await site.makeOrder()
    expect([first, await failureOf(beside)]).toEqual(['no_public_address', 'no_public_address'])
    expect(receiver.contacts).toBe(0)
  })

  it('is not contacted if a stored URL contains this address instead of a host name', async () => {
    site = await WebhookSite.open()
    const receiver = await site.listen()
    const webhook = await site.subscribe(receiver.url('/', '127.0.0.1'))
    // The server accepted this URL because `webhookCa` was set. It now runs on the same database without `webhookCa`.
    await site.restart({ webhookCa: null })
    await site.makeOrder()
    expect(await failureOf(webhook)).toBe('no_public_address')
    expect(receiver.contacts).toBe(0)
  })

  it('is not contacted even if its name had a public address at the previous notification', async () => {
    // 127.0.0.2 represents the public internet.
    const answers = ['127.0.0.2']
    let asked = 0
    site = await WebhookSite.open({
      deliveries: {
        resolve: () => Promise.resolve([answers[asked++] ?? '127.0.0.1']),
        mayReach: (address) => address === '127.0.0.2',
        retryMs: 3_600_000,
      },
    })
    const outside = await site.listen(undefined, { address: '127.0.0.2' })
    const inside = await site.listen(undefined, { port: outside.port })
    const webhook = await site.subscribe(outside.url())
    await site.makeOrder()
    await site.settled(webhook, 'delivered', 1)
    expect(asked).toBe(1)
    await site.makeOrder()
    expect(await failureOf(webhook)).toBe('no_public_address')
    expect(asked).toBe(2)
    expect([outside.received.length, inside.contacts]).toEqual([1, 0])
  })
})

describe('the delivery log of a webhook', () => {
  it.each([
    ['has only a private address', () => Promise.resolve(['10.0.0.1'])],
    ['has no address', () => Promise.resolve([])],
    [
      'has 51 public addresses',
      () => Promise.resolve(Array.from({ length: 51 }, (_, nth) => `93.184.1.${nth}`)),
    ],
    ['does not exist', () => Promise.reject(Object.assign(new Error('none'), { code: 'ENOTFOUND' }))],
    [
      'cannot be resolved because its name server fails',
      () => Promise.reject(Object.assign(new Error('none'), { code: 'ESERVFAIL' })),
    ],
  ])('contains the failure no_public_address for a host name that %s', async (_, resolve) => {
    site = await WebhookSite.open({ webhookCa: null, deliveries: { resolve, retryMs: 3_600_000 } })
    const receiver = await site.listen()
    const webhook = await site.subscribe(receiver.url())
    await site.makeOrder()
    expect(await failureOf(webhook)).toBe('no_public_address')
  })
})

describe('a webhook host name', () => {
  it('is contacted at its new address after a change, even if a connection to the old address is open', async () => {
    let address = '127.0.0.2'
    site = await WebhookSite.open({ deliveries: { resolve: () => Promise.resolve([address]) } })
    const before = await site.listen(undefined, { address: '127.0.0.2' })
    const after = await site.listen(undefined, { port: before.port })
    // The second notification is sent while the connection of the first notification is open.
    before.behaviour = (response) => {
      address = '127.0.0.1'
      response.end()
    }
    const webhook = await site.subscribe(before.url(), 'order', 'updated')
    const order = await site.makeOrder()
    await Promise.all(['1', '2', '3'].map((note) => site.changeOrder(order, note)))
    await site.settled(webhook, 'delivered', 3)
    expect([before.received.length, after.received.length]).toEqual([1, 2])
  })

  it('is contacted at its second address, in the same attempt, if its first address refuses the connection', async () => {
    site = await WebhookSite.open({
      deliveries: { resolve: () => Promise.resolve(['127.0.0.3', '127.0.0.1']), retryMs: 3_600_000 },
    })
    const receiver = await site.listen()
    const webhook = await site.subscribe(receiver.url())
    await site.makeOrder()
    expect(await site.settled(webhook, 'delivered', 1)).toMatchObject([{ attempts: 1 }])
  })
})

describe('an open connection to a webhook receiver', () => {
  it('is used for further notifications, and replaced by a new connection after the receiver closed it', async () => {
    site = await WebhookSite.open({ deliveries: { retryMs: 3_600_000 } })
    const receiver = await site.listen()
    const webhook = await site.subscribe(receiver.url(), 'order', 'updated')
    const order = await site.makeOrder()
    // Makes more changes than the middleware can send before the first delivery ends.
    await Promise.all(Array.from({ length: 12 }, (_, note) => site.changeOrder(order, String(note))))
    await site.settled(webhook, 'delivered', 12)
    expect(receiver.contacts).toBeLessThan(12)
    receiver.behaviour = (response) => {
      const { socket } = response
      response.end('ok', () => socket?.destroy())
    }
    await Promise.all(Array.from({ length: 12 }, (_, note) => site.changeOrder(order, `more ${note}`)))
    const all = await site.settled(webhook, 'delivered', 24)
    expect(all.every(({ attempts }) => attempts === 1)).toBe(true)
  })
})

describe('a webhook with a reserved host name', () => {
  it('causes no DNS request, for example for erp.sandbox.example', async () => {
    let asked = 0
    site = await WebhookSite.open({
      webhookCa: receiverCertificate.cert,
      deliveries: { resolve: () => Promise.resolve([String((asked += 1))]), retryMs: 3_600_000 },
    })
    const body = { url: 'https://erp.sandbox.example/', group: 'order', action: 'created', hash_secret: 'x' }
    const reply = await site.server.call('/webhooks/', { method: 'POST', body })
    await site.makeOrder()
    expect(await failureOf(createdWebhook.parse(reply.body).id)).toBe('no_public_address')
    expect(asked).toBe(0)
  })
})

/**
 * Waits until the newest delivery has an attempt in its log. Returns the failure of its last attempt; null if it
 * succeeded.
 */
async function failureOf(webhook: string): Promise<string | null> {
  for (;;) {
    const newest = (await site.deliveries(webhook)).at(-1)
    const last = newest?.log.at(-1)
    if (last !== undefined) return last.failure
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}
