import { expect } from 'vitest'
import { listStock } from '#middleware/services/goods/stock.ts'
import type { WarehouseBench } from './warehouse-bench.ts'
import type { WarehouseModel } from './warehouse-model.ts'

/** Queries that find records that contradict each other. All queries are valid in both engines. */
export const contradictions: readonly string[] = [
  // The pieces of each lot are the sum of its ledger entries, and never negative.
  `select id from batches where quantity < 0 or quantity <>
    (select coalesce(sum(pieces), 0) from stock_entries where batch_id = batches.id)`,
  // Each reservation of an order is the sum of the ledger entries of this reservation.
  'select order_id, variant_id, pieces from reservations where pieces < 0',
  `select order_id, variant_id, sum(pieces) from stock_entries where order_id is not null group by 1, 2
    having sum(pieces) <> 0 except select order_id, variant_id, pieces from reservations`,
  `select order_id, variant_id, pieces from reservations where pieces > 0 except
    select order_id, variant_id, sum(pieces) from stock_entries where order_id is not null group by 1, 2`,
  // Exactly the variants of open orders have a reservation.
  `select order_id, variant_id from reservations except select order_id, variant_id from order_lines
    join orders on orders.id = order_id where status not in ('shipped', 'cancelled')`,
  `select order_id, variant_id from order_lines join orders on orders.id = order_id
    where status not in ('shipped', 'cancelled') except select order_id, variant_id from reservations`,
  // The processed pieces of each order line are between 0 and its quantity.
  `select orders.id from orders join order_lines on order_id = orders.id
    where processed < 0 or processed > quantity`,
  // Only ordered goods were shipped, and the order lines count all shipped pieces as processed.
  `select shipments.order_id, variant_id, sum(shipment_lines.quantity) from shipments
    join shipment_lines on shipment_id = shipments.id where order_id is not null group by 1, 2 except
    select order_id, variant_id, sum(processed) from order_lines group by 1, 2`,
  // Only a completely shipped order has the status shipped.
  `select id from orders where status = 'shipped' and exists
    (select 1 from order_lines where order_id = orders.id and processed < quantity)`,
]

/** Checks in SQLite that no row refers to a missing row. */
const foreignKeyCheck = 'pragma foreign_key_check'

/**
 * Checks that the stock, the reservations and the ledger in the database of `bench` agree with each other, and that the
 * stock agrees with the numbers that `model` computes without a database.
 */
export async function auditBooks(bench: WarehouseBench, model: WarehouseModel): Promise<void> {
  for (const query of [...contradictions, foreignKeyCheck])
    expect([query, await bench.rows(query)]).toEqual([query, []])
  const filters = { articleCode: null, ean: null, sku: null, search: null, changedFrom: null }
  for (const customer of [bench.alder, bench.birch]) {
    const call = { filters, query: { limit: 1000 } }
    const found = new Map(
      (await listStock(bench.context, customer, call)).map(({ variant, ...figures }) => [
        variant.id,
        figures,
      ]),
    )
    for (const { id } of model.living(customer.id)) expect(found.get(id)).toEqual(model.figures(id))
    expect([...found.keys()].filter((id) => model.variants.get(id)?.isDeleted)).toEqual([])
  }
}

/**
 * Compares the records that one call named with the model: the status and the reservations of an order, and the pieces
 * of variants at each location.
 */
export async function auditTouched(
  bench: WarehouseBench,
  model: WarehouseModel,
  touched: { orderId: string | null; variantIds: readonly string[] },
): Promise<void> {
  const order = model.orders.get(touched.orderId ?? '')
  if (order !== undefined) {
    const spoken = await bench.rows(
      `select variant_id, pieces from reservations where order_id = '${order.id}' and pieces > 0 order by 1`,
    )
    const expected = [...model.reserved(order)].toSorted(([one], [other]) => (one < other ? -1 : 1))
    expect(spoken.map(({ variant_id, pieces }) => [variant_id, pieces])).toEqual(expected)
    expect(await bench.rows(`select status from orders where id = '${order.id}'`)).toEqual([
      { status: order.status },
    ])
  }
  for (const variantId of touched.variantIds) {
    const lying = await piecesLying(bench, variantId)
    for (const { id } of model.places.values()) expect(lying.get(id) ?? 0).toBe(model.at(variantId, id))
  }
}

/**
 * Returns the number of pieces of a variant at each location, by the id of the location. A location without a lot of
 * the variant is missing.
 */
export async function piecesLying(bench: WarehouseBench, variantId: string): Promise<Map<string, number>> {
  const found = await bench.rows(
    `select location_id, sum(quantity) as pieces from batches where variant_id = '${variantId}' group by 1`,
  )
  return new Map(found.map(({ location_id, pieces }) => [String(location_id), Number(pieces)]))
}
