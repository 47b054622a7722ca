import { accessTables } from './access.ts'
import { exportTables } from './exports.ts'
import { goodsTables } from './goods.ts'
import { moveTables } from './moves.ts'
import { orderTables } from './orders.ts'
import type { RowsOf } from './table.ts'
import { warehouseTables } from './warehouse.ts'
import { webhookTables } from './webhooks.ts'

/** All tables by their names. If a table is changed, `schemaVersion` must be increased. */
export const tables = {
  ...accessTables,
  ...goodsTables,
  ...moveTables,
  ...orderTables,
  ...warehouseTables,
  ...exportTables,
  ...webhookTables,
}

/** The rows of all tables, for kysely. */
export type Schema = RowsOf<typeof tables>

/**
 * The version of the tables. Each database stores the version with which it was created. A database of another version
 * is refused.
 */
export const schemaVersion = 8
