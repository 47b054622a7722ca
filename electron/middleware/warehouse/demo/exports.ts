import { type ExportFamily, exportTypes } from '#shared/domain/export-types.ts'
import type { WorldCustomer, WorldExport } from '../world.ts'
import { workingMoment } from './dates.ts'
import type { Random } from './random.ts'

const families: readonly ExportFamily[] = ['standard', 'billing', 'financial']
/** The newest of each customer, which its first start writes. */
const fresh = 3
const perType = 2
const historyDays = 80

/** Every type for each customer, some of them long gone, one that failed, and a few that are to be written. */
export function makeExports(random: Random, now: Date, customers: readonly WorldCustomer[]): WorldExport[] {
  return customers.flatMap((customer) => {
    const asked = families.flatMap((family) =>
      exportTypes[family].flatMap((type) => Array.from({ length: perType }, () => ({ family, type }))),
    )
    return random.shuffled(asked).map(({ family, type }, index): WorldExport => {
      const status = index < fresh ? 'created' : index === fresh ? 'failed' : 'expired'
      // a file is kept for a month
      const daysAgo = index <= fresh ? index / 10 : 31 + random.next() * historyDays
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
