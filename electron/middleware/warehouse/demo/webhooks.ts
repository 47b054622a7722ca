import { webhookGroups, webhookTopics } from '#shared/domain/webhook-topics.ts'
import type { WorldCustomer, WorldWebhook } from '../world.ts'
import { workingMoment } from './dates.ts'
import type { Random } from './random.ts'

/** Names that no resolver answers for (RFC 2606), so that nobody is told of a demo's events. */
const listeners = ['erp', 'shop', 'boekhouding', 'marktplaats']
const historyDays = 200

/** Each of a customer's systems listens to every event that there is. */
export function makeWebhooks(random: Random, now: Date, customers: readonly WorldCustomer[]): WorldWebhook[] {
  return customers.flatMap((customer) =>
    listeners.flatMap((listener) =>
      webhookGroups.flatMap((group) =>
        webhookTopics[group].map((action) => ({
          id: random.uuid(),
          customerId: customer.id,
          url: `https://${listener}.${customer.code.toLowerCase()}.example/hooks/${group}`,
          group,
          action,
          hashSecret: random.digits(24),
          createdAt: workingMoment(now, 1 + random.next() * historyDays, random.int(0, 540)),
        })),
      ),
    ),
  )
}
