import type { WarehouseWorkKind } from '#shared/domain/resource-states.ts'
import { instant, json, type RowOf, sequence, table, text } from './table.ts'

/** Changes that clients made and that the warehouse has to read, in the order of `sequence`. */
const warehouse_work = table({
  sequence: sequence(),
  kind: text<WarehouseWorkKind>(),
  customer_id: text().references('customers'),
  entity_id: text(),
  created_at: instant(),
})
export type WarehouseWorkTable = RowOf<typeof warehouse_work>

/** The first response to each idempotency key of a warehouse user. */
const warehouse_calls = table(
  {
    user_id: text().belongsTo('users'),
    key: text(),
    /** SHA-256 of method, path and body. A call with the same key but a different hash is refused. */
    fingerprint: text(),
    created_at: instant(),
    /** The response as JSON. */
    answer: json(),
  },
  { primaryKey: ['user_id', 'key'], indexes: { by_created_at: ['created_at'] } },
)
export type WarehouseCallTable = RowOf<typeof warehouse_calls>

/** The tables of the work that waits for the warehouse, and of the calls of the warehouse. */
export const warehouseTables = { warehouse_work, warehouse_calls }
