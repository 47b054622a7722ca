import { type ExportFamily, exportTypes } from '#shared/domain/exports.ts'
import { webhookGroups, webhookTopics } from '#shared/domain/webhook-topics.ts'
import type { WorldCustomer, WorldExport, WorldWebhook } from '../world.ts'
import { workingMoment } from './dates.ts'
import type { Random } from './random.ts'

const families: readonly ExportFamily[] = ['standard', 'billing', 'financial']
/** Number of the newest exports of each customer that are not written yet. The first start writes them. */
const newest = 3
const perType = 2
const exportDays = 80

/**
 * Creates exports of every type for each customer. Most have expired, one has failed, and the newest are not written
 * yet.
 */
export function makeExports(random: Random, now: Date, customers: readonly WorldCustomer[]): WorldExport[] {
  return customers.flatMap((customer) => {
    const asked = families.flatMap((family) =>
      exportTypes[family].flatMap((type) => Array.from({ length: perType }, () => ({ family, type }))),
    )
    return random.shuffled(asked).map(({ family, type }, index): WorldExport => {
      const status = index < newest ? 'created' : index === newest ? 'failed' : 'expired'
      // a file expires after a month
      const daysAgo = index <= newest ? index / 10 : 31 + random.next() * exportDays
      return {
        id: random.uuid(),
        customerId: customer.id,
        family,
        type,
        status,
        createdAt: workingMoment(now, 1 + daysAgo, random.int(0, 540)),
      }
    })
  })
}

const webhookDays = 200

/**
 * Creates webhooks, so that one system of each customer is notified of every event. Its host name cannot be registered
 * (RFC 2606), so no notification of a demo leaves this machine.
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
        createdAt: workingMoment(now, 1 + random.next() * webhookDays, random.int(0, 540)),
      })),
    ),
  )
}
