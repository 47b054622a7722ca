import type { Clock } from '#kit/clock.ts'
import type { Connection } from '../../data/engine/database.ts'
import type { WarehousePort } from '../../services/warehouse/port.ts'

/** What the rules of the simulated warehouse look at, and the one thing they act by. */
export interface Floor {
  /** Also a transaction, when all is to be done in one. */
  readonly database: Connection
  readonly clock: Clock
  readonly port: WarehousePort
}

/** The UTC day so many days from today: YYYY-MM-DD. */
export function dayAfter(clock: Clock, days: number): string {
  return new Date(clock.now() + days * 86_400_000).toISOString().slice(0, 10)
}
