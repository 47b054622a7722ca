import type { Clock } from '#kit/clock.ts'
import type { Connection } from '../../data/engine/database.ts'
import type { WarehousePort } from '../../services/warehouse/port.ts'

/** The data that the rules of the simulated warehouse read, and the port through which they act. */
export interface Floor {
  /** Also a transaction, when all is to be done in one. */
  readonly database: Connection
  readonly clock: Clock
  readonly port: WarehousePort
}

/** The UTC day this number of days after today: YYYY-MM-DD. */
export function dayAfter(clock: Clock, days: number): string {
  return new Date(clock.now() + days * 86_400_000).toISOString().slice(0, 10)
}
