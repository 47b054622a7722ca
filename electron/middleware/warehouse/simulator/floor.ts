import type { Clock } from '#kit/clock.ts'
import type { Connection } from '../../data/engine/database.ts'
import type { WarehousePort } from '../../services/warehouse/port.ts'

/** The data that the rules of the simulated warehouse read, and the port that carries out their actions. */
export interface Floor {
  /** May be a transaction, when all actions belong to one. */
  readonly database: Connection
  readonly clock: Clock
  readonly port: WarehousePort
}

/** Returns the UTC day a number of days after today: YYYY-MM-DD. */
export function dayAfter(clock: Clock, days: number): string {
  return new Date(clock.now() + days * 86_400_000).toISOString().slice(0, 10)
}
