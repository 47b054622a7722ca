import type { Clock } from '#kit/clock.ts'
import { beforeAllTimes } from '../../data/engine/listing.ts'
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
import { Poster, type PostRules } from './post-notification.ts'
import type { ReceiverNames } from './receiver-names.ts'
import type { SenderThread } from './sender-thread.ts'

/** After a wait for its turn of this many milliseconds, a notification is read again before it is sent. */
const longWaitMs = 1_000

/** The dependencies of the queues of all webhooks. */
export interface QueueParts {
  readonly database: Database
  readonly clock: Clock
  readonly logger: Logger
  readonly rules: PostRules
  readonly lookups: ReceiverNames
  readonly thread: SenderThread
  readonly contents: EventContents
  readonly connections: FurtherConnections
  /** Milliseconds from a failed attempt to send a notification to the next attempt. */
  readonly retryMs: number
  /** Aborts running attempts. */
  readonly signal: AbortSignal
  /** Stores the outcome of an attempt. */
  readonly record: (outcome: Outcome) => Promise<void>
  /**
   * Called when the queue has no work: every pending delivery has had an attempt and waits for its retry. If an attempt
   * has failed since the last success, this function is called only when no delivery is pending. After the call the
   * queue can be removed. If deliveries then wait for their retries, a new queue is opened when the first retry becomes
   * due.
   */
  readonly onDone: (queue: WebhookQueue) => void
}

/** Maximum number of connections to the receiver of one webhook. */
export const mostConnections = 8
/** Maximum number of retries after a failed first attempt. */
const mostRetries = 10
/**
 * Maximum number of waiting deliveries that one query reads. Their ids are in memory; a notification is read when it is
 * sent.
 */
const mostWalked = 256
const beginning: DuePlace = { nextAt: beforeAllTimes, id: 0 }
/**
 * Milliseconds of the first and of the longest pause. The queue pauses after a failure, and twice as long after each
 * further failure, so that an unreachable receiver costs almost nothing.
 */
const shortestPauseMs = 50
const longestPauseMs = 60_000

/**
 * Sends the notifications of one webhook. The events of one resource are sent one after the other, oldest first. The
 * events of different resources are sent in parallel on the available connections of the customer. After a failure, one
 * event is sent at a time until an attempt succeeds.
 */
export class WebhookQueue {
  readonly webhookId: string
  readonly #customerId: string
  readonly #parts: QueueParts
  readonly #poster: Poster
  #ready: WaitingDelivery[] = []
  /**
   * Ids of the resources, such as orders, about which a delivery is ready or being sent. A further delivery about the
   * same resource waits.
   */
  #held = new Set<string>()
  readonly #sending = new Set<string>()
  readonly #underWay = new Set<Promise<void>>()
  /**
   * The positions up to which the untried deliveries and the due deliveries have been read. A read skips a delivery
   * while an older delivery of its resource is pending; the skipped delivery is read when the older one ends.
   */
  #after = 0
  #due = beginning
  /** Ids of resources with deliveries that are to be sent again. */
  readonly #replayed = new Set<string>()
  #mayHaveMore = false
  #reading: Promise<void> | null = null
  #failures = 0
  #limit = 1
  #isOwnConnectionTaken = false
  #pause: NodeJS.Timeout | null = null
  #isStopped = false

  constructor(webhook: ToldWebhook, parts: QueueParts) {
    this.webhookId = webhook.webhook_id
    this.#customerId = webhook.customer_id
    this.#parts = parts
    this.#poster = new Poster(webhook, parts)
  }

  /** Notifies the queue that there are new deliveries, or deliveries to send again. */
  wake(): void {
    this.#mayHaveMore = true
    this.#advance()
  }

  /** Notifies the queue that deliveries of one resource are to be sent again. Null: of any resource. */
  replayed(entityId: string | null): void {
    // `#due` becomes a new object, so that a running read of due deliveries notices that it must begin again
    if (entityId === null) this.#due = { ...beginning }
    else this.#replayed.add(entityId)
    this.wake()
  }

  /**
   * Reads all pending deliveries again. Only this read finds a delivery that waited for an older delivery which was
   * then deleted.
   */
  lookOver(): void {
    this.#after = 0
    this.#due = beginning
    this.wake()
  }

  /** Starts no further attempt. Resolves when none is running. */
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

  /**
   * The first connection belongs to the webhook alone, so that the slow receivers of a customer do not block its other
   * webhooks. Further connections are shared.
   */
  #takeConnection(): boolean {
    if (this.#isOwnConnectionTaken) return this.#parts.connections.take(this.#customerId, this.#advance)
    this.#isOwnConnectionTaken = true
    return true
  }

  #releaseConnection(): void {
    // the webhook's own connection is released last, when none of its deliveries is being sent; before that, a
    // connection that the customer's webhooks share is released
    if (this.#underWay.size > 0) this.#parts.connections.release(this.#customerId)
    else this.#isOwnConnectionTaken = false
  }

  async #idle(): Promise<void> {
    this.#poster.rest()
    try {
      const { database, onDone } = this.#parts
      // after a failure, and until the next success, the queue is kept while any delivery is pending, also a delivery
      // that waits for its retry
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

  /**
   * Reads the next due deliveries after the position `#due`, in the order of their due times. A delivery that fails
   * during the read gets a due time after this position, so a later read finds it. If the clock was set back before
   * this position, the read begins again at the first delivery.
   */
  async #walkDue(now: string): Promise<void> {
    if (now < this.#due.nextAt) this.#due = beginning
    const place = this.#due
    const found = await walkDue(this.#parts.database, this.webhookId, place, now, mostWalked)
    const last = found.at(-1)
    // if `#due` was reset to the beginning during the read, it stays at the beginning
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
    // lets other calls run, because there may be many deliveries that wait for older ones
    await new Promise((resolve) => setImmediate(resolve))
  }

  /**
   * Skips a delivery if another delivery of its resource is ready or being sent. The skipped delivery is read again
   * after the other one has ended.
   */
  #offer(delivery: WaitingDelivery): void {
    if (this.#held.has(delivery.entity_id)) return
    this.#held.add(delivery.entity_id)
    this.#ready.push(delivery)
  }

  async #deliver({ id, entity_id: entityId }: WaitingDelivery): Promise<void> {
    const { database, record } = this.#parts
    const notification = await notificationOf(database, id)
    const attempt = notification === null ? null : await this.#attempt(id, notification)
    if (notification !== null && attempt !== null) {
      const { attempts, next_at } = notification
      const before = { attempts, next_at }
      await record({ ...this.#judge(notification, attempt), deliveryId: id, attempt, before })
    }
    if (this.#isStopped) return
    // the id is removed from `#held` before the next read, so that no read skips a delivery that is stored from now on
    this.#held.delete(entityId)
    const next = await nextOfEntity(database, this.webhookId, entityId, this.#now())
    // If the delivery that had no notification (null) is found again, its webhook was deleted, so the delivery is not
    // sent.
    if (next !== null && !(notification === null && next.id === id)) this.#offer(next)
  }

  /**
   * Sends a notification. Returns null if the event was deleted, if the queue was stopped before the attempt, or if the
   * closing server aborted the attempt. In the last two cases the next queue of this webhook sends the notification,
   * unless the webhook was deleted.
   */
  async #attempt(id: number, notification: Notification): Promise<Outcome['attempt'] | null> {
    const { clock, contents, signal } = this.#parts
    const { event_id: eventId, bytes } = notification
    if (isOfOtherGroup(notification))
      return { started_at: this.#now(), duration_ms: 0, status: null, failure: 'other_group' }
    return contents.use({ id: eventId, customerId: this.#customerId, bytes }, async (content) => {
      if (content === null || this.#isStopped) return null
      const readTicks = clock.ticks()
      let started = { at: this.#now(), ticks: readTicks }
      const begins = (): boolean => {
        started = { at: this.#now(), ticks: clock.ticks() }
        return !this.#isStopped
      }
      const isCurrent = async (): Promise<boolean> =>
        started.ticks - readTicks < longWaitMs || (await this.#isUnchanged(id, notification))
      const reply = await this.#poster.post(notification, content, { signal, begins, isCurrent })
      const durationMs = Math.round(clock.ticks() - started.ticks)
      return reply === null ? null : { started_at: started.at, duration_ms: durationMs, ...reply }
    })
  }

  /** Whether a notification that was read before still has the same address, group and event. */
  async #isUnchanged(
    id: number,
    { url, webhook_group: group, event_id: eventId }: Notification,
  ): Promise<boolean> {
    const now = await notificationOf(this.#parts.database, id)
    return now !== null && now.url === url && now.webhook_group === group && now.event_id === eventId
  }

  #now(): string {
    return new Date(this.#parts.clock.now()).toISOString()
  }

  #judge(notification: Notification, { status }: Outcome['attempt']): Pick<Outcome, 'state' | 'nextAt'> {
    if (isOfOtherGroup(notification)) return { state: 'given_up', nextAt: null }
    if (status !== null && status >= 200 && status < 300) {
      this.#failures = 0
      this.#limit = mostConnections
      return { state: 'delivered', nextAt: null }
    }
    this.#rest()
    const { clock, logger, retryMs } = this.#parts
    if (notification.attempts < mostRetries)
      return { state: 'pending', nextAt: new Date(clock.now() + retryMs).toISOString() }
    // the log omits the address, because its path may be a secret of the receiver
    logger.info(
      { webhook: this.webhookId, event: notification.event_id },
      'the last attempt to send a notification failed',
    )
    return { state: 'given_up', nextAt: null }
  }

  /** Called after a failure: pauses, and then one event is sent at a time until an attempt succeeds. */
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

  /** Called after a database error: all pending deliveries are read again after a pause. */
  #stumble(error: unknown): void {
    if (this.#isStopped) return
    this.#parts.logger.error(
      { err: error, webhook: this.webhookId },
      'notifications cannot be sent; trying again later',
    )
    this.#ready = []
    this.#held = new Set(this.#sending)
    this.#after = 0
    this.#due = beginning
    this.#mayHaveMore = true
    this.#failures = Math.max(this.#failures, 5)
    this.#rest()
  }
}

/**
 * Whether the group of the webhook has changed since the event. If so, the event is not sent, because the user who set
 * the present URL of the webhook may not have the role to read the resources of the earlier group.
 */
function isOfOtherGroup({ topic_group: group, webhook_group: present }: Notification): boolean {
  return group !== present
}
