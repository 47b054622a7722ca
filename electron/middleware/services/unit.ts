import { randomUUID } from 'node:crypto'
import type { Logger } from '#kit/logger.ts'
import type { WarehouseWorkKind } from '#shared/domain/resource-states.ts'
import type { WebhookAction, WebhookGroup } from '#shared/domain/webhook-topics.ts'
import { commitInOrder, inTransaction, type Connection, type Database } from '../data/engine/database.ts'
import { readingAtMost, TooMuchToRead } from '../data/engine/reading-limit.ts'
import {
  countEventPortions,
  insertDeliveries,
  insertEventPortions,
  insertEvents,
  makeRoomForEvents,
  type NewEvent,
  removeEventPortion,
  takeEventPortion,
} from '../data/events.ts'
import { touchStock } from '../data/goods/stock.ts'
import type { PortionedChange } from '../data/schema/webhooks.ts'
import { subscriptionsOf } from '../data/webhooks.ts'
import type { Turns } from './turns.ts'

/** A resource of one customer. */
export interface Subject {
  readonly customerId: string
  readonly id: string
}

/**
 * Returns the resource as a notification shows it, with all groups expanded and in the field names of the API. Null:
 * the resource was deleted. The routes provide this function (event-bodies.ts), because only they contain the field
 * names of the API.
 */
export type EventBody = (connection: Connection, group: WebhookGroup, subject: Subject) => Promise<unknown>

interface Change {
  readonly group: WebhookGroup
  readonly action: string
  readonly subject: Subject
  /** The last state of a deleted resource. Undefined: the state is read when the event is written. */
  readonly body?: unknown
  /**
   * The content of the notification about a deleted resource. Present only if the change comes from a stored portion:
   * then the content was created when the portion was stored.
   */
  readonly content?: string
}

/**
 * One transaction and the changes that it made. Before the commit, the transaction also writes the events of the
 * changes, or stores the changes in portions if there are many. Therefore no event is lost, and no event reports a
 * change that was rolled back.
 */
export class Unit {
  readonly connection: Connection
  /** The time stamp of everything that the transaction writes. */
  readonly now: string
  readonly #changes = new Map<string, Change>()
  readonly #work = new Map<string, Subject & { readonly kind: WarehouseWorkKind }>()

  constructor(connection: Connection, now: string) {
    this.connection = connection
    this.now = now
  }

  /** Records a change of a resource. A change that is recorded twice is reported once. */
  changed<Group extends WebhookGroup>(group: Group, action: WebhookAction<Group>, subject: Subject): void {
    const key = `${group}/${action}/${subject.id}`
    if (!this.#changes.has(key)) this.#changes.set(key, { group, action, subject })
  }

  /** Records that a resource is about to be deleted. `body` is its last state. */
  deleted(group: 'article' | 'variant', subject: Subject, body: unknown): void {
    this.#changes.set(`${group}/deleted/${subject.id}`, { group, action: 'deleted', subject, body })
  }

  /**
   * Stores the time at which the stock or the available stock of the customer's variants changed, and records this
   * change of each variant.
   */
  async stockChanged(customerId: string, variantIds: ReadonlySet<string>): Promise<void> {
    await touchStock(this.connection, variantIds, this.now)
    for (const id of variantIds) this.changed('stock', 'updated', { customerId, id })
  }

  /** Adds a resource to the work of the warehouse, because a client has created or changed this resource. */
  forWarehouse(kind: WarehouseWorkKind, subject: Subject): void {
    this.#work.set(`${kind}/${subject.id}`, { kind, ...subject })
  }

  get changes(): readonly Change[] {
    return [...this.#changes.values()]
  }

  get work(): readonly (Subject & { readonly kind: WarehouseWorkKind })[] {
    return [...this.#work.values()]
  }
}

/** Limits for the events of one customer. */
export interface EventLimits {
  /** Maximum bytes of one notification. For a larger resource the notification contains only its id. */
  readonly mostBytes: number
  /**
   * Maximum bytes of all stored events of the customer with their deliveries. Above this size the oldest events are
   * deleted.
   */
  readonly mostStoredBytes: number
}

const megabyte = 1024 * 1024

/** The usual limits. For comparison: an order with 1000 lines and texts of usual length has 1.5 MB. */
export const usualEventLimits: EventLimits = { mostBytes: 2 * megabyte, mostStoredBytes: 1024 * megabyte }

/** Replaces a body that is too large for a notification. */
const tooLarge = Symbol('too large')

/**
 * Returns a resource as a notification shows it, or the symbol `tooLarge` if the resource is too large. If the resource
 * is about to be deleted, the caller passes the result to `Unit.deleted` as its last state.
 */
export async function readEventBody(
  body: EventBody,
  connection: Connection,
  group: WebhookGroup,
  subject: Subject,
): Promise<unknown> {
  try {
    // reads at most twice as many bytes as a notification may have, because rows have columns that no notification
    // shows
    return await readingAtMost(2 * usualEventLimits.mostBytes, () => body(connection, group, subject))
  } catch (error) {
    if (error instanceof TooMuchToRead) return tooLarge
    throw error
  }
}

/** The dependencies of the functions that write events. */
interface EventParts {
  readonly eventBody: EventBody
  readonly eventLimits: EventLimits
  readonly logger: Logger
}

/** A change and the webhooks to notify. */
interface SubscribedChange {
  readonly change: Change
  readonly webhookIds: readonly string[]
}

/**
 * Maximum number of changes, and of their deliveries, that are written in one step. With SQLite no other call runs
 * during a step. A customer may have many webhooks, and one call may make thousands of changes. A change with more
 * deliveries than the maximum is written in a separate step.
 */
const mostChangesAtOnce = 25
const mostDeliveriesAtOnce = 250
/** Maximum number of stored portions of one customer. The events of more portions would exceed `mostStoredBytes`. */
const mostPortions = 8000

/**
 * Writes the events of a unit: a transaction with the changes that it made. Returns true if a webhook has to be
 * notified. The changes of a large unit are stored in portions. While portions of a customer are stored, new changes of
 * this customer are also stored in portions. `writeEventPortion` creates the events later, in the order of the changes,
 * for the webhooks that existed at the time of the change. An event from a portion shows the resource at the time when
 * the event is written.
 */
export async function writeEvents(parts: EventParts, unit: Unit): Promise<boolean> {
  const { connection, changes, now } = unit
  if (changes.length === 0) return false
  const customers = new Set(changes.map(({ subject }) => subject.customerId))
  const subscriptions = Map.groupBy(await subscriptionsOf(connection, [...customers]), (each) =>
    topicKey(each.customer_id, each.topic_group, each.topic_action),
  )
  const wanted = changes.flatMap((change): SubscribedChange[] => {
    const found = subscriptions.get(topicKey(change.subject.customerId, change.group, change.action))
    return found === undefined ? [] : [{ change, webhookIds: found.map(({ id }) => id) }]
  })
  const small: SubscribedChange[] = []
  // all transactions handle customers in the same order, so that two transactions never wait for each other's rows
  const byCustomer = [...Map.groupBy(wanted, ({ change }) => change.subject.customerId)].sort(byFirst)
  for (const [customerId, subscribed] of byCustomer) {
    const waiting = await countEventPortions(connection, customerId)
    const deliveries = subscribed.reduce((sum, { webhookIds }) => sum + webhookIds.length, 0)
    const isSmall = subscribed.length <= mostChangesAtOnce && deliveries <= mostDeliveriesAtOnce
    if (isSmall && waiting === 0) {
      small.push(...subscribed)
      continue
    }
    const rows = portionsOf(parts, subscribed, now)
    const kept = rows.slice(0, Math.max(0, mostPortions - waiting))
    await insertEventPortions(connection, kept)
    if (kept.length < rows.length) warnOfDropped(parts, customerId, rows.length - kept.length)
  }
  // the events of few changes are stored after the portions of all customers, because `storeEvents` takes a lock for
  // which other transactions wait
  if (small.length > 0) await storeEvents(parts, connection, small, now)
  return wanted.length > 0
}

/**
 * If at least this many portions of one customer are stored (groups of changes whose events are written later), other
 * work that consists of many steps waits before its next step. The number is far below `mostPortions`. Therefore such
 * work leaves space for the portions of the customer's other changes, and does not delay the events of these changes
 * for long.
 */
const manyPortions = 400

/**
 * Returns whether at least `manyPortions` portions of the customer are stored. If so, work that consists of many steps
 * waits before its next step.
 */
export async function hasManyEventPortions(connection: Connection, customerId: string): Promise<boolean> {
  return (await countEventPortions(connection, customerId)) >= manyPortions
}

function byFirst([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : 1
}

/**
 * The dependencies of the functions that write or remove stored portions. A stored portion contains changes whose
 * events are written later.
 */
interface PortionParts extends EventParts {
  readonly database: Database
  readonly turns: Pick<Turns, 'runFor'>
}

/**
 * Writes the events of the changes in a customer's oldest stored portion. This work does not wait behind the customer's
 * calls, because it has its own owner (`Turns`). Otherwise many waiting calls of one customer would delay the portions
 * of all customers, which are written one at a time.
 */
export async function writeEventPortion(parts: PortionParts, customerId: string): Promise<void> {
  await inPortionTurn(parts, customerId, async (connection) => {
    const taken = await takeEventPortion(connection, customerId)
    if (taken === null || taken.webhookIds.length === 0) return
    const { portion, webhookIds } = taken
    const subscribed = (JSON.parse(portion.changes) as PortionedChange[]).map(({ entityId, content }) => ({
      change: {
        group: portion.topic_group,
        action: portion.topic_action,
        subject: { customerId, id: entityId },
        ...(content !== null && { content }),
      },
      webhookIds,
    }))
    await storeEvents(parts, connection, subscribed, portion.created_at)
  })
}

/** Removes a customer's oldest stored portion of changes, because its events cannot be written. */
export async function dropEventPortion(parts: PortionParts, customerId: string): Promise<void> {
  await inPortionTurn(parts, customerId, (connection) => removeEventPortion(connection, customerId))
}

async function inPortionTurn(
  { database, turns }: PortionParts,
  customerId: string,
  work: (connection: Connection) => Promise<void>,
): Promise<void> {
  await turns.runFor(`events ${customerId}`, () => inTransaction(database, work))
}

/**
 * Writes the events of changes with their deliveries. `subscribed`: the changes, each with the webhooks to notify, in
 * the order of their customers.
 */
async function storeEvents(
  parts: EventParts,
  connection: Connection,
  subscribed: readonly SubscribedChange[],
  now: string,
): Promise<void> {
  const bodies = new Map<string, unknown>()
  const events: NewEvent[] = []
  for (const { change, webhookIds } of subscribed) {
    const { group, action, subject } = change
    const key = `${group}/${subject.id}`
    if (change.content === undefined && !bodies.has(key))
      bodies.set(key, change.body ?? (await readEventBody(parts.eventBody, connection, group, subject)))
    const row = {
      id: randomUUID(),
      customer_id: subject.customerId,
      topic_group: group,
      topic_action: action,
      entity_id: subject.id,
      content:
        change.content ?? contentOf(change, change.body ?? bodies.get(key), parts.eventLimits.mostBytes),
      created_at: now,
    }
    events.push({ row, webhookIds })
  }
  // old events are deleted before `commitInOrder` takes its lock, because up to a thousand deliveries with their logs
  // may have to be deleted
  for (const [customerId, wanted] of Map.groupBy(events, ({ row }) => row.customer_id)) {
    const mostBytes = parts.eventLimits.mostStoredBytes
    const dropped = await makeRoomForEvents(connection, customerId, { wanted, mostBytes })
    if (dropped > 0) warnOfDropped(parts, customerId, dropped)
  }
  await insertEvents(connection, events)
  // Transactions must commit in the order of their delivery numbers, because the queues of webhooks read deliveries by
  // ascending number. `commitInOrder` is called as late as possible, because from this call until the commit other
  // transactions wait.
  await commitInOrder(connection)
  await insertDeliveries(connection, events)
}

/**
 * Splits the changes of one customer into portions; `writeEventPortion` later writes the events of each portion in one
 * step. Each portion has one topic.
 */
function portionsOf({ eventLimits }: EventParts, subscribed: readonly SubscribedChange[], now: string) {
  const topics = Map.groupBy(subscribed, ({ change }) => `${change.group}/${change.action}`)
  return [...topics.values()].flatMap((ofTopic) => {
    const webhookIds = ofTopic[0]?.webhookIds ?? []
    const atOnce = Math.max(
      1,
      Math.min(mostChangesAtOnce, Math.floor(mostDeliveriesAtOnce / webhookIds.length)),
    )
    const count = Math.ceil(ofTopic.length / atOnce)
    return Array.from({ length: count }, (_, index) => {
      const changes = ofTopic.slice(index * atOnce, (index + 1) * atOnce).map(({ change }) => change)
      const [{ group, action, subject }] = changes as [Change, ...Change[]]
      return {
        customer_id: subject.customerId,
        topic_group: group,
        topic_action: action,
        webhook_ids: JSON.stringify(webhookIds),
        changes: JSON.stringify(
          changes.map((change): PortionedChange => {
            const content =
              change.body === undefined ? null : contentOf(change, change.body, eventLimits.mostBytes)
            return { entityId: change.subject.id, content }
          }),
        ),
        created_at: now,
      }
    })
  })
}

function warnOfDropped({ logger }: EventParts, customer: string, dropped: number): void {
  logger.warn({ customer, dropped }, 'notifications were dropped because there are too many')
}

function topicKey(customerId: string, group: WebhookGroup, action: string): string {
  return `${customerId}/${group}/${action}`
}

/**
 * Returns the body of a notification as JSON text. If the text would have more than `mostBytes` bytes, it contains only
 * the id of the resource, and the mark `bodyTooLarge`.
 */
function contentOf({ group, action, subject }: Change, body: unknown, mostBytes: number): string {
  const rest = {
    group,
    action,
    // the stock of a variant has no id, so the variant's id is used
    entity: group === 'stock' ? 'variant' : group,
    customer: subject.customerId,
    entityId: subject.id,
  }
  const content = body === tooLarge ? null : JSON.stringify({ body, ...rest })
  if (content !== null && Buffer.byteLength(content) <= mostBytes) return content
  return JSON.stringify({ body: { id: subject.id }, bodyTooLarge: true, ...rest })
}
