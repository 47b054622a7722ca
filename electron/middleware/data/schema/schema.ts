import { accessTables } from './access.ts'
import { exportTables } from './exports.ts'
import { goodsTables } from './goods.ts'
import { moveTables } from './moves.ts'
import { orderTables } from './orders.ts'
import type { RowsOf } from './table.ts'
import { warehouseTables } from './warehouse.ts'
import { webhookTables } from './webhooks.ts'

/** All tables by their names. A change needs the next `schemaVersion`. */
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

/** The version of the tables, which each database stores. A database of another version is refused. */
export const schemaVersion = 5
