import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { z } from 'zod'
import { systemClock } from '#kit/clock.ts'
import type { MiddlewareOptions } from '#middleware/app.ts'
import { createdWebhook, type WebhookDelivery, webhookDeliveryPage } from '#shared/wire/webhook.ts'
import { startTestServer, type TestServer } from './middleware-server.ts'
import { newOrder } from './order-payloads.ts'
import { type Behaviour, receiverCertificate, WebhookReceiver } from './webhook-receiver.ts'

/** The secret with which the webhooks of a site sign their notifications. */
export const hashSecret = 'a very secret word'

const databaseName = 'middleware.db'
const record = z.object({ id: z.string() })

/**
 * A server with its database in a folder, and its receivers on this machine. The host name of the webhooks resolves to
 * this machine.
 */
export class WebhookSite {
  server: TestServer
  readonly #folder: string
  readonly #receivers: WebhookReceiver[] = []
  #orders = 0

  /** Starts a middleware and receivers for its webhooks. By default a failed notification is sent again after 20 ms. */
  static async open(options: Partial<MiddlewareOptions> = {}): Promise<WebhookSite> {
    const folder = mkdtempSync(join(tmpdir(), 'scandesk-webhooks-'))
    return new WebhookSite(folder, await startIn(folder, options))
  }

  private constructor(folder: string, server: TestServer) {
    this.#folder = folder
    this.server = server
  }

  async close(): Promise<void> {
    await this.server.close()
    await Promise.all(this.#receivers.map((receiver) => receiver.stop()))
    rmSync(this.#folder, { recursive: true })
  }

  get databaseFile(): string {
    return join(this.#folder, databaseName)
  }

  /** Ends the server and starts another one on its database. */
  async restart(options: Partial<MiddlewareOptions> = {}): Promise<void> {
    await this.server.close()
    this.server = await startIn(this.#folder, options)
  }

  /** Starts another server on the database of the site, which only PostgreSQL allows. The caller closes the server. */
  beside(options: Partial<MiddlewareOptions> = {}): Promise<TestServer> {
    return startIn(this.#folder, options)
  }

  async listen(
    behaviour?: Behaviour,
    options?: Parameters<typeof WebhookReceiver.start>[1],
  ): Promise<WebhookReceiver> {
    const receiver = await WebhookReceiver.start(behaviour, options)
    this.#receivers.push(receiver)
    return receiver
  }

  /** Registers a webhook and returns its id. */
  async subscribe(url: string, group = 'order', action = 'created', customer = 'ALDER'): Promise<string> {
    const body = { url, group, action, hash_secret: hashSecret }
    const reply = await this.server.call('/webhooks/', { method: 'POST', customer, body })
    return createdWebhook.parse(reply.body).id
  }

  async makeOrder(): Promise<string> {
    const body = newOrder({ external_reference: `SHOP-${(this.#orders += 1)}` })
    return record.parse((await this.server.call('/wms/orders/', { method: 'POST', body })).body).id
  }

  async changeOrder(order: string, note: string): Promise<void> {
    const body = { customer_note: note }
    const { status } = await this.server.call(`/wms/orders/${order}/`, { method: 'PATCH', body })
    if (status !== 200) throw new Error(`the order was not changed: ${status}`)
  }

  /** Returns the delivery log of a webhook, the oldest first. */
  async deliveries(webhook: string, query = ''): Promise<WebhookDelivery[]> {
    const reply = await this.server.call(`/webhooks/${webhook}/deliveries/?direction=asc${query}`)
    return webhookDeliveryPage.parse(reply.body).results
  }

  /**
   * Waits until the webhook has this number of deliveries and all are in the given state. The wait has no timeout of
   * its own.
   */
  async settled(webhook: string, state: WebhookDelivery['state'], count: number): Promise<WebhookDelivery[]> {
    for (;;) {
      const found = await this.deliveries(webhook)
      if (found.length === count && found.every((each) => each.state === state)) return found
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
  }
}

function startIn(folder: string, options: Partial<MiddlewareOptions>): Promise<TestServer> {
  return startTestServer({
    databaseFile: join(folder, databaseName),
    clock: systemClock,
    webhookCa: receiverCertificate.cert,
    ...options,
    deliveries: { resolve: () => Promise.resolve(['127.0.0.1']), retryMs: 20, ...options.deliveries },
  })
}
