import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { tokens } from '#shared/wire/auth.ts'
import { webhookDeliveryPage } from '#shared/wire/webhook.ts'
import { type CallOptions, type Reply, send } from '#support/middleware-server.ts'
import { newOrder } from '#support/order-payloads.ts'
import { randomFrom } from '#support/random.ts'
import {
  type Behaviour,
  receiverCertificate,
  refuseWith,
  WebhookReceiver,
} from '#support/webhook-receiver.ts'
import type { SuiteOptions, SuiteReport } from './suite-report.ts'
import { type Acknowledged, countOwed, judgeNotifications, readOrders } from './webhooks/judge.ts'
import { databaseName, type Given, type WebhookControl } from './webhooks/site.ts'

const fullCount = 200
const clients = 3
const secret = 'a secret of the suite'
/**
 * Maximum number of acknowledged changes before a kill. The kill happens at an acknowledgement or shortly afterwards.
 */
const mostChanges = 40
const longestWaitMs = 10
const record = z.object({ id: z.string() })

export interface WebhooksOptions extends SuiteOptions {
  readonly control: WebhookControl | null
}

/**
 * Kills a middleware `count` times while clients create and change orders. The middleware refuses some of the changes.
 * Its receiver of notifications sometimes fails. In the end the receiver must have received a notification of every
 * committed change and of no other change. The notifications of each order must arrive in the order of its changes.
 */
export async function webhooksSuite({ count, seed, control }: WebhooksOptions): Promise<SuiteReport> {
  const kills = count ?? fullCount
  const random = randomFrom(seed)
  const folder = mkdtempSync(join(tmpdir(), 'scandesk-webhook-kills-'))
  const receiver = await WebhookReceiver.start(moody(random))
  const run = new Run({ folder, webhookCa: receiverCertificate.cert, control })
  const figures = { kills: 0, owedAtKills: 0, received: 0 }
  try {
    await run.start()
    const webhooks = [
      await run.subscribe(receiver.url(), 'created'),
      await run.subscribe(receiver.url(), 'updated'),
    ]
    for (; figures.kills < kills; figures.kills += 1) {
      const changes = Math.ceil(random() * mostChanges)
      const struck = run.acknowledgedFromNow(changes)
      const work = run.work(`run-${figures.kills}`, random)
      await struck
      if (figures.kills % 2 === 1) await sleep(random() * longestWaitMs)
      await run.kill()
      await work
      figures.owedAtKills += countOwed(run.databaseFile)
      await run.start()
    }
    await run.settle(webhooks)
  } finally {
    await run.kill()
    await receiver.stop()
  }
  figures.received = receiver.received.length
  const verdict = judgeNotifications(
    readOrders(run.databaseFile),
    receiver.received,
    run.acknowledged,
    secret,
  )
  rmSync(folder, { recursive: true })
  const { lost, invented, disordered, unsigned } = verdict
  const isClean = lost + invented + disordered + unsigned === 0
  const wasTried = verdict.orders > 0 && figures.owedAtKills > 0
  const passed = control === null ? isClean && wasTried : lost > 0
  return {
    suite: 'webhooks',
    passed,
    figures: {
      ...figures,
      acknowledged: run.acknowledged.length,
      refused: run.refused,
      ...verdict,
      control,
      seed,
    },
  }
}

/**
 * Returns a receiver that accepts most notifications, refuses some, and closes the connection of others without a
 * response.
 */
function moody(random: () => number): Behaviour {
  return (response, received) => {
    const mood = random()
    if (mood < 0.1) response.socket?.destroy()
    else refuseWith(mood < 0.2 ? 500 : 200)(response, received)
  }
}

/** The middleware under test with all its successive processes, and its clients. */
class Run {
  readonly acknowledged: Acknowledged[] = []
  /** The number of changes that the service refused after their transaction had begun. */
  refused = 0
  #watch: { readonly wanted: number; readonly resolve: () => void } | null = null
  readonly #given: Given
  #process: ChildProcess | null = null
  #url = ''
  #token: string | null = null

  constructor(given: Given) {
    this.#given = given
  }

  /**
   * Resolves when this number of further changes was acknowledged. The caller continues in the same turn of the event
   * loop in which the last acknowledgement arrived.
   */
  acknowledgedFromNow(changes: number): Promise<void> {
    const wanted = this.acknowledged.length + changes
    return new Promise((resolve) => (this.#watch = { wanted, resolve }))
  }

  get databaseFile(): string {
    return join(this.#given.folder, databaseName)
  }

  async start(): Promise<void> {
    const script = new URL('webhooks/middleware-child.ts', import.meta.url).pathname
    const child = spawn(process.execPath, [script, JSON.stringify(this.#given)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    this.#process = child
    const [line] = (await once(createInterface(child.stdout), 'line')) as [string]
    this.#url = line
    if (this.#token !== null) return
    const body = { username: 'everything', password: 'everything-secret-word' }
    this.#token = tokens.parse((await this.#call('/wms/auth/login/', { method: 'POST', body })).body).token
  }

  async kill(): Promise<void> {
    const child = this.#process
    this.#process = null
    if (child === null || child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, 'exit')
    child.kill('SIGKILL')
    await ended
  }

  async subscribe(url: string, action: string): Promise<string> {
    const body = { url, group: 'order', action, hash_secret: secret }
    return record.parse((await this.#call('/webhooks/', { method: 'POST', body })).body).id
  }

  /** Sends changes until the service stops responding. */
  async work(name: string, random: () => number): Promise<void> {
    await Promise.all(
      Array.from({ length: clients }, (_, client) => this.#client(`${name}-${client}`, random)),
    )
  }

  /** Resolves when no notification of these webhooks waits any more. */
  async settle(webhooks: readonly string[]): Promise<void> {
    for (const webhook of webhooks) while ((await this.#pending(webhook)) > 0) await sleep(20)
  }

  async #pending(webhook: string): Promise<number> {
    const reply = await this.#call(`/webhooks/${webhook}/deliveries/?state=pending&limit=1`)
    return webhookDeliveryPage.parse(reply.body).count
  }

  async #client(name: string, random: () => number): Promise<void> {
    try {
      for (let number = 0; ; number += 1) {
        const body = newOrder({ external_reference: `${name}-${number}` })
        const made = await this.#call('/wms/orders/', { method: 'POST', body })
        const order = record.parse(made.body).id
        this.#acknowledge({ order, note: 0 })
        if (random() < 0.3) {
          const again = await this.#call('/wms/orders/', { method: 'POST', body })
          if (again.status === 400) this.refused += 1
        }
        for (let note = 1; note <= 3; note += 1) {
          const change = { method: 'PATCH', body: { customer_note: String(note) } }
          const { status } = await this.#call(`/wms/orders/${order}/`, change)
          if (status === 200) this.#acknowledge({ order, note })
        }
      }
    } catch {
      // The call failed because the process was killed.
    }
  }

  #acknowledge(change: Acknowledged): void {
    this.acknowledged.push(change)
    if (this.#watch !== null && this.acknowledged.length >= this.#watch.wanted) this.#watch.resolve()
  }

  #call(path: string, options: CallOptions = {}): Promise<Reply> {
    return send(this.#url, path, { ...options, token: this.#token })
  }
}
