import { sql } from 'kysely'
import { z } from 'zod'
import { createLogger } from '#kit/logger.ts'
import { SingleProcess } from '#middleware/data/engine/open-coordination.ts'
import type { Database } from '#middleware/data/engine/database.ts'
import { openSqliteDatabase } from '#middleware/data/engine/sqlite.ts'
import { seedWorld } from '#middleware/data/seeds/seed.ts'
import { eventBodies } from '#middleware/routes/event-bodies.ts'
import { LoginGate, noLoginLimits, RefusedLoginsInMemory } from '#middleware/services/access/login-gate.ts'
import { Afterwards } from '#middleware/services/afterwards.ts'
import { type Customer, type ServiceContext, transact } from '#middleware/services/context.ts'
import { createLinkSigner } from '#middleware/services/documents/signed-links.ts'
import { usualDocumentBytes } from '#middleware/services/orders/order-documents.ts'
import { Turns, usualWaitingLimits } from '#middleware/services/turns.ts'
import { type Unit, usualEventLimits, writeEvents } from '#middleware/services/unit.ts'
import { createWarehousePort } from '#middleware/services/warehouse/create-port.ts'
import type { WarehousePort } from '#middleware/services/warehouse/port.ts'
import { carrierFor } from '#middleware/warehouse/carriers/carriers.ts'
import type { World } from '#middleware/warehouse/world.ts'
import { type WebhookGroup, webhookTopics } from '#shared/domain/webhook-topics.ts'
import { smallId } from './small-id.ts'
import { type TestClock, testClock } from './middleware-server.ts'
import { makeSmallWorld } from './small-world.ts'

/**
 * The services of an in-memory middleware without HTTP, and the interface through which a warehouse calls them
 * (`port`).
 */
export interface WarehouseBench {
  readonly context: ServiceContext
  readonly clock: TestClock
  readonly port: WarehousePort
  readonly alder: Customer
  readonly birch: Customer
  /** Returns the rows of a query. */
  rows(query: string): Promise<Record<string, unknown>[]>
  /** Stores every event of both customers from now on. */
  subscribeToAll(): Promise<void>
  /** Returns the topics of the events until now, in their order. */
  topics(): Promise<string[]>
  close(): Promise<void>
}

const anyRows = z.array(z.record(z.string(), z.unknown()))

/**
 * Starts the services with the data in `world`, which needs two customers. The default is the test data of
 * makeSmallWorld().
 */
export async function startWarehouseBench(world: World = makeSmallWorld()): Promise<WarehouseBench> {
  const clock = testClock()
  const database = openSqliteDatabase(':memory:')
  await seedWorld(database, world, new Map(world.users.map(({ id }) => [id, 'no password'])))
  const context = makeContext(database, clock)
  const customers = await database.selectFrom('customers').selectAll().orderBy('id').execute()
  const [alder, birch] = customers
  if (alder === undefined || birch === undefined) throw new Error('Two customers are needed')
  return {
    context,
    clock,
    port: createWarehousePort(context, (work) => transact(context, work)),
    alder,
    birch,
    rows: async (query) => anyRows.parse((await sql.raw(query).execute(database)).rows),
    subscribeToAll: () => subscribeToAll(database, customers),
    topics: async () => {
      const events = await database
        .selectFrom('events')
        .selectAll()
        .orderBy(sql`rowid`)
        .execute()
      return events.map((event) => `${event.topic_group}/${event.topic_action}`)
    },
    close: async () => {
      await context.afterwards.settle()
      await database.destroy()
    },
  }
}

function makeContext(database: Database, clock: TestClock): ServiceContext {
  const logger = createLogger('test', { level: 'error', destination: { write: () => undefined } })
  const { leases } = new SingleProcess()
  const turns = new Turns(usualWaitingLimits)
  const asleep = { wake: () => undefined, replayed: () => undefined, removed: () => undefined }
  const context = {
    database,
    clock,
    logger,
    sandbox: true,
    webhookCa: null,
    carrierFor,
    carrierTimeoutMs: 1000,
    passwordCost: { N: 16, r: 1, p: 1 },
    loginGate: new LoginGate(
      noLoginLimits,
      clock,
      logger,
      new RefusedLoginsInMemory(clock, noLoginLimits),
      turns,
    ),
    jwtSecret: new Uint8Array(32),
    tokenLifetimeSeconds: 3600,
    links: createLinkSigner({ secret: 'links', lifetimeSeconds: 900, clock }),
    exports: asleep,
    deliveries: asleep,
    turns,
    afterwards: new Afterwards(logger, leases),
    leases,
    eventLimits: usualEventLimits,
    mostDocumentBytes: usualDocumentBytes,
  }
  const eventBody = eventBodies(context)
  return { ...context, eventBody, tell: (unit: Unit) => writeEvents({ ...context, eventBody }, unit) }
}

async function subscribeToAll(database: Database, customers: readonly Customer[]): Promise<void> {
  let number = 900
  for (const customer of customers)
    for (const [group, actions] of Object.entries(webhookTopics))
      for (const action of actions)
        await database
          .insertInto('webhooks')
          .values({
            id: smallId(number++),
            customer_id: customer.id,
            url: 'https://hooks.example.org/',
            topic_group: group as WebhookGroup,
            topic_action: action,
            hash_secret: 'secret',
            created_at: '',
            modified_at: '',
          })
          .execute()
}
