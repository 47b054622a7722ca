import { randomUUID } from 'node:crypto'
import type { WarehouseWorkKind } from '#shared/domain/warehouse-work.ts'
import type { WebhookAction, WebhookGroup } from '#shared/domain/webhook-topics.ts'
import type { Connection } from '../data/engine/database.ts'
import { insertEvent, type Subscription, subscriptionsOf } from '../data/events.ts'
import { touchStock } from '../data/goods/stock.ts'

/** A resource of one customer. */
export interface Subject {
  readonly customerId: string
  readonly id: string
}

/**
 * The resource as a notification shows it, with all groups expanded, in the names of the API; null where it is gone. Given
 * by the mappers, since services do not know the outside's names.
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

/** Writes the events of a unit; true where somebody is to be told. */
export async function writeEvents(body: EventBody, unit: Unit): Promise<boolean> {
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
    if (!bodies.has(key)) bodies.set(key, change.body ?? (await body(connection, group, subject)))
    const content = {
      body: change.body ?? bodies.get(key),
      group,
      action,
      // the stock of a variant has no id of its own
      entity: group === 'stock' ? 'variant' : group,
      customer: subject.customerId,
      entityId: subject.id,
    }
    const event = {
      id: randomUUID(),
      customer_id: subject.customerId,
      topic_group: group,
      topic_action: action,
      entity_id: subject.id,
      content: JSON.stringify(content),
      created_at: unit.now,
    }
    await insertEvent(connection, event, webhookIds)
  }
  return wanted.length > 0
}

function wants(subscription: Subscription, { group, action, subject }: Change): boolean {
  return (
    subscription.customer_id === subject.customerId &&
    subscription.topic_group === group &&
    subscription.topic_action === action
  )
}
