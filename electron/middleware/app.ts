import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify'
import type { Clock } from '#kit/clock.ts'
import type { Logger } from '#kit/logger.ts'
import { trimEndOf } from '#shared/domain/text-forms.ts'
import { type Coordination, type Lease, type Leases, withLease } from './data/engine/coordination.ts'
import { type Database, type DatabasePlace, openDatabase } from './data/engine/database.ts'
import { persistentSecret, readWmsCode, removeSecret } from './data/engine/meta.ts'
import { openCoordination, usualLeaseMs } from './data/engine/open-coordination.ts'
import type { DatabaseLimits } from './data/engine/postgres.ts'
import { readingFreely } from './data/engine/reading-limit.ts'
import { customerOfEventPortions } from './data/events.ts'
import { seedWorld } from './data/seeds/seed.ts'
import {
  type ResponseLimits,
  LimitedReader,
  limitResponses,
  usualResponseLimits,
} from './plugins/response-limits.ts'
import {
  type ConnectionLimits,
  Connections,
  limitCalls,
  limitedServer,
  usualConnectionLimits,
} from './plugins/connections.ts'
import { logAccess } from './plugins/access-log.ts'
import { clientAddressBehind } from './plugins/client-address.ts'
import { serveDocs } from './plugins/docs.ts'
import { answerFailures, answerUnreadable, answerUnroutable } from './plugins/failures.ts'
import { guardHosts, hostRule, pathOfTarget } from './plugins/hosts.ts'
import { acceptLenientBodies, acceptLenientInputs, parseQuery } from './plugins/lenient-requests.ts'
import { addSecurityHeaders } from './plugins/security-headers.ts'
import { validateByWireSchemas } from './plugins/validation.ts'
import { eventBodies } from './routes/event-bodies.ts'
import { registerRoutes } from './routes/routes.ts'
import { releaseAbandoned } from './services/abandoned.ts'
import {
  LoginGate,
  type LoginLimits,
  noLoginLimits,
  RefusedLoginsInMemory,
  StoredRefusedLogins,
  usualLoginLimits,
} from './services/access/login-gate.ts'
import { hashPassword, type PasswordCost, usualCost } from './services/access/passwords.ts'
import { Afterwards } from './services/afterwards.ts'
import { type LabelDrawerFor, type ServiceContext, transact } from './services/context.ts'
import { createLinkSigner } from './services/documents/signed-links.ts'
import {
  createExportRunner,
  type ExportLimits,
  type ExportRunner,
  usualExportLimits,
} from './services/exports/runner.ts'
import { removeOldValuesAfterwards } from './services/old-values.ts'
import { judgeAddressesAfterwards } from './services/orders/create-order.ts'
import { usualDocumentBytes } from './services/orders/order-documents.ts'
import { redactAfterwards } from './services/person-data.ts'
import { outOfTurn, Turns, usualWaitingLimits, type WaitingLimits } from './services/turns.ts'
import {
  dropEventPortion,
  type EventLimits,
  type Unit,
  usualEventLimits,
  writeEventPortion,
  writeEvents,
} from './services/unit.ts'
import type { Warehouse } from './services/warehouse/calls.ts'
import { createWarehousePort, type RunUnit } from './services/warehouse/create-port.ts'
import type { WarehousePort } from './services/warehouse/port.ts'
import { noteChangedLocations } from './services/warehouse/stock.ts'
import { type DeliveryOptions, DeliveryRunner } from './services/webhooks/delivery-runner.ts'
import { clearDeletedWebhooks } from './services/webhooks/registrations.ts'
import { carrierFor } from './warehouse/carriers/carriers.ts'
import { createSimulator, keepPace, type Pace } from './warehouse/simulator/simulator.ts'
import type { World } from './warehouse/world.ts'

export type WarehouseMode = 'auto' | 'manual' | 'external'

/** Default time between two steps of an `auto` warehouse, in milliseconds. */
const usualPaceMs = 5000
/**
 * Default of `databaseStopMs`. The sum of this time and of the time for calls in progress (`stopMs`) is shorter than
 * the 10 s after which a supervisor usually kills a process that it asked to stop.
 */
const usualDatabaseStopMs = 3000

export interface MiddlewareOptions extends DatabasePlace {
  /** The content with which an empty database is filled. A database with content stays unchanged. */
  readonly world: World | null
  /** Whether the server is a sandbox, whose labels are marked SAMPLE. */
  readonly sandbox: boolean
  /**
   * Certificate authority (PEM) of the receivers of webhooks. If it is set, receivers may have private addresses. Only
   * for a sandbox.
   */
  readonly webhookCa?: string | null
  /** How notifications are sent to webhooks. */
  readonly deliveries?: DeliveryOptions
  readonly eventLimits?: EventLimits
  readonly exportLimits?: ExportLimits
  /** Maximum bytes of all documents that a customer sends with its orders. Default: 2 GiB. */
  readonly mostDocumentBytes?: number
  /** Limits on the connections to PostgreSQL. Default: those of `DatabaseLimits`. */
  readonly databaseLimits?: Pick<DatabaseLimits, 'silentMs'>
  /**
   * Milliseconds that a stop waits for PostgreSQL after the last call has ended. After this time the connections are
   * closed, and unfinished work fails as if the process had died. Default: 3 seconds.
   */
  readonly databaseStopMs?: number
  /** Milliseconds after which other processes may take over the work of a process that died. Default: 15 seconds. */
  readonly leaseMs?: number
  /** Returns the leases to use in place of the leases of the database. Default: the leases of the database. */
  readonly leasesBy?: (leases: Leases) => Leases
  /**
   * Returns the function that writes the events of a unit of work. Default: a function that writes them in the
   * transaction of the unit.
   */
  readonly tellBy?: (context: Omit<ServiceContext, 'tell'>) => ServiceContext['tell']
  /** Whether responses have the forms of other installations (API.md 19, plugins/quirks.ts). */
  readonly quirks?: boolean
  readonly clock: Clock
  readonly logger: Logger
  /** Returns the function that creates labels with a carrier. Default: the simulated carriers of warehouse/. */
  readonly carrierFor?: LabelDrawerFor
  /**
   * The URL by which clients reach the server, for links in responses. The server also accepts requests with the host
   * name of this URL. Default: the URL of the request. Behind a proxy with TLS this default is wrong: it begins with
   * `http:`.
   */
  readonly publicBaseUrl?: string
  /** IP addresses of the proxies that add the address of their client to `X-Forwarded-For`. Default: none. */
  readonly proxies?: readonly string[]
  /** Host names that are served in addition to the loopback names, without port. */
  readonly allowedHosts?: readonly string[]
  /**
   * The secret that signs tokens: bytes, or a text in UTF-8. Default: a generated secret that is stored in the
   * database. With this option the database does not store the secret.
   */
  readonly jwtSecret?: string | Uint8Array
  readonly signingSecret?: string | Uint8Array
  readonly passwordCost?: PasswordCost
  /**
   * Limits on logins. Default: the usual limits; in a sandbox `noLoginLimits`, which limits only the password hashes.
   */
  readonly loginLimits?: LoginLimits
  readonly connectionLimits?: ConnectionLimits
  readonly responseLimits?: ResponseLimits
  readonly waitingLimits?: WaitingLimits
  readonly tokenLifetimeSeconds?: number
  readonly signedUrlLifetimeSeconds?: number
  readonly carrierTimeoutMs?: number
  /**
   * Milliseconds from the request of an export until the server looks for exports to write. The server looks earlier if
   * it was already going to look because of an earlier request, or when it has finished another export.
   */
  readonly exportDelayMs?: number
  /**
   * How the warehouse works. `auto`: a timer runs the simulated warehouse. `manual` (the default): the simulated
   * warehouse works when a client calls /sandbox/. `external`: a real warehouse calls /warehouse/.
   */
  readonly warehouse?: WarehouseMode
  /** Milliseconds between two steps of an `auto` warehouse. */
  readonly paceMs?: number
  /**
   * Called with the open database, which has its tables, before the initial data are stored and any record is read. If
   * it throws, the start fails.
   */
  readonly onOpened?: (database: Database) => Promise<void>
  /** Called after the initial data was stored, which happens only at the first start with an empty database. */
  readonly onSeeded?: () => void
  /** Called before the routes are added, so that the OpenAPI writer can record them. */
  readonly beforeRoutes?: (app: FastifyInstance) => Promise<void>
}

/**
 * Number of customers whose calls run at the same time on PostgreSQL. With one, a long statement for one customer would
 * delay the calls of all others. The number is smaller than that of the connections, so that exports and notifications
 * always find a free connection.
 */
const ownersAtOnce = 4

/**
 * Maximum numbers of look-ups (`Turns.lookUp`) that run at the same time on PostgreSQL. They are so low that the
 * look-ups and the running calls together never use all database connections. `ofOneOwner`: one owner (a customer, a
 * user or the network of a client) cannot use all of the `inAll` look-ups.
 */
const lookUps = { inAll: 4, ofOneOwner: 3 }

/**
 * Creates a server that is ready to listen. Closing the server closes its database. Throws if the database cannot be
 * opened.
 */
export async function createMiddleware(options: MiddlewareOptions): Promise<FastifyInstance> {
  const { clock, logger } = options
  const ended = new AbortController()
  const limits = { ...options.databaseLimits, ended: ended.signal }
  const limitStop = (): void => {
    setTimeout(() => ended.abort(), options.databaseStopMs ?? usualDatabaseStopMs).unref()
  }
  const database = await openDatabase(options, logger, limits)
  let opened: Coordination | null = null
  try {
    const leaseMs = options.leaseMs ?? usualLeaseMs
    const coordination = await openCoordination(options, { leaseMs, logger, limits })
    opened = coordination
    const leases = options.leasesBy?.(coordination.leases) ?? coordination.leases
    await options.onOpened?.(database)
    const { world } = options
    // the lease makes sure that, of several processes that start together, only one stores the initial data
    const isSeeded = await withLease(await leases.wait('first start'), async () =>
      world === null ? false : seed(database, world, options),
    )
    if (isSeeded === true) options.onSeeded?.()
    await releaseAbandoned({ database, leases, logger, clock })
    const turns = new Turns(
      options.waitingLimits ?? usualWaitingLimits,
      hasSeveralProcesses(options) ? { ownersAtOnce, lookUps } : {},
    )
    const exports = createExportRunner({
      database,
      clock,
      logger,
      turns,
      leases,
      limits: options.exportLimits ?? usualExportLimits,
      delayMs: options.exportDelayMs ?? 500,
    })
    const deliveries = new DeliveryRunner({
      database,
      leases,
      announce: (news) => coordination.announce(news),
      clock,
      logger,
      webhookCa: options.webhookCa ?? null,
      options: options.deliveries ?? {},
    })
    const context = await createContext(database, options, { exports, deliveries, turns, leases })
    const app = createServer(options)
    const { warehouse, pace } = openWarehouse(context, options)
    app.addHook('onClose', async () => {
      limitStop()
      await pace?.stop()
      await context.afterwards.settle()
      await Promise.all([exports.stop(), deliveries.stop()])
      await coordination.stop()
      await database.destroy()
    })
    await options.beforeRoutes?.(app)
    const publicBaseUrl = options.publicBaseUrl === undefined ? null : trimEndOf(options.publicBaseUrl, '/')
    app.server.on('connection', turns.arrived)
    const limitedReader = new LimitedReader(options.responseLimits ?? usualResponseLimits)
    const wmsCode = await readWmsCode(database)
    const clientAddress = clientAddressBehind(options.proxies ?? [])
    const host = { app, context, turns, limitedReader, wmsCode, publicBaseUrl, clientAddress, warehouse }
    await registerRoutes(host, { quirks: options.quirks ?? false })
    // writes waiting exports only after the server listens, because exports of an earlier process must not delay the
    // start
    app.addHook('onListen', (done) => {
      exports.wake()
      done()
    })
    await app.ready()
    deliveries.start({
      customerAfter: (customerId) => customerOfEventPortions(database, customerId),
      write: (customerId) => writeEventPortion(context, customerId),
      drop: (customerId) => dropEventPortion(context, customerId),
    })
    coordination.listen((news) => {
      deliveries.heard(news)
      if (news.topic === 'abandoned' && !context.afterwards.isEnding) continueAbandoned(context)
    })
    doPromised(context)
    return app
  } catch (error) {
    limitStop()
    await opened?.stop()
    await database.destroy()
    throw error
  }
}

/** Continues the unfinished work of processes that have ended. */
function continueAbandoned(context: ServiceContext): void {
  context.afterwards.startAlone('abandoned work', async () => {
    await releaseAbandoned(context)
    // exports whose writing was interrupted are written again, because `releaseAbandoned` has reset them
    context.exports.wake()
  })
  doPromised(context)
}

/**
 * Continues the unfinished work that calls leave to run after their response, such as redactions. This includes the
 * work of earlier processes.
 */
function doPromised(context: ServiceContext): void {
  judgeAddressesAfterwards(context, 'all')
  redactAfterwards(context)
  clearDeletedWebhooks(context)
  noteChangedLocations(context)
  removeOldValuesAfterwards(context)
}

/** Whether several processes can serve the database at the same time, which only PostgreSQL allows. */
function hasSeveralProcesses({ databaseUrl = null }: DatabasePlace): boolean {
  return databaseUrl !== null
}

async function seed(
  database: Database,
  world: World,
  { passwordCost = usualCost }: Pick<MiddlewareOptions, 'passwordCost'>,
): Promise<boolean> {
  if ((await readWmsCode(database)) !== null) return false
  const hashes = await Promise.all(
    world.users.map(async ({ id, password }) => [id, await hashPassword(password, passwordCost)] as const),
  )
  return seedWorld(database, world, new Map(hashes))
}

async function createContext(
  database: Database,
  options: MiddlewareOptions,
  {
    exports,
    deliveries,
    turns,
    leases,
  }: {
    readonly exports: ExportRunner
    readonly deliveries: DeliveryRunner
    readonly turns: Turns
    readonly leases: Leases
  },
): Promise<ServiceContext> {
  const { clock, logger, sandbox } = options
  const jwtSecret = options.jwtSecret ?? (await persistentSecret(database, 'jwt_secret'))
  const signingSecret = options.signingSecret ?? (await persistentSecret(database, 'signing_secret'))
  if (options.jwtSecret !== undefined) await removeSecret(database, 'jwt_secret')
  if (options.signingSecret !== undefined) await removeSecret(database, 'signing_secret')
  const lifetimeSeconds = options.signedUrlLifetimeSeconds ?? 900
  const loginLimits = options.loginLimits ?? (sandbox ? noLoginLimits : usualLoginLimits)
  const refusedLogins = hasSeveralProcesses(options)
    ? new StoredRefusedLogins(database, clock, loginLimits)
    : new RefusedLoginsInMemory(clock, loginLimits)
  const context = {
    database,
    clock,
    logger,
    sandbox,
    webhookCa: options.webhookCa ?? null,
    carrierFor: options.carrierFor ?? carrierFor,
    carrierTimeoutMs: options.carrierTimeoutMs ?? 30_000,
    passwordCost: options.passwordCost ?? usualCost,
    loginGate: new LoginGate(loginLimits, clock, logger, refusedLogins, turns),
    jwtSecret: typeof jwtSecret === 'string' ? new TextEncoder().encode(jwtSecret) : jwtSecret,
    tokenLifetimeSeconds: options.tokenLifetimeSeconds ?? 3600,
    links: createLinkSigner({ secret: signingSecret, lifetimeSeconds, clock }),
    eventLimits: options.eventLimits ?? usualEventLimits,
    mostDocumentBytes: options.mostDocumentBytes ?? usualDocumentBytes,
    // the background work runs without the reading limit of the call that starts it, because its reads must not count
    // for this limit
    exports: { wake: () => readingFreely(() => exports.wake()) },
    deliveries: {
      wake: () => readingFreely(() => deliveries.wake()),
      replayed: (...args: Parameters<DeliveryRunner['replayed']>) =>
        readingFreely(() => deliveries.replayed(...args)),
      removed: (webhookId: string) => readingFreely(() => deliveries.removed(webhookId)),
    },
    turns,
    afterwards: new Afterwards(logger, leases),
    leases,
  }
  const eventBody = eventBodies(context)
  const tellBy = options.tellBy ?? tellInTransaction
  return { ...context, eventBody, tell: tellBy({ ...context, eventBody }) }
}

/** Writes events in the transaction of the change, so that both are committed or neither. */
export function tellInTransaction(context: Omit<ServiceContext, 'tell'>): ServiceContext['tell'] {
  return (unit: Unit) => writeEvents(context, unit)
}

/**
 * Creates the warehouse of the given mode. `pace`: the timer that runs the simulated warehouse. Null: no timer runs it.
 */
function openWarehouse(
  context: ServiceContext,
  { warehouse: mode = 'manual', paceMs = usualPaceMs, logger }: MiddlewareOptions,
): { warehouse: Warehouse; pace: Pace | null } {
  const port = (run: RunUnit): WarehousePort => createWarehousePort(context, run)
  if (mode === 'external') return { warehouse: { port, step: null }, pace: null }
  const { database, clock, turns, leases } = context
  // each change of the simulated warehouse waits for its own turn, in the same way as a call, so that calls can run
  // between two changes
  let step: Lease | null = null
  const ownPort = port((work) =>
    turns.runFor('simulated warehouse', () =>
      transact(context, async (unit) => {
        // confirms the lease of the step, because a process that was suspended must not repeat work that another
        // process has done meanwhile
        await step?.confirm(unit.connection)
        return work(unit)
      }),
    ),
  )
  const simulator = createSimulator({ database, clock, logger, port: ownPort })
  const stepAlone: typeof simulator.step = async () => {
    const report = await withLease(await leases.wait('warehouse step'), (lease) => {
      step = lease
      return simulator.step()
    })
    if (report === null) throw new Error('A step of the warehouse began without its lease')
    return report
  }
  // a step serves all customers, so it does not count for the reading limit of the call that requests it, and does not
  // wait for the turn of that call
  const stepOutOfTurn: typeof simulator.step = () => outOfTurn(() => readingFreely(stepAlone))
  const pace = mode === 'auto' ? keepPace(stepOutOfTurn, { paceMs, leases, logger }) : null
  return { warehouse: { port, step: stepOutOfTurn }, pace }
}

function createServer(options: MiddlewareOptions): FastifyInstance {
  const loggerInstance: FastifyBaseLogger = options.logger
  const { allowedHosts = [], publicBaseUrl } = options
  const publicNames = publicBaseUrl === undefined ? [] : [new URL(publicBaseUrl).hostname]
  const hosts = hostRule([...allowedHosts, ...publicNames])
  const limits = options.connectionLimits ?? usualConnectionLimits
  const connections = new Connections(limits)
  const app = Fastify({
    loggerInstance,
    // Fastify's own log lines of requests are off, because they contain the whole URL, and a signed link must not be
    // logged
    logController: new LogController({ disableRequestLogging: true }),
    routerOptions: { ignoreTrailingSlash: true, querystringParser: parseQuery },
    serverFactory: limitedServer(limits, connections),
    // the maximum size of a body is 1 MiB; routes with larger bodies set their own maximum
    bodyLimit: 1024 * 1024,
    rewriteUrl: pathOfTarget,
    frameworkErrors: answerUnroutable(hosts),
    clientErrorHandler: answerUnreadable,
  })
  logAccess(app)
  addSecurityHeaders(app)
  limitCalls(app, limits, connections)
  limitResponses(app, options.responseLimits ?? usualResponseLimits)
  guardHosts(app, hosts)
  acceptLenientBodies(app)
  acceptLenientInputs(app)
  validateByWireSchemas(app)
  answerFailures(app)
  serveDocs(app)
  return app
}
