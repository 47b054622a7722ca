import { inTransaction } from '../../data/engine/database.ts'
import { randomUUID } from 'node:crypto'
import { isInternetHost } from '#shared/domain/public-address.ts'
import { isWebhookTopic, type WebhookGroup } from '#shared/domain/webhook-topics.ts'
import type { WebhookTable } from '../../data/schema/webhooks.ts'
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
} from '../../data/webhooks.ts'
import { type Customer, type ServiceContext, storedNow } from '../context.ts'
import { type Listing, type ListQuery, toPage } from '../paging.ts'
import { invalidField, Refusal } from '../refusal.ts'

/**
 * Maximum number of characters of the encoded address. The API has a limit for the sent address
 * (shared/wire/webhook.ts), but URL encoding turns one character into several.
 */
const longestAddress = 2000

/**
 * Maximum number of webhooks of one customer, because each webhook needs a connection and, for each event of its topic,
 * a row.
 */
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

/** Lists one page of webhooks with their total number. */
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
 * Registers a webhook. Refused with 400 under `url`: an address that is not public (unless a sandbox allows it), one
 * with a login or a backslash, and one that is too long in its encoded form. Refused with 409 if the customer has the
 * maximum number of webhooks.
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
  await inTransaction(context.database, async (transaction) => {
    const count = await countWebhooks(transaction, customer.id, { from: null, to: null })
    if (count >= mostWebhooks)
      throw new Refusal('at_limit', `A customer has ${mostWebhooks} webhooks at most. Delete one first.`)
    await insertWebhook(transaction, row)
  })
  return row
}

/**
 * Changes a webhook. Responds 400 with an error for the field `action` if the topic group (the new one or, if none is
 * sent, the existing one) does not have the action. Responds 400 with an error for the field `url` if a new webhook
 * could not have this address. If no `url` is sent, the existing address is not validated again. `admit`: called with
 * the groups of the webhook before and after the change; throws if the caller may not read the resources of a group.
 */
export async function changeWebhook(
  context: ServiceContext,
  customer: Customer,
  id: string,
  { change, admit }: { change: WebhookChange; admit: (group: WebhookGroup) => void },
): Promise<WebhookTable> {
  const url = change.url === null ? null : addressToCall(context, change.url)
  return inTransaction(context.database, async (transaction) => {
    const row = await findWebhook(transaction, customer.id, id)
    if (row === null) throw new Refusal('not_found', 'Webhook not found.')
    const group = change.group ?? row.topic_group
    admit(row.topic_group)
    admit(group)
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

/**
 * Number of deliveries that one step deletes, each with up to about thirty logged attempts. The number is small,
 * because with SQLite no other call runs during a step.
 */
const deliveriesAtOnce = 250

/**
 * Deletes the data of deleted webhooks, in separate turns: if the deletion waited behind a customer's calls, many
 * waiting calls would delay the deletions of all customers. If the server stops before the end, its next start
 * continues this work.
 */
export function clearDeletedWebhooks({ database, turns, afterwards }: ServiceContext): void {
  const name = 'deleted webhooks'
  afterwards.startAlone(name, async () => {
    while (!afterwards.isEnding) {
      const id = await nextDeletedWebhook(database)
      if (id === null) return
      await turns.runFor(name, () =>
        inTransaction(database, async (connection) => {
          const deleted = await deleteSomeDeliveries(connection, id, deliveriesAtOnce)
          if (deleted < deliveriesAtOnce) await deleteWebhook(connection, id)
        }),
      )
    }
  })
}

/**
 * Returns the address of a webhook in the canonical form of the URL Standard. The address is stored and called in this
 * form, so that another parser cannot find a different host in it. Notifications are sent to the public internet only,
 * because otherwise a user who may register a webhook could make the service call its own machine or its network. No
 * name is resolved here. If a sandbox trusts a certificate authority of its operator (`--webhook-ca`), private
 * addresses are allowed too.
 */
function addressToCall({ webhookCa }: ServiceContext, address: string): string {
  if (address.includes('\\')) throw invalidField('url', 'This value should contain no backslash.')
  const { href, hostname, username, password } = new URL(address)
  if (username !== '' || password !== '')
    throw invalidField('url', 'This value should contain no user name and no password.')
  if (webhookCa === null && !isInternetHost(hostname))
    throw invalidField('url', 'This value should be an address on the public internet.')
  if (href.length > longestAddress)
    throw invalidField(
      'url',
      `This value should have ${longestAddress} characters or less once it is encoded.`,
    )
  return href
}
