import type { World } from '../../warehouse/world.ts'
import type { Connection } from '../engine/database.ts'
import { portions } from '../engine/portions.ts'
import { storedTime } from './seed-rows.ts'

/** What clients asked for: exports and webhooks; after customers. */
export async function seedClients(connection: Connection, { exports, webhooks }: World): Promise<void> {
  const asked = exports.map(({ id, customerId, family, type, status, createdAt }) => ({
    id,
    customer_id: customerId,
    family,
    type,
    filters: JSON.stringify({ search: null, from: null, to: null }),
    fields: JSON.stringify([]),
    status,
    created_at: storedTime(createdAt),
    modified_at: storedTime(createdAt),
  }))
  for (const portion of portions(asked)) await connection.insertInto('exports').values(portion).execute()
  const listening = webhooks.map(({ id, customerId, url, group, action, hashSecret, createdAt }) => ({
    id,
    customer_id: customerId,
    url,
    topic_group: group,
    topic_action: action,
    hash_secret: hashSecret,
    created_at: storedTime(createdAt),
    modified_at: storedTime(createdAt),
  }))
  for (const portion of portions(listening)) await connection.insertInto('webhooks').values(portion).execute()
}
