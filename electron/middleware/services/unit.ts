import { randomUUID } from 'node:crypto'
import type { Logger } from '#kit/logger.ts'
import type { WarehouseWorkKind } from '#shared/domain/warehouse-work.ts'
import type { WebhookAction, WebhookGroup } from '#shared/domain/webhook-topics.ts'
import type { Connection } from '../data/engine/database.ts'
import { readingAtMost, TooMuchToRead } from '../data/engine/reading-limit.ts'
import { insertEvent, makeRoomForEvents, type Subscription, subscriptionsOf } from '../data/events.ts'
import { touchStock } from '../data/goods/stock.ts'

/** A resource of one customer. */
export interface Subject {
  readonly customerId: string
  readonly id: string
}

/**
 * The resource as a notification shows it, with all groups expanded, in the names of the API; null where it is gone. Given
 * by the routes (event-bodies.ts), since services do not know the names of the wire.
 */
export type EventBody = (connection: Connection, group: WebhookGroup, subject: Subject) => Promise<unknown>

interface Change {
  readonly group: WebhookGroup
  readonly action: string
  readonly subject: Subject
  /** What is left of a deleted resource; undefined: read when the unit ends. */
  readonly body?: unknown
}

/**
 * One transaction and what it changed. Events are written at its end, in the same transaction: none is lost, none tells
 * of what was rolled back, and each shows the resource as it was committed.
 */
export class Unit {
  readonly connection: Connection
  /** The time of all that is written. */
  readonly now: string
  readonly #changes = new Map<string, Change>()
  readonly #work = new Map<string, Subject & { readonly kind: WarehouseWorkKind }>()

  constructor(connection: Connection, now: string) {
    this.connection = connection
    this.now = now
  }

  /** Notes that something happened to a resource. Noted twice it is told once. */
  changed<Group extends WebhookGroup>(group: Group, action: WebhookAction<Group>, subject: Subject): void {
    const key = `${group}/${action}/${subject.id}`
    if (!this.#changes.has(key)) this.#changes.set(key, { group, action, subject })
  }

  /** Notes that a resource is about to be deleted, which `body` shows for the last time. */
  deleted(group: 'article' | 'variant', subject: Subject, body: unknown): void {
    this.#changes.set(`${group}/deleted/${subject.id}`, { group, action: 'deleted', subject, body })
  }

  /** Notes that what is there, or free, of the customer's variants changed. */
  async stockChanged(customerId: string, variantIds: ReadonlySet<string>): Promise<void> {
    await touchStock(this.connection, variantIds, this.now)
    for (const id of variantIds) this.changed('stock', 'updated', { customerId, id })
  }

  /** Gives the warehouse a resource to look at that a client made or changed. */
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

/** What the events of one customer may take. */
export interface EventLimits {
  /** Bytes of one notification; where its resource takes more it shows the resource's id alone. */
  readonly mostBytes: number
  /** Bytes of all events in the database, with what is kept of their deliveries; beyond it the oldest are deleted. */
  readonly mostStoredBytes: number
}

const megabyte = 1024 * 1024

/** An order of 1000 lines with the usual texts has 1.5 MB. */
export const usualEventLimits: EventLimits = { mostBytes: 2 * megabyte, mostStoredBytes: 1024 * megabyte }

/** In place of a body that no notification can show. */
const tooLarge = Symbol('too large')

/** Reads a resource for its notification. What it returns is for `Unit.deleted` and says where the resource is too large. */
export async function readEventBody(
  body: EventBody,
  connection: Connection,
  group: WebhookGroup,
  subject: Subject,
): Promise<unknown> {
  try {
    // rows have columns that no notification shows
    return await readingAtMost(2 * usualEventLimits.mostBytes, () => body(connection, group, subject))
  } catch (error) {
    if (error instanceof TooMuchToRead) return tooLarge
    throw error
  }
}

/** What writing events stands on. */
interface EventParts {
  readonly eventBody: EventBody
  readonly eventLimits: EventLimits
  readonly logger: Logger
}

/** Writes the events of a unit; true where somebody is to be told. */
export async function writeEvents(parts: EventParts, unit: Unit): Promise<boolean> {
  const { connection, changes } = unit
  if (changes.length === 0) return false
  const customers = new Set(changes.map(({ subject }) => subject.customerId))
  const subscriptions = await subscriptionsOf(connection, [...customers])
  const wanted = changes.flatMap((change) => {
    const webhookIds = subscriptions.filter((each) => wants(each, change)).map(({ id }) => id)
    return webhookIds.length === 0 ? [] : [{ change, webhookIds }]
  })
  const bodies = new Map<string, unknown>()
  for (const { change, webhookIds } of wanted) {
    const { group, action, subject } = change
    const key = `${group}/${subject.id}`
    if (!bodies.has(key))
      bodies.set(key, change.body ?? (await readEventBody(parts.eventBody, connection, group, subject)))
    const event = {
      id: randomUUID(),
      customer_id: subject.customerId,
      topic_group: group,
      topic_action: action,
      entity_id: subject.id,
      content: contentOf(change, change.body ?? bodies.get(key), parts.eventLimits.mostBytes),
      created_at: unit.now,
    }
    await insertEvent(connection, event, webhookIds)
  }
  for (const customerId of new Set(wanted.map(({ change }) => change.subject.customerId))) {
    const dropped = await makeRoomForEvents(connection, customerId, parts.eventLimits.mostStoredBytes)
    if (dropped > 0)
      parts.logger.warn({ customer: customerId, dropped }, 'notifications are dropped: there are too many')
  }
  return wanted.length > 0
}

/** The body of a notification, as JSON text. */
function contentOf({ group, action, subject }: Change, body: unknown, mostBytes: number): string {
  const rest = {
    group,
    action,
    // the stock of a variant has no id of its own
    entity: group === 'stock' ? 'variant' : group,
    customer: subject.customerId,
    entityId: subject.id,
  }
  const content = body === tooLarge ? null : JSON.stringify({ body, ...rest })
  if (content !== null && Buffer.byteLength(content) <= mostBytes) return content
  return JSON.stringify({ body: { id: subject.id }, bodyTooLarge: true, ...rest })
}

function wants(subscription: Subscription, { group, action, subject }: Change): boolean {
  return (
    subscription.customer_id === subject.customerId &&
    subscription.topic_group === group &&
    subscription.topic_action === action
  )
}
