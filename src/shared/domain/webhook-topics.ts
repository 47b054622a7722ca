/** Events for which a webhook can be registered: the actions of each group (API.md 13.2). */
export const webhookTopics = {
  article: ['created', 'updated', 'deleted'],
  batch: ['updated'],
  inbound: ['created', 'updated', 'completed'],
  modification: ['created', 'updated', 'approved', 'disapproved'],
  order: ['created', 'updated', 'planned', 'processing', 'shipped'],
  shipment: ['created', 'updated'],
  stock: ['updated'],
  variant: ['created', 'updated', 'deleted'],
} as const satisfies Record<string, readonly string[]>

export type WebhookGroup = keyof typeof webhookTopics
/** The actions for which a group has events, for example `created` and `updated` for the group `shipment`. */
export type WebhookAction<Group extends WebhookGroup> = (typeof webhookTopics)[Group][number]
export const webhookGroups: readonly WebhookGroup[] = [
  'article',
  'batch',
  'inbound',
  'modification',
  'order',
  'shipment',
  'stock',
  'variant',
]

/** Whether there is an event with this group and this action, for example `stock/updated`. */
export function isWebhookTopic(group: WebhookGroup, action: string): boolean {
  return (webhookTopics[group] as readonly string[]).includes(action)
}

/** Returns the name of an event in a webhook: `('stock', 'updated')` -> `stock/updated`. */
export function webhookTopic(group: WebhookGroup, action: string): string {
  return `${group}/${action}`
}
