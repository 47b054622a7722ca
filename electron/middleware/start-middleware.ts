import { randomBytes, randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { BlockList, isIP } from 'node:net'
import { hostname, networkInterfaces } from 'node:os'
import { basename, dirname } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import type { Clock } from '#kit/clock.ts'
import type { Logger } from '#kit/logger.ts'
import {
  changeableParent,
  foreignIn,
  isOpenToOthers,
  reportRights,
  takeDataFolder,
} from '#kit/private-files.ts'
import { roles, type WarehouseRole, warehouseRoles } from '#shared/wire/roles.ts'
import { createMiddleware, type MiddlewareOptions } from './app.ts'
import { findUserByName, findWarehouseUser, insertUser } from './data/access/accounts.ts'
import { type Database, type DatabasePlace, isUniqueViolation, openDatabase } from './data/engine/database.ts'
import { type DataLock, lockFile, lockFolder, OtherVersion, setDatabaseAside } from './data/engine/sqlite.ts'
import { forgetSecrets, readWmsCode } from './data/engine/meta.ts'
import { hashPassword, usualCost } from './services/access/passwords.ts'
import { holdsDemoPasswords, type Invitation, invite } from './invitation.ts'
import { demoUsers, warehouseUsername } from './warehouse/demo/customers.ts'
import { makeDemoWorld } from './warehouse/demo/world.ts'
import type { World } from './warehouse/world.ts'

/**
 * The seed of the demo's data. The data are the same on every machine, except dates, which depend on the day of
 * creation.
 */
const demoSeed = 1

const lockPauseMs = 100

const loopback = new BlockList()
loopback.addSubnet('127.0.0.0', 8, 'ipv4')
loopback.addAddress('::1', 'ipv6')

export interface StartOptions
  extends
    DatabasePlace,
    Pick<
      MiddlewareOptions,
      | 'jwtSecret'
      | 'signingSecret'
      | 'webhookCa'
      | 'proxies'
      | 'publicBaseUrl'
      | 'warehouse'
      | 'paceMs'
      | 'deliveries'
      | 'leaseMs'
      | 'leasesBy'
    > {
  /** Maximum time in milliseconds to wait for a data folder that another process has locked. Default: no wait. */
  readonly folderPatienceMs?: number
  /**
   * Whether an SQLite file of another version of the middleware is renamed and replaced by a new database. Only for
   * practice data. Default: the start fails, and the file stays unchanged.
   */
  readonly replacesOtherVersion?: boolean
  /** Allows logins from other machines with the public passwords of the demo. */
  readonly allowDemoPasswords?: boolean
  /** The port to listen on. 0 selects any free port. */
  readonly port: number
  /** The address to listen on: a loopback address, unless other machines must call the server. */
  readonly host: string
  readonly seed: 'demo' | 'empty'
  readonly sandbox: boolean
  readonly quirks?: boolean
  readonly clock: Clock
  readonly logger: Logger
}

/**
 * Thrown if a file of the data folder, or the folder, belongs to another account. The error has the code of a refused
 * access.
 */
class FolderOfAnother extends Error {
  readonly code = 'EACCES'
}

/** Thrown if another middleware uses the data folder. */
class FolderInUse extends Error {
  readonly code = 'EBUSY'
}

export interface RunningMiddleware {
  readonly invitation: Invitation
  /** Finishes the running calls, then closes the database. */
  stop(): Promise<void>
}

/**
 * Creates the folder of the database so that only this account can use it, because the database contains the keys that
 * sign logins and links. Keys that other accounts could read until now are replaced. Throws a readable message if the
 * folder or a file of the database belongs to another account, otherwise the error of the system or of SQLite.
 */
export function takeDatabaseFolder(databaseFile: string, logger: Logger): void {
  const folder = dirname(databaseFile)
  const isOurs = (name: string): boolean =>
    name.startsWith(basename(databaseFile)) || name.startsWith(lockFile)
  const foreign = foreignIn(folder, { isOurs })
  if (foreign !== null) throw new FolderOfAnother(foreign)
  try {
    // the rights are checked before other accounts lose their access: if this start is interrupted, the next start
    // still detects that other accounts had access
    const isExposed = [databaseFile, `${databaseFile}-wal`].some(isOpenToOthers)
    if (isExposed && existsSync(databaseFile) && forgetSecrets(databaseFile))
      logger.warn(
        'other accounts could read the secrets of this database, so they are replaced: access tokens and links to documents that were issued before are no longer valid',
      )
  } finally {
    reportRights(takeDataFolder(folder, isOurs), logger)
  }
  const parent = changeableParent(folder)
  if (parent !== null)
    logger.warn(
      { parent },
      'other accounts of this computer can rename or replace the data folder: keep it below folders that only this account or the administrator can change',
    )
}

/**
 * Locks the data, opens the database, fills it if it is empty, and listens. Throws if the port is taken, the data are
 * in use, the database cannot be opened, or other machines could log in with public passwords and `allowDemoPasswords`
 * is not set.
 */
export async function startMiddleware(options: StartOptions): Promise<RunningMiddleware> {
  const lock = await lockPatiently(options)
  try {
    const { app, invitation } = await openOrReplace(options)
    return { invitation, stop: () => app.close().finally(() => lock?.release()) }
  } catch (error) {
    lock?.release()
    throw error
  }
}

/**
 * Locks the data folder. Returns null for data that need no lock: data in memory, and data in PostgreSQL, which any
 * number of processes may use.
 */
async function lockPatiently({
  databaseFile,
  databaseUrl = null,
  folderPatienceMs = 0,
}: DatabasePlace & Pick<StartOptions, 'folderPatienceMs'>): Promise<DataLock | null> {
  if (databaseUrl !== null || databaseFile === ':memory:') return null
  const folder = dirname(databaseFile)
  for (let waitedMs = 0; ; waitedMs += lockPauseMs) {
    const lock = lockFolder(folder)
    if (lock !== null) return lock
    if (waitedMs >= folderPatienceMs)
      throw new FolderInUse(`The folder ${folder} is in use by another middleware: stop that one first.`)
    await setTimeout(lockPauseMs)
  }
}

async function openOrReplace(options: StartOptions): ReturnType<typeof open> {
  try {
    return await open(options)
  } catch (error) {
    if (!(error instanceof OtherVersion) || options.replacesOtherVersion !== true) throw error
    const aside = setDatabaseAside(options.databaseFile)
    options.logger.warn(
      { aside },
      'the practice data are of another version: they were set aside, and new ones are made',
    )
  }
  return open(options)
}

async function open(options: StartOptions): Promise<{ app: FastifyInstance; invitation: Invitation }> {
  const { host, port, seed, allowDemoPasswords = false, ...rest } = options
  const now = new Date(options.clock.now())
  const world = seed === 'demo' ? makeDemoWorld({ seed: demoSeed, now }) : emptyWorld(now)
  const start: { database: Database | null; seeded: boolean } = { database: null, seeded: false }
  const refusePublicPasswords = async (database: Database): Promise<void> => {
    if (isLoopbackAddress(host) || allowDemoPasswords) return
    if (await holdsDemoPasswords(database, world)) throw new Error(publicPasswords(host))
  }
  const app = await createMiddleware({
    ...rest,
    world,
    allowedHosts: isLoopbackAddress(host) ? [host] : ownNames(host),
    async onOpened(database) {
      start.database = database
      await refusePublicPasswords(database)
    },
    onSeeded: () => (start.seeded = true),
  })
  try {
    // the passwords are checked again, because another process may have stored the demo's data since the first check
    if (start.database !== null) await refusePublicPasswords(start.database)
    // the server listens on an address instead of `localhost`, because for that name Fastify would open a second server
    // without the limits of the first one
    const url = await app.listen({ port, host: host.toLowerCase() === 'localhost' ? '127.0.0.1' : host })
    if (start.database === null) throw new Error('The middleware opened no database')
    const seeded = start.seeded ? world : null
    const madePassword =
      options.warehouse === 'external' ? await ensureWarehouseUser(start.database, world) : null
    return { app, invitation: await invite(start.database, url, { seeded, madePassword }) }
  } catch (error) {
    await app.close()
    throw error
  }
}

/**
 * Creates a warehouse user if the database has none, and returns the password: the public one of the demo in a demo
 * database, otherwise a random one. Null: a warehouse user already exists, and only the hash of the password is stored.
 */
async function ensureWarehouseUser(database: Database, world: World): Promise<string | null> {
  if ((await findWarehouseUser(database)) !== null) return null
  const isDemo = await holdsDemoPasswords(database, world)
  const random = randomBytes(12).toString('base64url')
  const password = isDemo ? (demoUsers.get(warehouseUsername) ?? random) : random
  try {
    await insertWarehouseUser(database, { username: warehouseUsername, password, roles: warehouseRoles })
  } catch (error) {
    // another process that started at the same time has created the user and printed the password
    if (isUniqueViolation(error)) return null
    throw error
  }
  return password
}

async function insertWarehouseUser(
  database: Database,
  user: {
    readonly username: string
    readonly password: string
    readonly roles: readonly WarehouseRole[]
  },
): Promise<void> {
  await insertUser(database, {
    id: randomUUID(),
    username: user.username,
    password_hash: await hashPassword(user.password, usualCost),
    user_type: 'warehouse',
    roles: JSON.stringify(user.roles),
    transfers_granted: 0,
  })
}

/**
 * Adds a user with the given roles for `/warehouse/`, and returns the password. The password is random, and only its
 * hash is stored. While this function runs, no server may use the folder of the SQLite file. Throws a readable message
 * if there is no database, the folder is in use, or the name is taken.
 */
export async function addWarehouseUser({
  place,
  username,
  roles: held,
  logger,
}: {
  readonly place: DatabasePlace
  readonly username: string
  readonly roles: readonly WarehouseRole[]
  readonly logger: Logger
}): Promise<string> {
  const { databaseFile, databaseUrl = null } = place
  const isOnPostgres = databaseUrl !== null
  const isEmpty = isOnPostgres
    ? 'The PostgreSQL database holds no data yet: start the middleware on it first.'
    : `The folder ${dirname(databaseFile)} holds no database yet: start the middleware on it first.`
  if (!isOnPostgres) {
    if (!existsSync(databaseFile)) throw new Error(isEmpty)
    takeDatabaseFolder(databaseFile, logger)
  }
  const lock = await lockPatiently(place)
  try {
    const database = await openDatabase(place, logger)
    try {
      if ((await readWmsCode(database)) === null) throw new Error(isEmpty)
      if ((await findUserByName(database, username)) !== null)
        throw new Error(`The user ${username} already exists.`)
      const password = randomBytes(12).toString('base64url')
      await insertWarehouseUser(database, { username, password, roles: held })
      return password
    } finally {
      await database.destroy()
    }
  } finally {
    lock?.release()
  }
}

function publicPasswords(host: string): string {
  return (
    `The demo's users have public passwords, so they are not served on ${host}: ` +
    'use --seed empty with a new --data folder, or --allow-demo-passwords if you want this.'
  )
}

/** Returns initial data without stock: one customer, and one user with all roles and a random password. */
function emptyWorld(now: Date): World {
  const createdAt = now.toISOString()
  const customerId = randomUUID()
  const returnAddress = {
    addressedTo: 'Returns',
    contactPerson: null,
    street: 'Street',
    street2: null,
    streetNumber: '1',
    streetNumberAddition: null,
    zipcode: '0000',
    city: 'City',
    country: 'NL',
    state: null,
    phoneNumber: null,
    mobileNumber: null,
    emailAddress: null,
  }
  return {
    wmsCode: 'DEV',
    customers: [
      { id: customerId, code: 'MAIN', name: 'Main', returnShippingMethodId: null, returnAddress, createdAt },
    ],
    users: [
      {
        id: randomUUID(),
        username: 'admin',
        password: randomBytes(12).toString('base64url'),
        roles,
        customerIds: [customerId],
        transfersGranted: true,
      },
    ],
    shippingMethods: [],
    articles: [],
    variants: [],
    locations: [],
    locationTypes: [],
    inbounds: [],
    batches: [],
    modifications: [],
    bundles: [],
    transfers: [],
    orders: [],
    shipments: [],
    exports: [],
    webhooks: [],
  }
}

/**
 * Whether a server that listens on this address can be reached only from this machine. A name other than localhost may
 * resolve to any address, so it counts as reachable from outside.
 */
export function isLoopbackAddress(host: string): boolean {
  const version = isIP(host)
  if (version === 0) return host.toLowerCase() === 'localhost'
  return loopback.check(host, version === 6 ? 'ipv6' : 'ipv4')
}

/**
 * Returns the names and addresses of this machine, which are valid in the Host header. A web page of an attacker cannot
 * have one of them as its host name.
 */
function ownNames(host: string): string[] {
  const addresses = Object.values(networkInterfaces()).flatMap((each) => each ?? [])
  const literals = addresses.map(({ address, family }) => (family === 'IPv6' ? `[${address}]` : address))
  return [host, hostname(), ...literals]
}
