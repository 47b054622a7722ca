import { setImmediate as breathe } from 'node:timers/promises'
import type { Clock } from '#kit/clock.ts'
import type { OrderStatus } from '#shared/domain/resource-states.ts'
import type { Connection } from '../../data/engine/database.ts'
import { piecesPromised } from '../../data/warehouse-due.ts'
import type { WarehousePort } from '../../services/warehouse/port.ts'

/**
 * The data that the rules of the simulated warehouse read, and the interface through which they change the warehouse.
 */
export interface Floor {
  /** The database, or a transaction if all actions belong to that transaction. */
  readonly database: Connection
  readonly clock: Clock
  readonly port: WarehousePort
}

/**
 * Maximum number of variants whose reservations one query adds up. Calls run between two queries, because a thousand
 * open orders may reserve pieces of a thousand variants.
 */
const variantsAtOnce = 50

/** Returns the result of `piecesPromised` for any number of variants. */
export async function promisedPieces(
  { database }: Floor,
  variantIds: readonly string[],
  ...rest: [statuses: readonly OrderStatus[], exceptOrderId: string]
): Promise<Map<string, number>> {
  const promised = new Map<string, number>()
  for (let at = 0; at < variantIds.length; at += variantsAtOnce) {
    const ids = variantIds.slice(at, at + variantsAtOnce)
    for (const [id, pieces] of await piecesPromised(database, ids, ...rest)) promised.set(id, pieces)
    await breathe()
  }
  return promised
}

/** Returns a day after today, as YYYY-MM-DD in UTC. `days`: the number of days from today. */
export function dayAfter(clock: Clock, days: number): string {
  return new Date(clock.now() + days * 86_400_000).toISOString().slice(0, 10)
}
