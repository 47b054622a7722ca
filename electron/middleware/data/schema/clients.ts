import type { ExportStatus } from '#shared/domain/export-state.ts'
import type { ExportFamily } from '#shared/domain/export-types.ts'
import type { WebhookGroup } from '#shared/domain/webhook-topics.ts'

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
}

export interface ExportPartTable {
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
}
