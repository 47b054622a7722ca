import type { Clock } from '#kit/clock.ts'
import type { Logger } from '#kit/logger.ts'
import type { Leases } from '../data/engine/coordination.ts'
import { commitInOrder, type Database, inTransaction } from '../data/engine/database.ts'
import type { CustomerTable } from '../data/schema/access.ts'
import { insertWork } from '../data/warehouse-work.ts'
import type { Carrier } from '../warehouse/carriers/carrier.ts'
import type { LoginGate } from './access/login-gate.ts'
import type { PasswordCost } from './access/passwords.ts'
import type { Afterwards } from './afterwards.ts'
import type { LinkSigner } from './documents/signed-links.ts'
import { type EventBody, type EventLimits, Unit } from './unit.ts'
import type { DeliveryRunner } from './webhooks/delivery-runner.ts'
import type { Turns } from './turns.ts'

/** Returns the carrier for the carrier key of a shipping method. The carrier draws the labels. */
export type LabelDrawerFor = (carrierKey: string) => Pick<Carrier, 'drawReturnLabel'>

/** The objects and settings that the functions in services/ use. app.ts creates them once per server. */
export interface ServiceContext {
  readonly database: Database
  readonly clock: Clock
  readonly logger: Logger
  /** Whether the server is a sandbox: labels have the mark SAMPLE, and no real parcel moves. */
  readonly sandbox: boolean
  /**
   * Certificate authority (PEM) of webhook receivers in the network of a sandbox. Null: webhooks are sent to public
   * addresses only.
   */
  readonly webhookCa: string | null
  readonly carrierFor: LabelDrawerFor
  readonly carrierTimeoutMs: number
  readonly passwordCost: PasswordCost
  readonly loginGate: LoginGate
  readonly jwtSecret: Uint8Array
  readonly tokenLifetimeSeconds: number
  readonly links: LinkSigner
  /** Writes the events of a unit of work (`Unit` in unit.ts). Returns true if a webhook has to be notified. */
  readonly tell: (unit: Unit) => Promise<boolean>
  /**
   * Returns a resource as a notification shows it. Called when events are written, and for a resource that is about to
   * be deleted.
   */
  readonly eventBody: EventBody
  readonly eventLimits: EventLimits
  /** Maximum number of bytes of all documents that a customer sends with its orders. */
  readonly mostDocumentBytes: number
  /** The runner of webhooks, which is notified when there is a notification to send. */
  readonly deliveries: Pick<DeliveryRunner, 'wake' | 'replayed' | 'removed'>
  /** The runner of exports, which is notified when there is an export to write. */
  readonly exports: { wake(): void }
  /** Runs one call of each owner (such as a customer) at a time, and serves the owners round-robin. */
  readonly turns: Turns
  /** Work that a call starts and that runs after the response to the call. */
  readonly afterwards: Afterwards
  /** Leases: rights to do work that only one process may do at a time. */
  readonly leases: Leases
}

/** The customer for which a call acts. */
export type Customer = CustomerTable

/** Returns the current time in the database's format. */
export function storedNow(context: Pick<ServiceContext, 'clock'>): string {
  return new Date(context.clock.now()).toISOString()
}

/**
 * Runs work in one transaction. Before the commit, writes the events of the recorded changes and the work for the
 * warehouse. After the commit, notifies the runner of webhooks if there are events.
 */
export async function transact<Result>(
  context: ServiceContext,
  work: (unit: Unit) => Promise<Result>,
): Promise<Result> {
  const { result, told: hasEvents } = await inTransaction(context.database, async (connection) => {
    const unit = new Unit(connection, storedNow(context))
    const done = await work(unit)
    const told = await context.tell(unit)
    if (unit.work.length > 0) await commitInOrder(connection)
    for (const { kind, customerId, id } of unit.work)
      await insertWork(connection, { kind, customer_id: customerId, entity_id: id, created_at: unit.now })
    return { result: done, told }
  })
  if (hasEvents) context.deliveries.wake()
  return result
}
