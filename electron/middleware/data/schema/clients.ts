import type { Generated, GeneratedAlways, Selectable } from 'kysely'
import type { ExportStatus, ExportFamily } from '#shared/domain/exports.ts'
import type { WebhookGroup } from '#shared/domain/webhook-topics.ts'
import type { Flag } from './goods.ts'

/** Who may call, and what clients ask for: exports and webhooks. */
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
  /** Access to customer-to-customer transfers is granted user by user, beside the roles. */
  transfers_granted: Flag
}

export interface UserCustomerTable {
  user_id: string
  customer_id: string
}

interface LoginTable {
  /** SHA-256 in hex of the id that the tokens carry. */
  hash: string
  user_id: string
  expires_at: string
}

interface RefreshTokenTable {
  /** SHA-256 in hex: a copied database yields no usable token. */
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

/** A person of the customer whose traces are still to be overwritten. */
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
  /** JSON, as sent. */
  filters: string
  fields: string
  status: ExportStatus
  created_at: string
  modified_at: string
  /** Of its file, in UTF-8; kept by triggers. */
  bytes: Generated<number>
  /** Why it failed; null: it did not, or unexpectedly. */
  failure: Generated<ExportFailure | null>
}

/** A row as it is read. */
export type ExportRow = Selectable<ExportTable>

/** `too_large`: its file would be larger than one may be. */
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
  /** In the clear: notifications are signed with it. */
  hash_secret: string
  created_at: string
  modified_at: string
  /** When deliveries were last sent anew; null: never. */
  replayed_at: string | null
  /** When it was deleted; its deliveries go after that, and it last. Null: it was not. */
  deleted_at: string | null
}

/** Something that happened to a resource, as it was when the change was committed; kept for webhooks alone. */
export interface EventTable {
  /** What the receiver sees as `X-Webhook-Id`. */
  id: string
  customer_id: string
  topic_group: WebhookGroup
  topic_action: string
  entity_id: string
  /** The notification's body: JSON text, signed and sent byte for byte. */
  content: string
  created_at: string
  /** How many webhooks it is sent to. */
  deliveries: number
  /** What it takes in the database, with an estimate for what is kept of its deliveries. */
  bytes: GeneratedAlways<number>
}

/** Changes of one topic whose events are still to be written. */
export interface EventPortionTable {
  /** They are written in this order. */
  id: Generated<number>
  customer_id: string
  topic_group: WebhookGroup
  topic_action: string
  /** JSON: who is to be told, as it was when the changes were committed. */
  webhook_ids: string
  /** JSON of `PortionedChange`s. */
  changes: string
  /** When the changes happened. */
  created_at: string
}

/** A change in a portion; `content` null: its resource is read when the event is written. */
export interface PortionedChange {
  readonly entityId: string
  readonly content: string | null
}

/** What the events of a customer take in the database; kept by triggers. */
interface EventStorageTable {
  customer_id: string
  bytes: number
}

/** One event for one webhook; sent in the order of `id`. */
export interface DeliveryTable {
  id: Generated<number>
  webhook_id: string
  event_id: string
  /** The event's: those of one resource go out one after the other. */
  entity_id: string
  /** `given_up`: nobody took it, however often it was tried. */
  state: 'pending' | 'delivered' | 'given_up'
  attempts: number
  /** When it is sent again; null: it was not tried yet, or it is not pending. */
  next_at: string | null
  /** The event's. */
  created_at: string
}

export interface DeliveryAttemptTable {
  id: Generated<number>
  delivery_id: number
  started_at: string
  duration_ms: number
  /** HTTP status; null: none arrived. */
  status: number | null
  /** Why none arrived; null: one did. */
  failure: string | null
}
