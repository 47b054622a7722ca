import type { Clock } from '#kit/clock.ts'
import type { Logger } from '#kit/logger.ts'
import {
  type DuePlace,
  hasPending,
  nextOfEntity,
  type Notification,
  notificationOf,
  type Outcome,
  type ToldWebhook,
  type WaitingDelivery,
  type WalkedDelivery,
  walkDue,
  walkUntried,
} from '../../data/deliveries.ts'
import type { Database } from '../../data/engine/database.ts'
import type { EventContents, FurtherConnections } from './delivery-shares.ts'
import { mostConnections, Poster, type PostRules } from './post-notification.ts'

/** What the queues of all webhooks stand on. */
export interface QueueParts {
  readonly database: Database
  readonly clock: Clock
  readonly logger: Logger
  readonly rules: PostRules
  readonly contents: EventContents
  readonly connections: FurtherConnections
  /** From a failed attempt to the next. */
  readonly retryMs: number
  /** Aborts what is under way. */
  readonly signal: AbortSignal
  /** Keeps what became of an attempt. */
  readonly record: (outcome: Outcome) => Promise<void>
  /** Called when a webhook has nothing left, not even to be sent again: its queue may be forgotten. */
  readonly onDone: (queue: WebhookQueue) => void
}

/** How often a notification is sent again after its first attempt failed. */
const mostRetries = 10
/** How many waiting deliveries are looked at in one query. Their ids are in memory; a notification is read when it is sent. */
const mostWalked = 256
const beginning: DuePlace = { nextAt: '', id: 0 }
/** After a failure the queue pauses, twice as long after each in a row: a receiver that is gone costs next to nothing. */
const shortestPauseMs = 50
const longestPauseMs = 60_000

/**
 * Sends what one webhook is to be told of. The events of one resource go one after the other, oldest first; those of
 * different resources at the same time once the receiver takes them, as far as the customer has connections for them, and one
 * at a time from a failure to the next success.
 */
export class WebhookQueue {
  readonly webhookId: string
  readonly #customerId: string
  readonly #parts: QueueParts
  readonly #poster: Poster
  #ready: WaitingDelivery[] = []
  /** Resources of which a delivery is ready or under way. */
  #held = new Set<string>()
  readonly #sending = new Set<string>()
  readonly #underWay = new Set<Promise<void>>()
  /**
   * How far the walks through the untried and through the due deliveries have come. What they came to while an older one of
   * its resource was pending is found when that one ends.
   */
  #after = 0
  #due = beginning
  /** Resources of which something that was sent before is to be sent again. */
  readonly #replayed = new Set<string>()
  #mayHaveMore = false
  #reading: Promise<void> | null = null
  #failures = 0
  #limit = 1
  #isOwnConnectionTaken = false
  #pause: NodeJS.Timeout | null = null
  #isStopped = false

  constructor({ webhook_id: webhookId, customer_id: customerId }: ToldWebhook, parts: QueueParts) {
    this.webhookId = webhookId
    this.#customerId = customerId
    this.#parts = parts
    this.#poster = new Poster(parts.rules)
  }

  /** There is something new to send, or something to send again. */
  wake(): void {
    this.#mayHaveMore = true
    this.#advance()
  }

  /** What was sent before is to be sent again, of one resource; null: of any. */
  replayed(entityId: string | null): void {
    // another object, so that a walk that is under way notices
    if (entityId === null) this.#due = { ...beginning }
    else this.#replayed.add(entityId)
    this.wake()
  }

  /** Looks at all that is pending: what waited for a delivery that was deleted is found by this alone. */
  lookOver(): void {
    this.#after = 0
    this.#due = beginning
    this.wake()
  }

  /** Starts nothing more; resolves when nothing is under way. */
  async stop(): Promise<void> {
    this.#isStopped = true
    if (this.#pause !== null) clearTimeout(this.#pause)
    await this.#reading
    await Promise.all(this.#underWay)
    this.#poster.rest()
  }

  readonly #advance = (): void => {
    if (this.#isStopped || this.#pause !== null) return
    while (this.#underWay.size < this.#limit && this.#ready.length > 0 && this.#takeConnection()) {
      const next = this.#ready.shift()
      if (next !== undefined) this.#start(next)
    }
    this.#poster.keepAtMost(Math.max(1, this.#underWay.size))
    const isBusy = this.#ready.length > 0 || this.#underWay.size >= this.#limit || this.#reading !== null
    if (isBusy) return
    if (this.#mayHaveMore) this.#reading = this.#read()
    else if (this.#underWay.size === 0) void this.#idle()
  }

  /** One is each webhook's own, so that the slow receivers of a customer do not hold up the others; further ones are shared. */
  #takeConnection(): boolean {
    if (this.#isOwnConnectionTaken) return this.#parts.connections.take(this.#customerId, this.#advance)
    this.#isOwnConnectionTaken = true
    return true
  }

  #releaseConnection(): void {
    // those that are left need one less of the shared ones
    if (this.#underWay.size > 0) this.#parts.connections.release(this.#customerId)
    else this.#isOwnConnectionTaken = false
  }

  async #idle(): Promise<void> {
    this.#poster.rest()
    try {
      const { database, onDone } = this.#parts
      // after failures it is kept for its pause
      const isKept = await hasPending(database, this.webhookId, this.#failures === 0 ? 'untried' : 'any')
      const isBusy = this.#ready.length > 0 || this.#underWay.size > 0 || this.#reading !== null
      if (isKept || isBusy || this.#mayHaveMore) return
      onDone(this)
    } catch (error) {
      this.#stumble(error)
    }
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
      this.#releaseConnection()
      this.#advance()
    })
  }

  async #read(): Promise<void> {
    this.#mayHaveMore = false
    try {
      const now = this.#now()
      for (const entityId of this.#replayed) {
        this.#replayed.delete(entityId)
        const next = await nextOfEntity(this.#parts.database, this.webhookId, entityId, now)
        if (next !== null) this.#offer(next)
      }
      await this.#walkDue(now)
      await this.#walkUntried()
    } catch (error) {
      this.#stumble(error)
    }
    this.#reading = null
    this.#advance()
  }

  /** Those that fail from now on become due later than those that it comes to, unless somebody sets the clock back. */
  async #walkDue(now: string): Promise<void> {
    if (now < this.#due.nextAt) this.#due = beginning
    const place = this.#due
    const found = await walkDue(this.#parts.database, this.webhookId, place, now, mostWalked)
    const last = found.at(-1)
    // it may have been sent back to the beginning meanwhile
    if (last !== undefined && this.#due === place) this.#due = { nextAt: last.next_at ?? '', id: last.id }
    await this.#offerFirst(found)
  }

  async #walkUntried(): Promise<void> {
    const after = this.#after
    const found = await walkUntried(this.#parts.database, this.webhookId, after, mostWalked)
    if (this.#after === after) this.#after = found.at(-1)?.id ?? after
    await this.#offerFirst(found)
  }

  async #offerFirst(found: readonly WalkedDelivery[]): Promise<void> {
    for (const delivery of found) if (delivery.is_first === 1) this.#offer(delivery)
    if (found.length < mostWalked) return
    this.#mayHaveMore = true
    // a walk through many that wait for older ones holds up nobody
    await new Promise((resolve) => setImmediate(resolve))
  }

  /** One whose resource is held is found again when the delivery that holds it ends. */
  #offer(delivery: WaitingDelivery): void {
    if (this.#held.has(delivery.entity_id)) return
    this.#held.add(delivery.entity_id)
    this.#ready.push(delivery)
  }

  async #deliver({ id, entity_id: entityId }: WaitingDelivery): Promise<void> {
    const { database, record } = this.#parts
    const notification = await notificationOf(database, id)
    const attempt = notification === null ? null : await this.#attempt(notification)
    if (notification !== null && attempt !== null)
      await record({ ...this.#judge(notification, attempt), deliveryId: id, attempt })
    if (this.#isStopped) return
    // first: what is written from here on finds the resource free
    this.#held.delete(entityId)
    const next = await nextOfEntity(database, this.webhookId, entityId, this.#now())
    if (next !== null) this.#offer(next)
  }

  /** Null: the event is gone, or the server is closing and it is sent after the next start. */
  #attempt(notification: Notification): Promise<Outcome['attempt'] | null> {
    const { clock, contents, signal } = this.#parts
    const { event_id: eventId, bytes } = notification
    return contents.use({ id: eventId, customerId: this.#customerId, bytes }, async (content) => {
      if (content === null || this.#isStopped) return null
      const started = { at: this.#now(), ticks: clock.ticks() }
      const reply = await this.#poster.post(notification, content, signal)
      const durationMs = Math.round(clock.ticks() - started.ticks)
      return reply === null ? null : { started_at: started.at, duration_ms: durationMs, ...reply }
    })
  }

  #now(): string {
    return new Date(this.#parts.clock.now()).toISOString()
  }

  #judge(notification: Notification, { status }: Outcome['attempt']): Pick<Outcome, 'state' | 'nextAt'> {
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
    logger.info({ webhook: this.webhookId, event: notification.event_id }, 'a notification is given up')
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
    this.#parts.logger.error({ err: error, webhook: this.webhookId }, 'notifications are not sent for now')
    this.#ready = []
    this.#held = new Set(this.#sending)
    this.#after = 0
    this.#due = beginning
    this.#mayHaveMore = true
    this.#failures = Math.max(this.#failures, 5)
    this.#rest()
  }
}
