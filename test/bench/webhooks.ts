import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { z } from 'zod'
import { tokens as tokensSchema } from '#shared/wire/auth.ts'
import { makeCertificate } from '#support/certificate.ts'
import { firstLine, type Invitation, spawnCli } from '#support/middleware-children.ts'
import { type Reply, send } from '#support/middleware-server.ts'
import { WebhookReceiver } from '#support/webhook-receiver.ts'
import { shareOf } from './bench-share.ts'
import { printFigure } from './figure.ts'
import { say } from './progress.ts'

const changes = 300
const replays = 5
// Maximum number of webhooks of one customer. The demo has two customers.
const mostWebhooks = 50
const deadReceivers = 2 * mostWebhooks - 1
const secret = 'a secret of the bench'

/**
 * Measures how fast one receiver gets notifications, first alone, then while 99 other receivers do not respond: 49 of
 * the same customer and 50 of another customer. Before each measured change, an article of the other customer is
 * created. The measured time begins with the call that commits the change, and ends with the arrival of its
 * notification. The measured rate is the number of notifications per second while all of them are sent again in a
 * replay.
 */
export async function benchWebhooks(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'scandesk-bench-webhooks-'))
  const certificate = makeCertificate('localhost')
  writeFileSync(join(folder, 'ca.pem'), certificate.cert)
  const receiver = await WebhookReceiver.start(undefined, { certificate })
  const dead = await listenSilently()
  const child = spawnCli(
    ...[
      '--seed',
      'demo',
      '--data',
      join(folder, 'data'),
      '--sandbox',
      '--webhook-ca',
      join(folder, 'ca.pem'),
    ],
  )
  try {
    const server = await firstLine(child)
    const client = await Client.logIn(server, server.customer)
    const other = await Client.logIn(server, server.others.customer)
    for (const one of [client, other]) await one.unsubscribeAll()
    const webhook = await client.subscribe(receiver.url('/', 'localhost'))
    await measure({ client, other, receiver, webhook, name: 'warm up' })
    say(`changing ${shareOf(changes)} articles for one receiver …`)
    const alone = await measure({ client, other, receiver, webhook, name: 'alone' })
    for (let number = 0; number < deadReceivers; number += 1)
      await (number < mostWebhooks ? other : client).subscribe(dead.url)
    say(`the same beside ${deadReceivers} dead receivers …`)
    const beside = await measure({ client, other, receiver, webhook, name: 'beside' })
    const peer = 'the same receiver alone'
    const name = `a change told beside ${deadReceivers} dead receivers`
    printFigure(
      { name, values: beside.waits },
      { name: peer, values: alone.waits },
      { goal: { of: 'p95Ratio', atMost: 2 } },
    )
    printFigure(
      { name: `events told beside ${deadReceivers} dead receivers`, values: beside.rates },
      { name: peer, values: alone.rates },
      { unit: 'events/s', goal: { of: 'ratio', atLeast: 0.5 } },
    )
  } finally {
    child.kill('SIGKILL')
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
    await receiver.stop()
    dead.stop()
    rmSync(folder, { recursive: true })
  }
}

interface Measured {
  /** Milliseconds from each call to the arrival of its notification. */
  readonly waits: number[]
  /** Notifications per second, one value for each replay. */
  readonly rates: number[]
}

interface Course {
  readonly client: Client
  readonly other: Client
  readonly receiver: WebhookReceiver
  /** The id of the webhook with the measured receiver. */
  readonly webhook: string
  readonly name: string
}

async function measure({ client, other, receiver, webhook, name }: Course): Promise<Measured> {
  const waits: number[] = []
  const since = new Date().toISOString()
  for (let change = 0; change < shareOf(changes, 20); change += 1) {
    await other.makeArticle(`${name} ${change}`)
    const before = receiver.received.length
    const began = performance.now()
    await client.makeArticle(`${name} ${change}`)
    const received = await receiver.until(before + 1)
    waits.push((received.at(-1)?.at ?? Infinity) - began)
  }
  const rates: number[] = []
  for (let replay = 0; replay < replays; replay += 1) {
    const before = receiver.received.length
    const began = performance.now()
    const replayed = await client.replay(webhook, since)
    const received = await receiver.until(before + replayed)
    rates.push(replayed / (((received.at(-1)?.at ?? Infinity) - began) / 1000))
    // Waits until the outcomes of all deliveries are stored, because a replay does not include pending deliveries.
    await client.settle(webhook)
  }
  return { waits, rates }
}

class Client {
  readonly #server: Invitation
  readonly #customer: string | null
  readonly #token: string

  static async logIn(server: Invitation, customer: string | null): Promise<Client> {
    const { username, password, wms } = server
    const { body } = await send(server.url, '/wms/auth/login/', {
      method: 'POST',
      body: { username, password },
      headers: { 'x-wms-code': wms },
      customer: customer ?? '',
    })
    return new Client(server, customer, tokensSchema.parse(body).token)
  }

  private constructor(server: Invitation, customer: string | null, token: string) {
    this.#server = server
    this.#customer = customer
    this.#token = token
  }

  /** Removes the webhooks of the demo, because no server exists at their addresses. */
  async unsubscribeAll(): Promise<void> {
    const { body } = await this.#call('/webhooks/?limit=100')
    const ids = z.object({ results: z.array(z.object({ id: z.string() })) }).parse(body).results
    for (const { id } of ids) await this.#call(`/webhooks/${id}/`, { method: 'DELETE' })
  }

  async subscribe(url: string): Promise<string> {
    const body = { url, group: 'article', action: 'created', hash_secret: secret }
    return z.object({ id: z.string() }).parse((await this.#post('/webhooks/', body)).body).id
  }

  async makeArticle(name: string): Promise<void> {
    const article = { name, variants: [{ article_code: name }] }
    const { status } = await this.#post('/wms/articles/', article)
    if (status !== 201) throw new Error(`the article was refused: ${status}`)
  }

  async replay(webhook: string, since: string): Promise<number> {
    const { body } = await this.#post(`/webhooks/${webhook}/replay`, { since })
    return z.object({ replayed: z.number() }).parse(body).replayed
  }

  async settle(webhook: string): Promise<void> {
    for (;;) {
      const { body } = await this.#call(`/webhooks/${webhook}/deliveries/?state=pending&limit=1`)
      if (z.object({ count: z.number() }).parse(body).count === 0) return
    }
  }

  #post(path: string, body: unknown): Promise<Reply> {
    return this.#call(path, { method: 'POST', body })
  }

  #call(path: string, options: { method?: string; body?: unknown } = {}): Promise<Reply> {
    const { url, wms } = this.#server
    const customer = this.#customer ?? ''
    return send(url, path, { ...options, customer, headers: { 'x-wms-code': wms }, token: this.#token })
  }
}

/** Starts a receiver that accepts connections and never sends a byte, not even of TLS. */
async function listenSilently(): Promise<{ url: string; stop: () => void }> {
  const sockets = new Set<Socket>()
  const server: Server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the server has no port')
  const stop = (): void => {
    server.close()
    for (const socket of sockets) socket.destroy()
  }
  return { url: `https://localhost:${address.port}/`, stop }
}
