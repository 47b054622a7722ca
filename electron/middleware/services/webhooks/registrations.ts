import { randomUUID } from 'node:crypto'
import { isInternetHost } from '#shared/domain/public-address.ts'
import { isWebhookTopic, type WebhookGroup } from '#shared/domain/webhook-topics.ts'
import type { WebhookTable } from '../../data/schema/clients.ts'
import { deleteSomeDeliveries } from '../../data/deliveries.ts'
import {
  countWebhooks,
  deleteWebhook,
  findWebhook,
  insertWebhook,
  listWebhooks as listRows,
  markWebhookDeleted,
  nextDeletedWebhook,
  updateWebhook,
} from '../../data/events.ts'
import { type Customer, type ServiceContext, storedNow } from '../context.ts'
import { type Listing, type ListQuery, toPage } from '../paging.ts'
import { invalidField, Refusal } from '../refusal.ts'

/** In characters, as the wire takes it (shared/wire/webhook.ts); encoding makes one of several. */
const longestAddress = 2000

/** Of one customer: each costs a row for each event of its topic, and a connection. */
const mostWebhooks = 50

const listing: Listing<'createdAt'> = {
  columns: { createdAt: 'created_at' },
  sort: 'createdAt',
  direction: 'desc',
}

export interface WebhookChange {
  readonly url: string | null
  readonly group: WebhookGroup | null
  readonly action: string | null
}

interface NewWebhook {
  readonly url: string
  readonly group: WebhookGroup
  readonly action: string
  readonly hashSecret: string
}

/** One page and how many there are in all. */
export async function listWebhooks(
  context: ServiceContext,
  customer: Customer,
  query: ListQuery<'createdAt'>,
): Promise<{ count: number; page: number; limit: number; rows: WebhookTable[] }> {
  const page = toPage(query, listing)
  return {
    count: await countWebhooks(context.database, customer.id, page),
    page: Math.max(query.page ?? 1, 1),
    limit: page.limit,
    rows: await listRows(context.database, customer.id, page),
  }
}

export async function getWebhook(
  context: ServiceContext,
  customer: Customer,
  id: string,
): Promise<WebhookTable> {
  const row = await findWebhook(context.database, customer.id, id)
  if (row === null) throw new Refusal('not_found', 'Webhook not found.')
  return row
}

/**
 * Refused with 400 under `url`: an address that is not public, and one that holds a login or a backslash. Refused with 409
 * where the customer has as many as it may.
 */
export async function createWebhook(
  context: ServiceContext,
  customer: Customer,
  wanted: NewWebhook,
): Promise<WebhookTable> {
  const url = addressToCall(context, wanted.url)
  const now = storedNow(context)
  const row: WebhookTable = {
    id: randomUUID(),
    customer_id: customer.id,
    url,
    topic_group: wanted.group,
    topic_action: wanted.action,
    hash_secret: wanted.hashSecret,
    created_at: now,
    modified_at: now,
    replayed_at: null,
    deleted_at: null,
  }
  await context.database.transaction().execute(async (transaction) => {
    const count = await countWebhooks(transaction, customer.id, { from: null, to: null })
    if (count >= mostWebhooks)
      throw new Refusal('at_limit', `A customer has ${mostWebhooks} webhooks at most. Delete one first.`)
    await insertWebhook(transaction, row)
  })
  return row
}

/**
 * Refused with 400 under `action` where the group, old or new, has no such action, and under `url` like a new one. An
 * address that was registered before stays until it is changed.
 */
export async function changeWebhook(
  context: ServiceContext,
  customer: Customer,
  id: string,
  change: WebhookChange,
): Promise<WebhookTable> {
  const url = change.url === null ? null : addressToCall(context, change.url)
  return context.database.transaction().execute(async (transaction) => {
    const row = await findWebhook(transaction, customer.id, id)
    if (row === null) throw new Refusal('not_found', 'Webhook not found.')
    const group = change.group ?? row.topic_group
    const action = change.action ?? row.topic_action
    if (!isWebhookTopic(group, action)) throw invalidField('action', `The group ${group} has no such action.`)
    const isEmpty = Object.values(change).every((value) => value === null)
    const changed = {
      url: url ?? row.url,
      topic_group: group,
      topic_action: action,
      modified_at: isEmpty ? row.modified_at : storedNow(context),
    }
    await updateWebhook(transaction, id, changed)
    return { ...row, ...changed }
  })
}

export async function removeWebhook(context: ServiceContext, customer: Customer, id: string): Promise<void> {
  await getWebhook(context, customer, id)
  await markWebhookDeleted(context.database, id, storedNow(context))
  context.deliveries.removed(id)
  clearDeletedWebhooks(context)
}

/** Deliveries that go in one piece, in which nobody else is served; each has up to some thirty attempts. */
const deliveriesAtOnce = 250

/** Deletes what is left of deleted webhooks, in turns of their customers; what a stop leaves goes after the next start. */
export function clearDeletedWebhooks({ database, turns, afterwards }: ServiceContext): void {
  afterwards.startAlone('deleted webhooks', async () => {
    while (!afterwards.isEnding) {
      const webhook = await nextDeletedWebhook(database)
      if (webhook === null) return
      const { id, customer_id: customerId } = webhook
      await turns.runFor(customerId, () =>
        database.transaction().execute(async (connection) => {
          const deleted = await deleteSomeDeliveries(connection, id, deliveriesAtOnce)
          if (deleted < deliveriesAtOnce) await deleteWebhook(connection, id)
        }),
      )
    }
  })
}

/**
 * The address of a webhook as it is kept and called: in the one spelling that the URL Standard gives it, so that no other
 * reader finds another host in it than the one that is judged here. Notifications go to the public internet only: anybody
 * who may register a webhook could otherwise make the service call its own machine or its neighbours. No name is resolved
 * here. A sandbox that trusts an authority of its own may be tried out with listeners beside it.
 */
function addressToCall({ webhookCa }: ServiceContext, address: string): string {
  if (address.includes('\\')) throw invalidField('url', 'This value should hold no backslash.')
  const { href, hostname, username, password } = new URL(address)
  if (username !== '' || password !== '')
    throw invalidField('url', 'This value should hold no user name and no password.')
  if (webhookCa === null && !isInternetHost(hostname))
    throw invalidField('url', 'This value should be an address on the public internet.')
  if (href.length > longestAddress)
    throw invalidField(
      'url',
      `This value should have ${longestAddress} characters or less once it is encoded.`,
    )
  return href
}
