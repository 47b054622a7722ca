import type { Clock } from '#kit/clock.ts'
import type { Connection } from '../../data/engine/database.ts'
import type { WarehousePort } from '../../services/warehouse/port.ts'

/** The data that the rules of the simulated warehouse read, and the port that carries out their actions. */
export interface Floor {
  /** The database, or a transaction if all actions belong to that transaction. */
  readonly database: Connection
  readonly clock: Clock
  readonly port: WarehousePort
}

/** Returns the day that is a number of days after today, as YYYY-MM-DD in UTC. */
export function dayAfter(clock: Clock, days: number): string {
  return new Date(clock.now() + days * 86_400_000).toISOString().slice(0, 10)
}
