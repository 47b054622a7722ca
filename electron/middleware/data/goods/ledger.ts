import { type RawBuilder, sql } from 'kysely'
import {
  openOrderStatuses,
  type OrderStatus,
  reservingOrderStatuses,
} from '#shared/domain/resource-states.ts'
import { type Connection, insertedAfter, presentSnapshot } from '../engine/database.ts'
import type { BatchTable, StockEntryKind } from '../schema/goods.ts'

/**
 * The stock ledger. Every change of the pieces of a lot, or of the reservation of an order, writes an entry and updates
 * the totals (`batches.quantity`, `reservations`). Apart from the initial data (data/seeds/), no other code writes
 * entries or totals.
 */

/** The cause and the time of ledger entries. */
interface Posting {
  readonly kind: StockEntryKind
  readonly causeId: string | null
  readonly now: string
}

/**
 * Adds pieces to a lot; a negative number takes pieces away. If the lot has too few pieces, returns false and changes
 * nothing.
 */
export async function postPieces(
  connection: Connection,
  lot: Pick<BatchTable, 'id' | 'variant_id'>,
  pieces: number,
  posting: Posting,
): Promise<boolean> {
  const result = await connection
    .updateTable('batches')
    .set({ quantity: sql<number>`quantity + ${pieces}` })
    .where('id', '=', lot.id)
    .where(sql<boolean>`quantity + ${pieces} >= 0`)
    .executeTakeFirst()
  if (result.numUpdatedRows !== 1n) return false
  await insertEntry(
    connection,
    { variant_id: lot.variant_id, batch_id: lot.id, order_id: null },
    pieces,
    posting,
  )
  return true
}

/** Creates a lot with its first entry. */
export async function openLot(connection: Connection, lot: BatchTable, posting: Posting): Promise<void> {
  await connection.insertInto('batches').values(lot).execute()
  const account = { variant_id: lot.variant_id, batch_id: lot.id, order_id: null }
  await insertEntry(connection, account, lot.quantity, posting)
}

/** A moment of the ledger, which separates the entries that were committed before it from the later ones. */
export interface LedgerMoment {
  /** Id of the newest entry, or 0. */
  readonly newest: number
  /**
   * PostgreSQL's snapshot at this moment. It is needed because a transaction that commits after the moment may add
   * entries whose ids are lower than `newest`. Null: exactly the entries with a higher id than `newest` are later than
   * the moment.
   */
  readonly snapshot: string | null
}

/**
 * Returns the present moment of the ledger. The query waits for no other transaction, and no transaction waits for the
 * query.
 */
export async function presentMoment(connection: Connection): Promise<LedgerMoment> {
  const snapshot = await presentSnapshot(connection)
  const newest = await connection
    .selectFrom('stock_entries')
    .select('id')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  return { newest: newest?.id ?? 0, snapshot }
}

/**
 * An entry that is committed after the moment can have an id below `newest`, but only by less than this number. The
 * number is larger than the number of entries that all transactions write while one transaction is open.
 */
const mostOutOfOrder = 100_000

/**
 * Returns the condition that an entry is later than a moment. The pieces of a lot at the moment are its present pieces
 * without those of its later entries.
 */
export function isLaterEntry({ newest, snapshot }: LedgerMoment): RawBuilder<boolean> {
  if (snapshot === null) return sql<boolean>`stock_entries.id > ${newest}`
  return sql<boolean>`stock_entries.id > ${newest - mostOutOfOrder}
    and ${insertedAfter('stock_entries', snapshot)}`
}

const reserving: readonly OrderStatus[] = reservingOrderStatuses

/**
 * Sets the reservation of an order according to its status and lines. In a status that reserves stock, the order
 * reserves all pieces that were not shipped. In any other open status it reserves 0 pieces. In a final status the rows
 * of the order are deleted, so that a variant has rows only for open orders. Returns the variants whose number of
 * reserved pieces changed. Call this after every change of an order's status or lines.
 */
export async function settleReservation(
  connection: Connection,
  orderId: string,
  posting: Posting,
): Promise<Set<string>> {
  const wanted = await outstandingOf(connection, orderId)
  const rows = await connection
    .selectFrom('reservations')
    .select(['variant_id', 'pieces'])
    .where('order_id', '=', orderId)
    .execute()
  const before = new Map(rows.map((row) => [row.variant_id, row.pieces]))
  const changed = new Set<string>()
  for (const variantId of new Set([...before.keys(), ...wanted.keys()])) {
    const pieces = wanted.get(variantId) ?? null
    const known = before.get(variantId) ?? null
    if (pieces === known) continue
    await setReservation(connection, orderId, variantId, pieces)
    const difference = (pieces ?? 0) - (known ?? 0)
    if (difference === 0) continue
    changed.add(variantId)
    const account = { variant_id: variantId, batch_id: null, order_id: orderId }
    await insertEntry(connection, account, difference, posting)
  }
  return changed
}

/** Returns the number of pieces that an open order reserves of each variant. A final order reserves nothing. */
async function outstandingOf(connection: Connection, orderId: string): Promise<Map<string, number>> {
  const rows = await connection
    .selectFrom('order_lines')
    .innerJoin('orders', 'orders.id', 'order_lines.order_id')
    .select([
      'variant_id',
      'orders.status',
      sql<number>`SUM(order_lines.quantity - order_lines.processed)`.as('pieces'),
    ])
    .where('order_id', '=', orderId)
    .where('orders.status', 'in', openOrderStatuses)
    .groupBy(['variant_id', 'orders.status'])
    .execute()
  return new Map(rows.map((row) => [row.variant_id, reserving.includes(row.status) ? row.pieces : 0]))
}

/** Stores the number of pieces of a variant that an order reserves. Null: deletes the row. */
async function setReservation(
  connection: Connection,
  orderId: string,
  variantId: string,
  pieces: number | null,
): Promise<void> {
  if (pieces === null)
    await connection
      .deleteFrom('reservations')
      .where('order_id', '=', orderId)
      .where('variant_id', '=', variantId)
      .execute()
  else
    await connection
      .insertInto('reservations')
      .values({ order_id: orderId, variant_id: variantId, pieces })
      .onConflict((conflict) => conflict.columns(['order_id', 'variant_id']).doUpdateSet({ pieces }))
      .execute()
}

async function insertEntry(
  connection: Connection,
  account: { variant_id: string; batch_id: string | null; order_id: string | null },
  pieces: number,
  { kind, causeId, now }: Posting,
): Promise<void> {
  await connection
    .insertInto('stock_entries')
    .values({ ...account, pieces, kind, cause_id: causeId, created_at: now })
    .execute()
}
