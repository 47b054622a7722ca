import type { Generated, GeneratedAlways, Selectable } from 'kysely'
import type { ExportStatus, ExportFamily } from '#shared/domain/exports.ts'
import type { WebhookGroup } from '#shared/domain/webhook-topics.ts'
import type { Flag } from './goods.ts'

/** The tables of users and logins, and of exports and webhooks. */
export interface ClientTables {
  meta: MetaTable
  counters: CounterTable
  customers: CustomerTable
  users: UserTable
  user_customers: UserCustomerTable
  logins: LoginTable
  refresh_tokens: RefreshTokenTable
  redactions: RedactionTable
  exports: ExportTable
  export_parts: ExportPartTable
  webhooks: WebhookTable
  events: EventTable
  event_portions: EventPortionTable
  event_storage: EventStorageTable
  deliveries: DeliveryTable
  delivery_attempts: DeliveryAttemptTable
}

export interface CustomerTable {
  id: string
  code: string
  name: string
  return_shipping_method_id: string | null
  return_address: string
  created_at: string
  modified_at: string
}

export interface UserTable {
  id: string
  username: string
  password_hash: string
  user_type: 'api' | 'employee' | 'warehouse'
  /** JSON array of role names without the wire prefix. */
  roles: string
  /** Access to customer-to-customer transfers is granted to single users, in addition to the roles. */
  transfers_granted: Flag
}

export interface UserCustomerTable {
  user_id: string
  customer_id: string
}

interface LoginTable {
  /** SHA-256 in hex of the login id that the tokens contain. */
  hash: string
  user_id: string
  expires_at: string
}

interface RefreshTokenTable {
  /** SHA-256 in hex, so that a copy of the database contains no usable token. */
  hash: string
  user_id: string
  expires_at: string
  login: string
  used_at: string | null
}

interface MetaTable {
  key: string
  value: string
}

interface CounterTable {
  name: string
  value: number
}

/** A person of the customer whose data is still to be overwritten. */
export interface RedactionTable {
  id: string
  customer_id: string
  email: string
  created_at: string
}

export interface ExportTable {
  id: string
  customer_id: string
  family: ExportFamily
  type: string
  /** JSON, as the client sent it. */
  filters: string
  fields: string
  status: ExportStatus
  created_at: string
  modified_at: string
  /** Size of the file in UTF-8. Triggers update it. */
  bytes: Generated<number>
  /** The reason of the failure. Null: no failure, or an unexpected one. */
  failure: Generated<ExportFailure | null>
}

/** A row of an export as the database returns it. */
export type ExportRow = Selectable<ExportTable>

/** `too_large`: the file would exceed the maximum size. */
export type ExportFailure = 'too_large'

interface ExportPartTable {
  export_id: string
  position: number
  content: string
}

export interface WebhookTable {
  id: string
  customer_id: string
  url: string
  topic_group: WebhookGroup
  topic_action: string
  /** In plain text, because notifications are signed with it. */
  hash_secret: string
  created_at: string
  modified_at: string
  /** When deliveries were last marked to be sent again. Null: never. */
  replayed_at: string | null
  /** When the webhook was deleted. Its deliveries are deleted afterwards, and the row last. Null: not deleted. */
  deleted_at: string | null
}

/** A change of a resource, with the state at the commit of the change. Only webhooks use it. */
export interface EventTable {
  /** The receiver finds it in the header `X-Webhook-Id`. */
  id: string
  customer_id: string
  topic_group: WebhookGroup
  topic_action: string
  entity_id: string
  /** The notification's body: JSON text that is signed and sent without a change. */
  content: string
  created_at: string
  /** Number of webhooks that it is sent to. */
  deliveries: number
  /** Size in the database, including an estimate for its deliveries. */
  bytes: GeneratedAlways<number>
}

/** Changes of one topic whose events are still to be written. */
export interface EventPortionTable {
  /** Portions are written in this order. */
  id: Generated<number>
  customer_id: string
  topic_group: WebhookGroup
  topic_action: string
  /** JSON: the webhooks to notify, at the time of the commit of the changes. */
  webhook_ids: string
  /** JSON of `PortionedChange`s. */
  changes: string
  /** When the changes happened. */
  created_at: string
}

/** A change in a portion. `content` null: the resource is read when the event is written. */
export interface PortionedChange {
  readonly entityId: string
  readonly content: string | null
}

/** Size of the events of a customer in the database. Triggers update it. */
interface EventStorageTable {
  customer_id: string
  bytes: number
}

/** One event for one webhook. Deliveries are sent in the order of `id`. */
export interface DeliveryTable {
  id: Generated<number>
  webhook_id: string
  event_id: string
  /** The event's resource. The events of one resource are sent one after the other. */
  entity_id: string
  /** `given_up`: all attempts failed. */
  state: 'pending' | 'delivered' | 'given_up'
  attempts: number
  /** Time of the next retry. Null: the delivery was not tried yet, or it is not pending. */
  next_at: string | null
  /** When the event happened. */
  created_at: string
}

export interface DeliveryAttemptTable {
  id: Generated<number>
  delivery_id: number
  started_at: string
  duration_ms: number
  /** HTTP status. Null: no response arrived. */
  status: number | null
  /** Why no response arrived. Null: a response arrived. */
  failure: string | null
}
