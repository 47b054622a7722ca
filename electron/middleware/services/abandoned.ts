import { withLease } from '../data/engine/coordination.ts'
import { inTransaction } from '../data/engine/database.ts'
import { customersWithBegunExports, releaseAbandonedExports } from '../data/exports/stored-exports.ts'
import { labelsBeingRequested, moveReturnLabel } from '../data/shipments/return-labels.ts'
import { type ServiceContext, storedNow } from './context.ts'
import { leaseOfExports } from './exports/runner.ts'
import { leaseOfRequest } from './shipments/request-return-label.ts'

/**
 * Resets return labels that are marked as being requested and exports that are marked as being written, if the process
 * that worked on them has crashed. An export that is interrupted a second time fails instead. Skips a record whose
 * lease a process has, because that process is working on the record.
 */
export async function releaseAbandoned(
  context: Pick<ServiceContext, 'database' | 'leases' | 'logger' | 'clock'>,
): Promise<void> {
  await releaseRequests(context)
  await releaseExports(context)
}

async function releaseRequests({
  database,
  leases,
  logger,
  clock,
}: Parameters<typeof releaseAbandoned>[0]): Promise<void> {
  let released = 0
  for (const id of await labelsBeingRequested(database))
    await withLease(await leases.take(leaseOfRequest(id)), async () => {
      if (await moveReturnLabel(database, id, 'requesting', 'unrequested', storedNow({ clock })))
        released += 1
    })
  if (released > 0)
    logger.warn({ released }, 'released return labels that an ended process left in the state requesting')
}

async function releaseExports({
  database,
  leases,
  logger,
  clock,
}: Parameters<typeof releaseAbandoned>[0]): Promise<void> {
  for (const customerId of await customersWithBegunExports(database))
    await withLease(await leases.take(leaseOfExports(customerId)), async () => {
      const abandoned = await inTransaction(database, (connection) =>
        releaseAbandonedExports(connection, customerId, storedNow({ clock })),
      )
      if (abandoned.released + abandoned.failed > 0)
        logger.warn(
          abandoned,
          'exports that an ended process was writing were released, or failed the second time',
        )
    })
}
