import { webhookGroups, webhookTopics } from '#shared/domain/webhook-topics.ts'
import type { WorldCustomer, WorldWebhook } from '../world.ts'
import { workingMoment } from './dates.ts'
import type { Random } from './random.ts'

const historyDays = 200

/**
 * One system of each customer listens to every event that there is. Its host has a name that nobody can register (RFC 2606),
 * so that no notification of a demo leaves this machine.
 */
export function makeWebhooks(random: Random, now: Date, customers: readonly WorldCustomer[]): WorldWebhook[] {
  return customers.flatMap((customer) =>
    webhookGroups.flatMap((group) =>
      webhookTopics[group].map((action) => ({
        id: random.uuid(),
        customerId: customer.id,
        url: `https://erp.${customer.code.toLowerCase()}.example/hooks/${group}`,
        group,
        action,
        hashSecret: random.digits(24),
        createdAt: workingMoment(now, 1 + random.next() * historyDays, random.int(0, 540)),
      })),
    ),
  )
}
