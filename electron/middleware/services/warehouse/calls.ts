import type { WarehouseWorkKind } from '#shared/domain/resource-states.ts'
import { customersAfter, findCustomers } from '../../data/access/accounts.ts'
import { type AnyBatchFilter, batchesAfter, type PlacedBatch } from '../../data/goods/batches.ts'
import { locationsAfter } from '../../data/goods/locations.ts'
import type { LocationTable } from '../../data/schema/goods.ts'
import { deleteCallsBefore, findCall, insertCall, workAfter } from '../../data/warehouse-work.ts'
import type { StepReport } from '../../warehouse/simulator/simulator.ts'
import { type Customer, type ServiceContext, transact } from '../context.ts'
import { Refusal } from '../refusal.ts'
import type { Unit } from '../unit.ts'
import type { RunUnit } from './create-port.ts'
import type { WarehousePort } from './port.ts'

/** The warehouse of a server, as its routes see it. */
export interface Warehouse {
  /** The commands, each in a transaction of `run`. */
  readonly port: (run: RunUnit) => WarehousePort
  /** Moves what is due once; null: a warehouse outside does that. */
  readonly step: (() => Promise<StepReport>) | null
}

/** A call of a warehouse's user under a key. */
interface KeyedCall {
  readonly userId: string
  readonly key: string
  /** Equal for equal calls alone. */
  readonly fingerprint: string
}

/**
 * Runs a call once for its key: what it returned is kept in the transaction of its change, and is returned again without
 * a change. The key of another call is refused with `key_reused`. A call that is refused keeps nothing, so that it may
 * succeed later. What the call returns must outlive JSON.
 */
export function runOnce(context: ServiceContext, { userId, key, fingerprint }: KeyedCall): RunUnit {
  return <Result>(work: (unit: Unit) => Promise<Result>) =>
    transact(context, async (unit) => {
      const kept = await findCall(unit.connection, userId, key)
      if (kept !== null) {
        if (kept.fingerprint !== fingerprint)
          throw new Refusal('key_reused', 'This Idempotency-Key was used for another call.')
        return JSON.parse(kept.answer) as Result
      }
      const result = await work(unit)
      const answer = JSON.stringify(result ?? null)
      await insertCall(unit.connection, { user_id: userId, key, fingerprint, answer, created_at: unit.now })
      return result
    })
}

/** How long a key is kept, in milliseconds. */
const keptMs = 30 * 24 * 3600_000

/** A warehouse logs in or refreshes before any call that finds its token expired, so this is often enough. */
export async function forgetOldCalls({
  database,
  clock,
}: Pick<ServiceContext, 'database' | 'clock'>): Promise<void> {
  await deleteCallsBefore(database, new Date(clock.now() - keptMs).toISOString())
}

export interface WorkRecord {
  readonly cursor: number
  readonly kind: WarehouseWorkKind
  readonly id: string
  readonly customer: Customer
}

/** What clients of any customer made or changed after a cursor, the oldest first. */
export async function listWork(
  { database }: ServiceContext,
  { after, limit }: { readonly after: number; readonly limit: number },
): Promise<WorkRecord[]> {
  const rows = await workAfter(database, after, limit)
  const ids = [...new Set(rows.map((row) => row.customer_id))]
  const customers = new Map((await findCustomers(database, ids)).map((each) => [each.id, each]))
  return rows.map(({ sequence, kind, entity_id, customer_id }) => {
    const customer = customers.get(customer_id)
    if (customer === undefined) throw new Error(`The customer of work ${sequence} is gone`)
    return { cursor: sequence, kind, id: entity_id, customer }
  })
}

/** A page of a list that goes on behind the id `after`; null: from the beginning. */
interface CursorPage {
  readonly after: string | null
  readonly limit: number
}

/** Every customer, whom a warehouse serves all. `code` null: any. */
export function listServedCustomers(
  { database }: ServiceContext,
  query: CursorPage & { readonly code: string | null },
): Promise<Customer[]> {
  return customersAfter(database, query)
}

/** Locations belong to the WMS. `code` null: any. */
export function listLocations(
  { database }: ServiceContext,
  query: CursorPage & { readonly code: string | null; readonly pickableOnly: boolean },
): Promise<LocationTable[]> {
  return locationsAfter(database, query)
}

/** Lots of every customer with what names their variants and locations. */
export function listPlacedBatches(
  { database }: ServiceContext,
  filter: AnyBatchFilter,
  page: CursorPage,
): Promise<PlacedBatch[]> {
  return batchesAfter(database, filter, page)
}
