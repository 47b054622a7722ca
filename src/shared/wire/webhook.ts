import { z } from 'zod'
import { isWebhookTopic, type WebhookGroup, webhookGroups } from '../domain/webhook-topics.ts'
import { dateTime, id } from './primitives.ts'

const url = z.url({ protocol: /^https$/, error: 'This value should be an https URL.' }).max(2000)
const group = z.enum(webhookGroups)
const action = z.string().trim().min(1)

/** Webhook (api.md, Webhook); the secret is not among what is shown. */
export const webhook = z.object({
  id,
  url: z.string(),
  group: z.string(),
  action: z.string(),
  topic: z.string(),
  customer: id,
  created_at: dateTime,
  modified_at: dateTime,
})
export type Webhook = z.output<typeof webhook>

/** The answer to a create: the one time that the secret is said. */
export const createdWebhook = webhook.extend({ hash_secret: z.string() })
export type CreatedWebhook = z.output<typeof createdWebhook>

/** A list of webhooks is the one list that is wrapped (api.md, Webhooks); `next` and `previous` are URLs. */
export const webhookPage = z.object({
  count: z.number().int(),
  next: z.string().nullable(),
  previous: z.string().nullable(),
  results: z.array(webhook),
})

/** POST /webhooks/ (api.md, Webhooks). */
export const webhookCreate = z
  .object({ url, group, action, hash_secret: z.string().min(1).max(255) })
  .superRefine(knownAction)

/** PATCH and PUT /webhooks/:id/: only the fields to change; the secret stays. */
export const webhookPatch = z.object({ url, group, action }).partial().superRefine(knownAction)

/** A change that leaves one of the two out is judged again where the other is known. */
function knownAction(
  given: { group?: WebhookGroup | undefined; action?: string | undefined },
  context: z.RefinementCtx,
): void {
  if (given.group === undefined || given.action === undefined) return
  if (!isWebhookTopic(given.group, given.action))
    context.addIssue({
      code: 'custom',
      path: ['action'],
      message: `The group ${given.group} has no such action.`,
    })
}
