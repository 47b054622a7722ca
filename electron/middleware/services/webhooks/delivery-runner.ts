import { AsyncLocalStorage } from 'node:async_hooks'
import type { Clock } from '#kit/clock.ts'
import type { Logger } from '#kit/logger.ts'
import {
  nextRetry,
  type Outcome,
  recordOutcomes,
  type ToldWebhook,
  webhooksDue,
  webhooksToTell,
} from '../../data/deliveries.ts'
import type { Database } from '../../data/engine/database.ts'
import { contentOfEvent, deleteEventsBefore } from '../../data/events.ts'
import {
  type DeliveryLimits,
  EventContents,
  FurtherConnections,
  usualDeliveryLimits,
} from './delivery-shares.ts'
import { type PostRules, usualPostRules } from './post-notification.ts'
import { type QueueParts, WebhookQueue } from './webhook-queue.ts'

/** Writes events that were kept for later, behind those of a customer, and returns whose they are; null: there are none. */
type WritePortion = (after: string) => Promise<string | null>

/** How notifications are sent; what is left out is as the service has it. */
export interface DeliveryOptions extends Partial<PostRules> {
  /** From a failed attempt to the next: an hour. */
  readonly retryMs?: number
  readonly limits?: DeliveryLimits
  /** How often all that is pending of webhooks at work is looked over: 10 minutes. */
  readonly lookOverMs?: number
}

interface RunnerParts {
  readonly database: Database
  readonly clock: Clock
  readonly logger: Logger
  readonly webhookCa: string | null
  readonly options: DeliveryOptions
}

const hourMs = 3_600_000
const dayMs = 24 * hourMs
/** How long an event is kept with its deliveries and their log. */
const keptMs = 30 * dayMs
/** How many old events are deleted at once, so that no call waits long. */
const deletedAtOnce = 20
/** What is under way when the server closes may take so long. */
const graceMs = 1000
/** The clock is looked at again after so long at most: somebody may have set it. */
const longestSleepMs = 60_000
/** What became due so long before the last look counts as new: its transaction may have ended after that look. */
const overlapMs = 1000
const usualLookOverMs = 600_000
/** After an error in writing the events of one customer those of the next are written so much later. */
const portionPauseMs = 1000

/**
 * Sends the notifications that stand in the database, beside the calls that are served.
 * Each webhook has a queue of its own and one connection, so that none waits for another one's receiver; what they take
 * beyond that is limited in all (delivery-shares.ts).
 * The runner finds out which of them have work, and keeps what became of it.
 */
export class DeliveryRunner {
  readonly #parts: RunnerParts
  /** Runs work outside the call that woke this: neither in its turn nor from its allowance of rows. */
  readonly #apart = AsyncLocalStorage.snapshot()
  readonly #queueParts: QueueParts
  readonly #queues = new Map<string, WebhookQueue>()
  readonly #recorder: Recorder
  readonly #ending = new AbortController()
  #daily: NodeJS.Timeout | null = null
  #lookOver: NodeJS.Timeout | null = null
  /** Highest id of the deliveries that queues were told of. */
  #seen = 0
  /** When queues were last told of what is due. */
  #dueSeenMs = 0
  #timer: NodeJS.Timeout | null = null
  #isLooking = false
  #isWoken = false
  #isStopped = false
  #looking: Promise<void> = Promise.resolve()
  #writePortion: WritePortion = () => Promise.resolve(null)
  #mayHavePortions = false
  #writing: Promise<void> | null = null
  #cleaning: Promise<void> = Promise.resolve()

  constructor(parts: RunnerParts) {
    const { database, clock, logger, options } = parts
    this.#parts = parts
    this.#recorder = new Recorder(database)
    const { retryMs = hourMs, limits = usualDeliveryLimits, lookOverMs: _, ...rules } = options
    this.#queueParts = {
      database,
      clock,
      logger,
      retryMs,
      rules: { ...usualPostRules(parts.webhookCa), ...rules },
      contents: new EventContents(limits, (id) => contentOfEvent(database, id)),
      connections: new FurtherConnections(limits.mostFurtherConnections),
      signal: this.#ending.signal,
      record: async (outcome) => {
        await this.#recorder.record(outcome)
        if (outcome.nextAt !== null) this.#sleepUntil(outcome.nextAt)
      },
      onDone: (queue) => {
        // there may be another one of its webhook since
        if (this.#queues.get(queue.webhookId) === queue) this.#queues.delete(queue.webhookId)
      },
    }
  }

  /** Sends what an earlier process left, and deletes old events, now and each day. */
  start(writePortion: WritePortion): void {
    this.#writePortion = writePortion
    this.wake()
    this.#cleaning = this.#clean()
    this.#daily = setInterval(() => {
      this.#cleaning = this.#cleaning.then(() => this.#clean())
    }, dayMs).unref()
    this.#lookOver = setInterval(() => {
      for (const queue of this.#queues.values()) queue.lookOver()
    }, this.#parts.options.lookOverMs ?? usualLookOverMs).unref()
  }

  /** What was sent before is to be sent again by a webhook, of one resource; null: of any. */
  replayed(webhook: ToldWebhook, entityId: string | null): void {
    if (!this.#isStopped) this.#queueOf(webhook).replayed(entityId)
  }

  /** A webhook was deleted: nothing more is sent to it. */
  removed(webhookId: string): void {
    const queue = this.#queues.get(webhookId)
    // what is under way may end
    void queue?.stop().then(() => this.#queues.delete(webhookId))
  }

  /** There is something to send, or there may be. */
  wake(): void {
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

  /** What is under way may end within a second; what has not is sent again after the next start. */
  async stop(): Promise<void> {
    this.#isStopped = true
    if (this.#daily !== null) clearInterval(this.#daily)
    if (this.#lookOver !== null) clearInterval(this.#lookOver)
    if (this.#timer !== null) clearTimeout(this.#timer)
    await this.#writing
    await this.#looking
    const ended = Promise.all([...this.#queues.values()].map((queue) => queue.stop()))
    const grace = setTimeout(() => this.#ending.abort(), graceMs)
    await ended
    clearTimeout(grace)
    await this.#cleaning
  }

  /** The queues are told after each portion, and the loop turns. */
  async #writePortions(): Promise<void> {
    let after = ''
    while (this.#mayHavePortions && !this.#isStopped) {
      await new Promise((resolve) => setImmediate(resolve))
      this.#mayHavePortions = false
      try {
        const customerId = await this.#writePortion(after)
        if (customerId === null) continue
        after = customerId
        this.#wakeQueues()
      } catch (error) {
        this.#parts.logger.error({ err: error }, 'notifications are not written for now')
        await new Promise((resolve) => setTimeout(resolve, portionPauseMs))
      }
      this.#mayHavePortions = true
    }
    this.#writing = null
  }

  /** Tells the queues that have something new or something due; once more for each call of `wake` meanwhile. */
  async #look(): Promise<void> {
    try {
      while (this.#isWoken && !this.#isStopped) {
        this.#isWoken = false
        // the answer of the call that woke us goes first
        await new Promise((resolve) => setImmediate(resolve))
        await this.#tellQueues()
      }
    } catch (error) {
      this.#parts.logger.error({ err: error }, 'notifications are not sent for now')
      this.#sleep(longestSleepMs)
    } finally {
      this.#isLooking = false
    }
  }

  async #tellQueues(): Promise<void> {
    const { database, clock } = this.#parts
    const nowMs = clock.now()
    const now = new Date(nowMs).toISOString()
    const { webhooks, last } = await webhooksToTell(database, this.#seen)
    // only what became due since: a queue that was told goes through all that it has
    const since = new Date(Math.max(Math.min(this.#dueSeenMs, nowMs) - overlapMs, 0)).toISOString()
    const due = await webhooksDue(database, since, now)
    this.#seen = last
    this.#dueSeenMs = nowMs
    for (const webhook of [...webhooks, ...due]) this.#queueOf(webhook).wake()
    const next = await nextRetry(database, now)
    if (next !== null) this.#sleepUntil(next)
  }

  #queueOf(webhook: ToldWebhook): WebhookQueue {
    const known = this.#queues.get(webhook.webhook_id)
    if (known !== undefined) return known
    const queue = new WebhookQueue(webhook, this.#queueParts)
    this.#queues.set(webhook.webhook_id, queue)
    return queue
  }

  #sleepUntil(time: string): void {
    this.#sleep(Date.parse(time) - this.#parts.clock.now())
  }

  /** Wakes after that many milliseconds, or earlier where that was wanted before. */
  #wakesAt = Infinity
  #sleep(ms: number): void {
    const duration = Math.min(Math.max(ms, 0), longestSleepMs)
    const wakesAt = this.#parts.clock.ticks() + duration
    if (this.#isStopped || (this.#timer !== null && wakesAt >= this.#wakesAt)) return
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#wakesAt = wakesAt
    this.#timer = setTimeout(() => {
      this.#timer = null
      this.wake()
    }, duration).unref()
  }

  async #clean(): Promise<void> {
    const { database, clock, logger } = this.#parts
    try {
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
    } catch (error) {
      logger.error({ err: error }, 'old events are not deleted')
    }
  }
}

/** Keeps the outcomes that arrive together in one transaction: a fast receiver does not wait for a disk each time. */
class Recorder {
  readonly #database: Database
  #waiting: Outcome[] = []
  #writing: Promise<void> | null = null

  constructor(database: Database) {
    this.#database = database
  }

  /** Resolves when it is kept. */
  record(outcome: Outcome): Promise<void> {
    this.#waiting.push(outcome)
    this.#writing ??= this.#write()
    return this.#writing
  }

  async #write(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve))
    const outcomes = this.#waiting
    this.#waiting = []
    this.#writing = null
    await this.#database.transaction().execute((connection) => recordOutcomes(connection, outcomes))
  }
}
