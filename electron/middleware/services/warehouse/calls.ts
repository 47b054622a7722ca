import type { WarehouseWorkKind } from '#shared/domain/resource-states.ts'
import { customersAfter, findCustomers } from '../../data/access/accounts.ts'
import { type AnyBatchFilter, batchesAfter, type PlacedBatch } from '../../data/goods/batches.ts'
import { locationsAfter } from '../../data/goods/locations.ts'
import type { LocationTable } from '../../data/schema/goods.ts'
import {
  deleteSomeCallsBefore,
  findCall,
  highestWork,
  insertCall,
  workAfter,
} from '../../data/warehouse-work.ts'
import type { StepReport } from '../../warehouse/simulator/simulator.ts'
import { type Customer, type ServiceContext, transact } from '../context.ts'
import { Refusal } from '../refusal.ts'
import type { Unit } from '../unit.ts'
import type { RunUnit } from './create-port.ts'
import type { WarehousePort } from './port.ts'

/** The interface of a server to its warehouse, which is simulated or external. The server's routes use it. */
export interface Warehouse {
  /** Creates the commands. `run` executes each command in a transaction. */
  readonly port: (run: RunUnit) => WarehousePort
  /** Runs one step of the simulated warehouse. Null: an external warehouse does the work. */
  readonly step: (() => Promise<StepReport>) | null
}

/** A call of a warehouse user with an idempotency key. */
interface KeyedCall {
  readonly userId: string
  readonly key: string
  /** The fingerprint of the call. Two calls have the same one only if they differ in nothing but the case of ids. */
  readonly fingerprint: string
}

/**
 * Runs a call once for its idempotency key. The result is stored in the transaction of the change; a repeated call
 * returns the stored result without a change. A key that was used for a different call is refused with `key_reused`. A
 * refused call stores nothing, so that the same call may succeed later. The result is stored as JSON, so it must
 * contain only values that JSON can represent.
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

/** Lifetime in milliseconds of an idempotency key with its stored response. */
const keptMs = 30 * 24 * 3600_000

/**
 * Number of idempotency keys that one step deletes with their responses. With SQLite no other call runs during a step.
 */
const callsAtOnce = 100

/**
 * Deletes old idempotency keys with their stored responses, in steps after the response to the present call. Called at
 * each login and refresh of a warehouse, which is often enough. The call has already replaced a refresh token, which
 * works once, so a failure of the deletion must not fail the call: it is only logged.
 */
export function forgetOldCalls({ database, clock, turns, afterwards }: ServiceContext): void {
  const time = new Date(clock.now() - keptMs).toISOString()
  const deleteSome = (): Promise<number> => deleteSomeCallsBefore(database, time, callsAtOnce)
  const name = 'old calls of warehouses'
  afterwards.startAlone(name, async () => {
    while (!afterwards.isEnding && (await turns.runFor(name, deleteSome)) === callsAtOnce);
  })
}

export interface WorkRecord {
  readonly cursor: number
  readonly kind: WarehouseWorkKind
  readonly id: string
  readonly customer: Customer
}

/**
 * Lists the changes of resources by clients, of all customers: at most `limit` changes after the cursor `after`, the
 * oldest first. Refuses a cursor above all numbers that changes ever got: the database was restored to an earlier
 * state, and new changes get numbers up to this cursor, so a client that continues from it would never receive them.
 */
export async function listWork(
  { database }: ServiceContext,
  { after, limit }: { readonly after: number; readonly limit: number },
): Promise<WorkRecord[]> {
  const rows = await workAfter(database, after, limit)
  if (rows.length === 0 && after > (await highestWork(database)))
    throw new Refusal(
      'too_late',
      'This server has no such cursor, for example because its data was restored: read the list from its beginning, without "after".',
    )
  const ids = [...new Set(rows.map((row) => row.customer_id))]
  const customers = new Map((await findCustomers(database, ids)).map((each) => [each.id, each]))
  return rows.map(({ sequence, kind, entity_id, customer_id }) => {
    const customer = customers.get(customer_id)
    if (customer === undefined) throw new Error(`The customer of work ${sequence} does not exist`)
    return { cursor: sequence, kind, id: entity_id, customer }
  })
}

/** A page of a list. `after`: the id after which the page begins. Null: from the beginning. */
interface CursorPage {
  readonly after: string | null
  readonly limit: number
}

/** Returns a page of the customers of the WMS, because a warehouse serves all of them. `code` null: any code. */
export function listServedCustomers(
  { database }: ServiceContext,
  query: CursorPage & { readonly code: string | null },
): Promise<Customer[]> {
  return customersAfter(database, query)
}

/** Returns a page of the locations, which belong to the WMS. `code` null: any code. */
export function listLocations(
  { database }: ServiceContext,
  query: CursorPage & { readonly code: string | null; readonly pickableOnly: boolean },
): Promise<LocationTable[]> {
  return locationsAfter(database, query)
}

/**
 * Returns a page of the lots of all customers that match the filter, with the names of their variants and locations.
 */
export function listPlacedBatches(
  { database }: ServiceContext,
  filter: AnyBatchFilter,
  page: CursorPage,
): Promise<PlacedBatch[]> {
  return batchesAfter(database, filter, page)
}
