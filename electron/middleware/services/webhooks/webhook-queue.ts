import type { Clock } from '#kit/clock.ts'
import type { Logger } from '#kit/logger.ts'
import {
  dueDeliveries,
  nextOfEntity,
  type Notification,
  notificationOf,
  type Outcome,
  untriedDeliveries,
  type WaitingDelivery,
} from '../../data/deliveries.ts'
import type { Database } from '../../data/engine/database.ts'
import { mostConnections, Poster, type PostRules, type Reply } from './post-notification.ts'

/** What the queues of all webhooks stand on. */
export interface QueueParts {
  readonly database: Database
  readonly clock: Clock
  readonly logger: Logger
  readonly rules: PostRules
  /** From a failed attempt to the next. */
  readonly retryMs: number
  /** Aborts what is under way. */
  readonly signal: AbortSignal
  /** Keeps what became of an attempt. */
  readonly record: (outcome: Outcome) => Promise<void>
  /** Called when a webhook has nothing left, not even to be sent again: its queue may be forgotten. */
  readonly onDone: (webhookId: string) => void
}

/** How often a notification is sent again after its first attempt failed. */
const mostRetries = 10
/** How many ids of waiting deliveries are in memory; a notification itself is read when it is sent. */
const mostReady = 64
/** After a failure the queue pauses, twice as long after each in a row: a receiver that is gone costs next to nothing. */
const shortestPauseMs = 50
const longestPauseMs = 60_000

/**
 * Sends what one webhook is to be told of. The events of one resource go one after the other, oldest first; those of
 * different resources at the same time once the receiver takes them, and one at a time from a failure to the next success.
 */
export class WebhookQueue {
  readonly #webhookId: string
  readonly #parts: QueueParts
  readonly #poster: Poster
  #ready: WaitingDelivery[] = []
  /** Resources of which a delivery is ready or under way. */
  #held = new Set<string>()
  readonly #sending = new Set<string>()
  readonly #underWay = new Set<Promise<void>>()
  /** Highest id of those that were found untried; later ones of their resources are found when they end. */
  #after = 0
  #mayHaveMore = false
  #reading: Promise<void> | null = null
  #failures = 0
  #limit = 1
  #pause: NodeJS.Timeout | null = null
  #isStopped = false

  constructor(webhookId: string, parts: QueueParts) {
    this.#webhookId = webhookId
    this.#parts = parts
    this.#poster = new Poster(parts.rules)
  }

  /** There is something new to send, or something to send again. */
  wake(): void {
    this.#mayHaveMore = true
    this.#advance()
  }

  /** Starts nothing more; resolves when nothing is under way. */
  async stop(): Promise<void> {
    this.#isStopped = true
    if (this.#pause !== null) clearTimeout(this.#pause)
    await this.#reading
    await Promise.all(this.#underWay)
    this.#poster.rest()
  }

  #advance(): void {
    if (this.#isStopped || this.#pause !== null) return
    while (this.#underWay.size < this.#limit) {
      const next = this.#ready.shift()
      if (next === undefined) break
      this.#start(next)
    }
    const isBusy = this.#ready.length > 0 || this.#underWay.size >= this.#limit || this.#reading !== null
    if (isBusy) return
    if (this.#mayHaveMore) this.#reading = this.#read()
    else if (this.#underWay.size === 0) this.#idle()
  }

  #idle(): void {
    this.#poster.rest()
    if (this.#failures === 0) this.#parts.onDone(this.#webhookId)
  }

  #start(delivery: WaitingDelivery): void {
    const { entity_id: entityId } = delivery
    this.#sending.add(entityId)
    const done = this.#deliver(delivery).then(
      () => this.#sending.delete(entityId),
      (error: unknown) => {
        this.#sending.delete(entityId)
        this.#stumble(error)
      },
    )
    const ended = done.then(() => undefined)
    this.#underWay.add(ended)
    void ended.then(() => {
      this.#underWay.delete(ended)
      this.#advance()
    })
  }

  async #read(): Promise<void> {
    const { database, clock } = this.#parts
    this.#mayHaveMore = false
    try {
      const now = new Date(clock.now()).toISOString()
      const due = await dueDeliveries(database, this.#webhookId, now, mostReady)
      const untried = await untriedDeliveries(database, this.#webhookId, this.#after, mostReady)
      this.#after = untried.at(-1)?.id ?? this.#after
      if (due.length === mostReady || untried.length === mostReady) this.#mayHaveMore = true
      for (const delivery of [...due, ...untried]) this.#offer(delivery)
    } catch (error) {
      this.#stumble(error)
    }
    this.#reading = null
    this.#advance()
  }

  /** One whose resource is held is found again when the delivery that holds it ends. */
  #offer(delivery: WaitingDelivery): void {
    if (this.#held.has(delivery.entity_id)) return
    this.#held.add(delivery.entity_id)
    this.#ready.push(delivery)
  }

  async #deliver({ id, entity_id: entityId }: WaitingDelivery): Promise<void> {
    const { database, clock, record, signal } = this.#parts
    const notification = await notificationOf(database, id)
    if (notification !== null) {
      const started = { at: new Date(clock.now()).toISOString(), ticks: clock.ticks() }
      const reply = await this.#poster.post(notification, signal)
      if (reply === null) return
      const durationMs = Math.round(clock.ticks() - started.ticks)
      const outcome = this.#judge(notification, reply)
      await record({
        ...outcome,
        deliveryId: id,
        attempt: { started_at: started.at, duration_ms: durationMs, ...reply },
      })
    }
    // first: what is written from here on finds the resource free
    this.#held.delete(entityId)
    const now = new Date(clock.now()).toISOString()
    const next = this.#isStopped ? null : await nextOfEntity(database, this.#webhookId, entityId, now)
    if (next !== null) this.#offer(next)
  }

  #judge(notification: Notification, { status }: Reply): Pick<Outcome, 'state' | 'nextAt'> {
    if (status !== null && status >= 200 && status < 300) {
      this.#failures = 0
      this.#limit = mostConnections
      return { state: 'delivered', nextAt: null }
    }
    this.#rest()
    const { clock, logger, retryMs } = this.#parts
    if (notification.attempts < mostRetries)
      return { state: 'pending', nextAt: new Date(clock.now() + retryMs).toISOString() }
    // not the address: its path may be a secret of the receiver
    logger.info({ webhook: this.#webhookId, event: notification.event_id }, 'a notification is given up')
    return { state: 'given_up', nextAt: null }
  }

  /** Pauses after a failure. */
  #rest(): void {
    this.#failures += 1
    this.#limit = 1
    if (this.#isStopped || this.#pause !== null) return
    const pauseMs = Math.min(
      shortestPauseMs * 2 ** Math.min(this.#failures - 1, 20),
      longestPauseMs,
      this.#parts.retryMs,
    )
    this.#pause = setTimeout(() => {
      this.#pause = null
      this.#advance()
    }, pauseMs).unref()
  }

  /** The database failed: everything that is pending is looked for anew after a pause. */
  #stumble(error: unknown): void {
    if (this.#isStopped) return
    this.#parts.logger.error({ err: error, webhook: this.#webhookId }, 'notifications are not sent for now')
    this.#ready = []
    this.#held = new Set(this.#sending)
    this.#after = 0
    this.#mayHaveMore = true
    this.#failures = Math.max(this.#failures, 5)
    this.#rest()
  }
}
