import { randomBytes, randomUUID } from 'node:crypto'
import { hostname, networkInterfaces } from 'node:os'
import type { Clock } from '#kit/clock.ts'
import type { Logger } from '#kit/logger.ts'
import { roles } from '#shared/wire/roles.ts'
import { createMiddleware } from './app.ts'
import { makeDemoWorld } from './warehouse/demo/world.ts'
import type { World, WorldUser } from './warehouse/world.ts'

/** The same world on every machine; only its dates follow the day it is made. */
const demoSeed = 1

export interface StartOptions {
  readonly databaseFile: string
  /** 0 takes any free port. */
  readonly port: number
  /** Address to listen on; loopback unless somebody else is meant to call. */
  readonly host: string
  readonly seed: 'demo' | 'empty'
  readonly sandbox: boolean
  readonly quirks?: boolean
  readonly clock: Clock
  readonly logger: Logger
}

export interface Credentials {
  readonly username: string
  /** Null: set when this database was first made, and kept only as a hash. */
  readonly password: string | null
}

/** What somebody needs to call the server that just started. */
export interface Invitation extends Credentials {
  readonly url: string
  readonly wms: string
  readonly customer: string
  /** For trying out what is refused: null where this database has none. */
  readonly others: {
    /** May see everything and change nothing. */
    readonly readOnly: Credentials | null
    /** Code of a second customer of the same user. */
    readonly customer: string | null
  }
}

export interface RunningMiddleware {
  readonly invitation: Invitation
  /** Finishes the calls under way, then closes the database. */
  stop(): Promise<void>
}

/** Opens, fills if empty, and listens. Throws when the port is taken or the database cannot be opened. */
export async function startMiddleware(options: StartOptions): Promise<RunningMiddleware> {
  const now = new Date(options.clock.now())
  const world = options.seed === 'demo' ? makeDemoWorld({ seed: demoSeed, now }) : emptyWorld(now)
  const start = { seeded: false }
  const app = await createMiddleware({
    databaseFile: options.databaseFile,
    world,
    sandbox: options.sandbox,
    quirks: options.quirks ?? false,
    clock: options.clock,
    logger: options.logger,
    allowedHosts: isLoopback(options.host) ? [] : ownNames(options.host),
    onSeeded: () => (start.seeded = true),
  })
  try {
    const url = await app.listen({ port: options.port, host: options.host })
    const passwordsKnown = start.seeded || options.seed === 'demo'
    return { invitation: invite(world, url, passwordsKnown), stop: () => app.close() }
  } catch (error) {
    await app.close()
    throw error
  }
}

function invite(world: World, url: string, passwordsKnown: boolean): Invitation {
  const codes = new Map(world.customers.map((customer) => [customer.id, customer.code]))
  const credentials = ({ username, password }: WorldUser): Credentials => ({
    username,
    password: passwordsKnown ? password : null,
  })
  const [first] = world.users
  const [customer, second] = (first?.customerIds ?? []).flatMap((id) => codes.get(id) ?? [])
  if (first === undefined || customer === undefined) throw new Error('The world has no user with a customer')
  const reader = world.users.find((user) => user.roles.every((role) => role.endsWith('_READ')))
  const readOnly = reader === undefined ? null : credentials(reader)
  const others = { readOnly, customer: second ?? null }
  return { url, wms: world.wmsCode, customer, ...credentials(first), others }
}

/** One customer and one user who may do everything, with a password of its own; nothing on the shelves. */
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

function isLoopback(host: string): boolean {
  return ['localhost', '::1'].includes(host) || host.startsWith('127.')
}

/** Names this machine is called by: no name that a stranger could point here. */
function ownNames(host: string): string[] {
  const addresses = Object.values(networkInterfaces()).flatMap((each) => each ?? [])
  const literals = addresses.map(({ address, family }) => (family === 'IPv6' ? `[${address}]` : address))
  return [host, hostname(), ...literals]
}
