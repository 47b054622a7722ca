import { type ExportFamily, exportTypes } from '#shared/domain/exports.ts'
import { sandbox } from '#shared/domain/sandbox.ts'
import { webhookGroups, webhookTopics } from '#shared/domain/webhook-topics.ts'
import { type Role, roles } from '#shared/wire/roles.ts'
import type {
  WorldAddress,
  WorldCustomer,
  WorldExport,
  WorldShippingMethod,
  WorldUser,
  WorldWebhook,
} from '../world.ts'
import { daysBefore, workingMoment } from './dates.ts'
import type { Random } from './random.ts'

/** The customers of the demo, with their users, exports and webhooks. */

/** Codes of the fashion shop and the outdoor shop, for the header X-Customer-Code. */
export const fashionCode = sandbox.customerCode
const outdoorCode = 'RUIGPAD'

const returnsDock: Omit<
  WorldAddress,
  'addressedTo' | 'contactPerson' | 'emailAddress' | 'streetNumberAddition'
> = {
  street: 'Loodsenkade',
  street2: null,
  streetNumber: '32',
  zipcode: '5048 AB',
  city: 'Tilburg',
  country: 'NL',
  state: null,
  phoneNumber: '+31 85 000 0032',
  mobileNumber: null,
}

/**
 * Creates two customers. All returns to the fashion shop have the same shipping method; each return to the outdoor shop
 * has the shipping method of its shipment.
 */
export function makeCustomers(
  random: Random,
  now: Date,
  methods: readonly WorldShippingMethod[],
): { fashion: WorldCustomer; outdoor: WorldCustomer } {
  const standard = methods.find((method) => method.code === 'PP-STD')
  return {
    fashion: {
      id: random.uuid(),
      code: fashionCode,
      name: 'Zilverlinde Mode',
      returnShippingMethodId: standard?.id ?? null,
      returnAddress: {
        ...returnsDock,
        addressedTo: 'Zilverlinde Retouren',
        contactPerson: 'Loods 4, dock 12',
        streetNumberAddition: null,
        emailAddress: 'retour@zilverlinde.example',
      },
      createdAt: daysBefore(now, 1460),
    },
    outdoor: {
      id: random.uuid(),
      code: outdoorCode,
      name: 'Ruigpad Outdoor & Nutrition',
      returnShippingMethodId: null,
      returnAddress: {
        ...returnsDock,
        addressedTo: 'Ruigpad Returns',
        contactPerson: 'Loods 4, dock 15',
        streetNumberAddition: 'B',
        emailAddress: 'returns@ruigpad.example',
      },
      createdAt: daysBefore(now, 730),
    },
  }
}

const reader = 'reader'
const fashionUser = 'zilver'

/** User of an external warehouse, created when a server first runs with an external warehouse. */
export const warehouseUsername = 'warehouse'

/** The public passwords of the demo's users, by user name. */
export const demoUsers: ReadonlyMap<string, string> = new Map([
  ...[sandbox.username, reader, fashionUser].map((username) => [username, sandbox.password] as const),
  [warehouseUsername, 'warehouse'],
])

/**
 * Creates the users. All have one password, which gives access to the sandbox only. `desk` has all roles, `reader` only
 * reads, `zilver` has all roles for the fashion shop only.
 */
export function makeUsers(
  random: Random,
  customers: { readonly fashion: WorldCustomer; readonly outdoor: WorldCustomer },
): WorldUser[] {
  const both = [customers.fashion.id, customers.outdoor.id]
  const user = (username: string, held: readonly Role[], customerIds: readonly string[]): WorldUser => ({
    id: random.uuid(),
    username,
    password: sandbox.password,
    roles: held,
    customerIds,
    // only users of several customers have access to transfers, because a transfer needs two customers
    transfersGranted: customerIds.length > 1,
  })
  return [
    user(sandbox.username, roles, both),
    user(
      reader,
      roles.filter((role) => role.endsWith('_READ')),
      both,
    ),
    user(fashionUser, roles, [customers.fashion.id]),
  ]
}

const families: readonly ExportFamily[] = ['standard', 'billing', 'financial']
/**
 * Number of exports of each customer that are not written yet: the newest ones. The first start of a server writes
 * them.
 */
const newestExports = 3
const exportsOfType = 2
const exportDays = 80

/**
 * Creates exports of every type for each customer. Most have expired, one has failed, and the newest are not written
 * yet.
 */
export function makeExports(random: Random, now: Date, customers: readonly WorldCustomer[]): WorldExport[] {
  return customers.flatMap((customer) => {
    const asked = families.flatMap((family) =>
      exportTypes[family].flatMap((type) => Array.from({ length: exportsOfType }, () => ({ family, type }))),
    )
    return random.shuffled(asked).map(({ family, type }, index): WorldExport => {
      const status = index < newestExports ? 'created' : index === newestExports ? 'failed' : 'expired'
      // an expired export is older than a month, because a file expires after a month
      const daysAgo = index <= newestExports ? index / 10 : 31 + random.next() * exportDays
      return {
        id: random.uuid(),
        customerId: customer.id,
        family,
        type,
        status,
        createdAt: workingMoment(now, 1 + daysAgo, random.int(0, 540)),
      }
    })
  })
}

const webhookDays = 200

/**
 * Creates one webhook per customer and topic. All webhooks of a customer send to the same host. Its name cannot be
 * registered (RFC 2606), so no notification of a demo leaves this machine.
 */
export function makeWebhooks(random: Random, now: Date, customers: readonly WorldCustomer[]): WorldWebhook[] {
  return customers.flatMap((customer) =>
    webhookGroups.flatMap((group) =>
      webhookTopics[group].map((action) => ({
        id: random.uuid(),
        customerId: customer.id,
        url: `https://erp.${customer.code.toLowerCase()}.example/hooks/${group}`,
        group,
        action,
        hashSecret: random.digits(24),
        createdAt: workingMoment(now, 1 + random.next() * webhookDays, random.int(0, 540)),
      })),
    ),
  )
}
