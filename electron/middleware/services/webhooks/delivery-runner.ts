import { AsyncLocalStorage } from 'node:async_hooks'
import type { Clock } from '#kit/clock.ts'
import type { Logger } from '#kit/logger.ts'
import {
  advanceRetries,
  nextRetry,
  type Outcome,
  recordOutcomes,
  type ToldWebhook,
  webhooksDue,
  webhooksToTell,
} from '../../data/deliveries.ts'
import { type Lease, type Leases, type News, withLease } from '../../data/engine/coordination.ts'
import { type Database, inWritingTransaction, isStorageFailure } from '../../data/engine/database.ts'
import { contentOfEvent, deleteEventsBefore } from '../../data/events.ts'
import {
  type DeliveryLimits,
  EventContents,
  FurtherConnections,
  usualDeliveryLimits,
} from './delivery-shares.ts'
import { ReceiverNames } from './receiver-names.ts'
import { type PostRules, usualPostRules } from './post-notification.ts'
import { SenderThread, sharedCopy } from './sender-thread.ts'
import { mostConnections, type QueueParts, WebhookQueue } from './webhook-queue.ts'

/** The stored portions: groups of changes whose events are written later. */
interface StoredPortions {
  /**
   * Returns the next customer that has a stored portion of changes, after the given customer in a circular order. Null:
   * no customer has a portion.
   */
  customerAfter(customerId: string): Promise<string | null>
  /** Writes the events of the changes in the customer's oldest portion. */
  write(customerId: string): Promise<void>
  /** Removes the customer's oldest portion of changes without writing its events. */
  drop(customerId: string): Promise<void>
}

/** How notifications are sent. A missing option takes the service's default. */
export interface DeliveryOptions extends Partial<PostRules> {
  /** Milliseconds from a failed attempt to send a notification to the next attempt. Default: an hour. */
  readonly retryMs?: number
  readonly limits?: DeliveryLimits
  /** Milliseconds between two checks of all pending deliveries of active queues. Default: 10 minutes. */
  readonly lookOverMs?: number
  /** Milliseconds from a failed attempt to write the events of a portion to the next attempt. Default: a second. */
  readonly portionPauseMs?: number
}

interface RunnerParts {
  readonly database: Database
  readonly leases: Leases
  /** Sends a message to the other processes. */
  readonly announce: (news: News) => void
  readonly clock: Clock
  readonly logger: Logger
  readonly webhookCa: string | null
  readonly options: DeliveryOptions
}

const hourMs = 3_600_000
const dayMs = 24 * hourMs
/** Lifetime of an event with its deliveries and their log, in milliseconds. */
const keptMs = 30 * dayMs
/** Number of old events that one step deletes. The limit keeps the waiting time of calls short. */
const deletedAtOnce = 20
/** Milliseconds that running attempts have to finish when the server closes. */
const graceMs = 1000
/** Maximum milliseconds until the clock is read again, because the system time may change. */
const longestSleepMs = 60_000
/**
 * Each check also covers this number of milliseconds before the previous check, because a transaction that ended after
 * the previous check may contain a delivery that became due before that check.
 */
const overlapMs = 1000
const usualLookOverMs = 600_000
/**
 * A margin in milliseconds for the clocks of several processes. A retry counts as planned too late if its time is after
 * the present time by more than `retryMs` plus this margin. With a smaller margin, a process whose clock is behind
 * would make the retries of other processes due again and again, and use up their attempts.
 */
const clockMarginMs = hourMs
/** Maximum number of retries that one step advances. */
const advancedAtOnce = 200
const usualPortionPauseMs = 1000
/**
 * Maximum number of attempts to write the events of a portion of changes. After the last attempt the portion is
 * dropped.
 */
const mostPortionTries = 5

/** The lease under which the events of stored portions of changes are written. */
const portionLease = 'event portions'
/** The lease under which old events are deleted. */
const cleaningLease = 'old events'

/**
 * Sends the notifications that are stored in the database, in parallel to the calls. Each webhook has its own queue and
 * one connection, so that no webhook waits for the receiver of another. The process that has the lease of the webhook
 * runs its queue; the other processes announce new deliveries to it. All webhooks share a limit for memory, and the
 * webhooks of a customer share a limit for further connections (delivery-shares.ts). The runner finds the webhooks that
 * have work, and stores the outcome of each attempt.
 */
export class DeliveryRunner {
  readonly #parts: RunnerParts
  /**
   * Runs work outside the API call that called `wake`: without the turn of that call (turns.ts) and without its reading
   * limit.
   */
  readonly #apart = AsyncLocalStorage.snapshot()
  readonly #queueParts: QueueParts
  /** The queues of this process with their leases, by webhook. */
  readonly #queues = new Map<string, { readonly queue: WebhookQueue; readonly lease: Lease }>()
  readonly #recorder: Recorder
  readonly #ending = new AbortController()
  #daily: NodeJS.Timeout | null = null
  #lookOver: NodeJS.Timeout | null = null
  /** Highest id of the deliveries about which the queues were notified. */
  #seen = 0
  /** When queues were last notified of due deliveries. */
  #dueSeenMs = 0
  #timer: NodeJS.Timeout | null = null
  /** Whether the next check of deliveries reads all pending ones, not only those that are new or newly due. */
  #isLookingAtAll = true
  #isLooking = false
  #isWoken = false
  #isStopped = false
  #looking: Promise<void> = Promise.resolve()
  /**
   * Resolves when the last call of `replayed` was handled: the queue of its webhook knows that deliveries are to be
   * sent again. The calls are handled one after the other; each opens the queue if necessary.
   */
  #opening: Promise<void> = Promise.resolve()
  #portions: PortionWriter | null = null
  #mayHavePortions = false
  #writing: Promise<void> | null = null
  #cleaning: Promise<void> = Promise.resolve()
  #advancing: Promise<void> | null = null

  constructor(parts: RunnerParts) {
    const { database, clock, logger, options } = parts
    this.#parts = parts
    this.#recorder = new Recorder(database)
    const { retryMs = hourMs, limits = usualDeliveryLimits, lookOverMs: _, ...changed } = options
    const rules = { ...usualPostRules(parts.webhookCa), ...changed }
    this.#queueParts = {
      database,
      clock,
      logger,
      retryMs,
      rules,
      lookups: new ReceiverNames(rules.resolve),
      thread: new SenderThread({ webhookCa: parts.webhookCa, mostConnections }, (error) => {
        logger.error({ err: error }, 'the thread of notifications failed; it starts again')
      }),
      contents: new EventContents(limits, async (id) => {
        const content = await contentOfEvent(database, id)
        return content === null ? null : sharedCopy(content)
      }),
      connections: new FurtherConnections(limits.mostFurtherConnections),
      signal: this.#ending.signal,
      record: async (outcome) => {
        await this.#recorder.record(outcome)
        if (outcome.nextAt !== null) this.#sleepUntil(outcome.nextAt)
      },
      onDone: (queue) => this.#close(queue),
    }
  }

  /** Sends the deliveries that an earlier process has not sent. Deletes old events, now and each day. */
  start(portions: StoredPortions): void {
    const { clock, logger, options } = this.#parts
    this.#portions = new PortionWriter(portions, {
      clock,
      logger,
      pauseMs: options.portionPauseMs ?? usualPortionPauseMs,
      wakeAfter: (ms) => this.#sleep(ms),
    })
    this.#wakeHere()
    this.#advancing = this.#advanceRetries()
    this.#cleaning = this.#clean()
    this.#daily = setInterval(() => {
      this.#cleaning = this.#cleaning.then(() => this.#clean())
    }, dayMs).unref()
    this.#lookOver = setInterval(() => {
      for (const { queue } of this.#queues.values()) queue.lookOver()
      this.#advancing ??= this.#advanceRetries()
    }, this.#parts.options.lookOverMs ?? usualLookOverMs).unref()
  }

  /** Reacts to a message of another process. */
  heard(news: News): void {
    if (news.topic === 'removed') this.#removedHere(news.webhookId)
    else if (news.topic === 'replayed')
      this.#replayedHere({ webhook_id: news.webhookId, customer_id: news.customerId }, news.entityId)
    else {
      // a process that crashed may have left deliveries of any age, so all pending deliveries are read again
      if (news.topic === 'abandoned') {
        this.#isLookingAtAll = true
        this.#apart(() => {
          for (const { queue } of this.#queues.values()) queue.lookOver()
        })
      }
      this.#wakeHere()
    }
  }

  /**
   * Notifies the queue of a webhook that deliveries of one resource are to be sent again. `entityId` null: of any
   * resource.
   */
  replayed(webhook: ToldWebhook, entityId: string | null): void {
    const { webhook_id: webhookId, customer_id: customerId } = webhook
    this.#parts.announce({ topic: 'replayed', webhookId, customerId, entityId })
    this.#replayedHere(webhook, entityId)
  }

  #replayedHere(webhook: ToldWebhook, entityId: string | null): void {
    if (this.#isStopped) return
    this.#apart(() => {
      this.#opening = this.#opening
        .then(() => this.#withQueue(webhook, (queue) => queue.replayed(entityId)))
        .catch((error: unknown) => {
          this.#parts.logger.error({ err: error }, 'notifications cannot be repeated; trying again later')
          this.#isLookingAtAll = true
          this.#sleep(longestSleepMs)
        })
    })
  }

  /** Stops sending to a deleted webhook. */
  removed(webhookId: string): void {
    this.#parts.announce({ topic: 'removed', webhookId })
    this.#removedHere(webhookId)
  }

  #removedHere(webhookId: string): void {
    const queue = this.#queues.get(webhookId)?.queue
    // the queue closes after its running attempts have finished
    if (queue !== undefined) void queue.stop().then(() => this.#close(queue))
  }

  /** Notifies the runner that there may be deliveries to send. */
  wake(): void {
    this.#parts.announce({ topic: 'deliveries' })
    this.#wakeHere()
  }

  #wakeHere(): void {
    this.#mayHavePortions = true
    this.#apart(() => {
      if (!this.#isStopped) this.#writing ??= this.#writePortions()
      this.#wakeQueues()
    })
  }

  #wakeQueues(): void {
    this.#isWoken = true
    if (this.#isLooking || this.#isStopped) return
    this.#isLooking = true
    this.#looking = this.#look()
  }

  /** Lets running attempts finish within a second. The next start sends unfinished deliveries again. */
  async stop(): Promise<void> {
    this.#isStopped = true
    if (this.#daily !== null) clearInterval(this.#daily)
    if (this.#lookOver !== null) clearInterval(this.#lookOver)
    if (this.#timer !== null) clearTimeout(this.#timer)
    await this.#writing
    await this.#looking
    await this.#opening
    const ended = Promise.all([...this.#queues.values()].map(({ queue }) => queue.stop()))
    const grace = setTimeout(() => this.#ending.abort(), graceMs)
    await ended
    clearTimeout(grace)
    await this.#queueParts.thread.close()
    await this.#cleaning
    await this.#advancing
  }

  /**
   * Writes the events of the stored portions. Takes the lease for this work only if there is a portion, because every
   * process calls this function after each event, and few events are stored in portions. If another process has the
   * lease, leaves the work to that process, which also receives each message about new portions. If that process dies,
   * its lease ends, and a message with the topic `abandoned` causes another call of this function.
   */
  async #writePortions(): Promise<void> {
    const { leases, logger } = this.#parts
    try {
      do {
        await new Promise((resolve) => setImmediate(resolve))
        this.#mayHavePortions = false
        if ((await this.#portions?.hasAny()) !== true) continue
        this.#mayHavePortions = true
        const lease = await leases.take(portionLease)
        if (lease === null) break
        await withLease(lease, () => this.#writeAllPortions())
        // the loop runs again if a portion was announced while this process searched for portions or released the lease
      } while (this.#mayHavePortions && !this.#isStopped)
    } catch (error) {
      logger.error({ err: error }, 'notifications cannot be written; trying again later')
      this.#sleep(longestSleepMs)
    }
    this.#writing = null
  }

  /** Writes the events of the stored portions, one portion after the other. After each, notifies the queues. */
  async #writeAllPortions(): Promise<void> {
    while (this.#mayHavePortions && !this.#isStopped) {
      this.#mayHavePortions = false
      if ((await this.#portions?.writeNext()) !== true) continue
      this.#mayHavePortions = true
      this.#parts.announce({ topic: 'deliveries' })
      this.#wakeQueues()
      await new Promise((resolve) => setImmediate(resolve))
    }
  }

  /** Notifies the queues that have new or due deliveries. Runs once more for calls of `wake` that arrive meanwhile. */
  async #look(): Promise<void> {
    try {
      while (this.#isWoken && !this.#isStopped) {
        this.#isWoken = false
        // waits for the next turn of the event loop, so that the call that called `wake` can send its response first
        await new Promise((resolve) => setImmediate(resolve))
        await this.#tellQueues()
      }
    } catch (error) {
      this.#parts.logger.error({ err: error }, 'notifications cannot be sent; trying again later')
      this.#sleep(longestSleepMs)
    } finally {
      this.#isLooking = false
    }
  }

  async #tellQueues(): Promise<void> {
    const { database, clock } = this.#parts
    const nowMs = clock.now()
    const now = new Date(nowMs).toISOString()
    const seen = this.#isLookingAtAll ? { last: 0, dueMs: 0 } : { last: this.#seen, dueMs: this.#dueSeenMs }
    this.#isLookingAtAll = false
    try {
      const { webhooks, last } = await webhooksToTell(database, seen.last)
      // only deliveries that became due since the last check are read here, because a queue that is notified reads all
      // due deliveries of its webhook
      const since = new Date(Math.max(Math.min(seen.dueMs, nowMs) - overlapMs, 0)).toISOString()
      const due = await webhooksDue(database, since, now)
      for (const webhook of [...webhooks, ...due]) await this.#withQueue(webhook, (queue) => queue.wake())
      this.#seen = last
      this.#dueSeenMs = nowMs
    } catch (error) {
      this.#isLookingAtAll = true
      throw error
    }
    const next = await nextRetry(database, now)
    if (next !== null) this.#sleepUntil(next)
  }

  /** Notifies the queue of a webhook, unless another process runs this queue. */
  async #withQueue(webhook: ToldWebhook, notify: (queue: WebhookQueue) => void): Promise<void> {
    const { webhook_id: webhookId } = webhook
    const known = this.#queues.get(webhookId)
    if (known !== undefined) {
      notify(known.queue)
      return
    }
    const lease = await this.#parts.leases.take(`webhook ${webhookId}`)
    if (lease === null) {
      // Another caller in this process may have taken the lease and opened the queue. In this case the queue is
      // notified.
      const opened = this.#queues.get(webhookId)
      if (opened !== undefined) notify(opened.queue)
      return
    }
    if (this.#isStopped) return lease.release()
    const queue = new WebhookQueue(webhook, this.#queueParts)
    this.#queues.set(webhookId, { queue, lease })
    // stops the queue if its lease is lost; the next process that takes the lease sends the pending deliveries
    lease.lost.addEventListener('abort', () => {
      this.#close(queue)
      void queue.stop()
    })
    notify(queue)
  }

  #close(queue: WebhookQueue): void {
    const { webhookId } = queue
    const known = this.#queues.get(webhookId)
    // if the webhook has a new queue meanwhile, the new queue stays open
    if (known?.queue !== queue) return
    this.#queues.delete(webhookId)
    void known.lease.release()
  }

  #sleepUntil(time: string): void {
    this.#sleep(Date.parse(time) - this.#parts.clock.now())
  }

  /**
   * The time of the next planned call of `wake`. `#sleep` plans a call of `wake` after the given time, unless an
   * earlier call is already planned.
   */
  #wakesAt = Infinity
  #sleep(ms: number): void {
    const duration = Math.min(Math.max(ms, 0), longestSleepMs)
    const wakesAt = this.#parts.clock.ticks() + duration
    if (this.#isStopped || (this.#timer !== null && wakesAt >= this.#wakesAt)) return
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#wakesAt = wakesAt
    this.#timer = setTimeout(() => {
      this.#timer = null
      this.#wakeHere()
    }, duration).unref()
  }

  /**
   * Makes those retries due that are planned too late (`clockMarginMs`), because the clock was ahead when they were
   * planned. Otherwise later notifications of the same resources would wait for these retries.
   */
  async #advanceRetries(): Promise<void> {
    const { database, clock, logger } = this.#parts
    try {
      for (let advanced = advancedAtOnce; advanced === advancedAtOnce && !this.#isStopped;) {
        await new Promise((resolve) => setImmediate(resolve))
        const nowMs = clock.now()
        const latest = new Date(nowMs + this.#queueParts.retryMs + clockMarginMs).toISOString()
        const now = new Date(nowMs).toISOString()
        advanced = await advanceRetries(database, { now, latest, limit: advancedAtOnce })
        if (advanced > 0) this.#wakeHere()
      }
    } catch (error) {
      logger.error({ err: error }, 'the retries of notifications cannot be checked; trying again later')
    }
    this.#advancing = null
  }

  async #clean(): Promise<void> {
    const { leases, logger } = this.#parts
    try {
      await withLease(await leases.take(cleaningLease), () => this.#deleteOld())
    } catch (error) {
      logger.error({ err: error }, 'old events cannot be deleted')
    }
  }

  async #deleteOld(): Promise<void> {
    const { database, clock, logger } = this.#parts
    const before = new Date(clock.now() - keptMs).toISOString()
    for (let all = 0; !this.#isStopped;) {
      const deleted = await deleteEventsBefore(database, before, deletedAtOnce)
      all += deleted
      if (deleted < deletedAtOnce) {
        if (all > 0) logger.info({ deleted: all }, 'old events are deleted')
        return
      }
      await new Promise((resolve) => setImmediate(resolve))
    }
  }
}

interface PortionParts extends Pick<RunnerParts, 'clock' | 'logger'> {
  /** Milliseconds to wait before the next attempt after the events of a portion could not be written. */
  readonly pauseMs: number
  /** Calls `writeNext` again after the given number of milliseconds. */
  readonly wakeAfter: (ms: number) => void
}

/**
 * Writes the events of the stored portions of changes. The customers take turns. A customer whose portion cannot be
 * written is skipped for a while, so that other customers do not wait for it.
 */
class PortionWriter {
  readonly #portions: StoredPortions
  readonly #parts: PortionParts
  /** The customer whose portion was tried last. */
  #after = ''
  /**
   * For each customer for whose oldest stored portion of changes the events could not be written: the number of
   * attempts (`tries`), and the ticks of the clock at which the next attempt may begin (`from`).
   */
  readonly #failed = new Map<string, { readonly tries: number; readonly from: number }>()

  constructor(portions: StoredPortions, parts: PortionParts) {
    this.#portions = portions
    this.#parts = parts
  }

  /** Whether any portion of changes is stored. Throws if the database cannot be read. */
  async hasAny(): Promise<boolean> {
    return (await this.#portions.customerAfter('')) !== null
  }

  /** Tries to write the events of one stored portion of changes. Returns false if no portion may be written now. */
  async writeNext(): Promise<boolean> {
    const { logger, pauseMs } = this.#parts
    try {
      const customerId = await this.#nextCustomer()
      if (customerId === null) return false
      await this.#write(customerId)
    } catch (error) {
      logger.error({ err: error }, 'notifications cannot be written; trying again later')
      await new Promise((resolve) => setTimeout(resolve, pauseMs))
    }
    return true
  }

  async #nextCustomer(): Promise<string | null> {
    const now = this.#parts.clock.ticks()
    let soonest = Infinity
    let customerId = this.#after
    for (let passed = 0; passed <= this.#failed.size; passed++) {
      const next = await this.#portions.customerAfter(customerId)
      if (next === null) {
        this.#failed.clear()
        return null
      }
      const from = this.#failed.get(next)?.from ?? now
      if (from <= now) return next
      soonest = Math.min(soonest, from)
      customerId = next
    }
    this.#parts.wakeAfter(soonest - now)
    return null
  }

  /**
   * Writes the events of the customer's oldest stored portion of changes. Throws errors of the database. After any
   * other error, postpones the next attempt, or drops the portion after too many attempts.
   */
  async #write(customerId: string): Promise<void> {
    this.#after = customerId
    try {
      await this.#portions.write(customerId)
      this.#failed.delete(customerId)
    } catch (error) {
      if (isStorageFailure(error)) throw error
      await this.#postpone(customerId, error)
    }
  }

  /**
   * Postpones the next attempt to write the events of the customer's oldest portion of changes, or drops the portion
   * after too many attempts.
   */
  async #postpone(customer: string, error: unknown): Promise<void> {
    const { clock, logger, pauseMs } = this.#parts
    const tries = (this.#failed.get(customer)?.tries ?? 0) + 1
    this.#failed.set(customer, { tries, from: clock.ticks() + pauseMs })
    if (tries < mostPortionTries) {
      logger.error(
        { err: error, customer },
        'notifications of a customer cannot be written; trying again later',
      )
      return
    }
    await this.#portions.drop(customer)
    this.#failed.delete(customer)
    logger.error({ err: error, customer }, 'notifications of a customer were dropped: they cannot be written')
  }
}

/**
 * Stores the outcomes of attempts in one transaction at a time. The next transaction stores all outcomes that arrived
 * meanwhile, so that a fast receiver does not wait for a disk write before each notification. The transactions are not
 * serializable, because the statements of `recordOutcomes` check its rules. PostgreSQL therefore refuses such a
 * transaction only for a deadlock. Serializable transactions in parallel would be refused because of each other until
 * one of them ran alone, and all changes of all processes would wait for that transaction.
 */
export class Recorder {
  readonly #database: Database
  #waiting: Outcome[] = []
  /** Settles when the outcomes in `#waiting` are stored. Null: no outcome waits. */
  #next: Promise<void> | null = null
  /** The latest transaction that has begun. */
  #last: Promise<void> | null = null

  constructor(database: Database) {
    this.#database = database
  }

  /** Stores the outcome of an attempt. Resolves when it is stored. Rejects with the error of the database. */
  record(outcome: Outcome): Promise<void> {
    this.#waiting.push(outcome)
    this.#next ??= this.#writeAfter(this.#last)
    return this.#next
  }

  async #writeAfter(last: Promise<void> | null): Promise<void> {
    await last?.catch(() => undefined)
    await new Promise((resolve) => setImmediate(resolve))
    const outcomes = this.#waiting
    this.#waiting = []
    this.#last = this.#next
    this.#next = null
    await inWritingTransaction(this.#database, (connection) => recordOutcomes(connection, outcomes))
  }
}
