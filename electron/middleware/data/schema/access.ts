import { flag, instant, integer, json, type RowOf, sequence, table, text } from './table.ts'

/** Single values of the whole database, such as its secrets. */
const meta = table({
  key: text().primaryKey(),
  value: text(),
})

/** The names of the sequences for references. */
export const counterNames = [
  'return_label',
  'shipment',
  'modification',
  'order',
  'inbound',
  'transfer',
] as const
export type CounterName = (typeof counterNames)[number]

/**
 * The sequences for references. With SQLite, these rows contain the last number of each sequence. In PostgreSQL the
 * numbers come from sequences of the database, and these rows only contain the numbers after which those sequences
 * started.
 */
const counters = table({
  name: text().primaryKey(),
  value: integer(),
})

/** Leases of the processes that serve a PostgreSQL database (engine/coordination.ts). */
const leases = table(
  {
    name: text().primaryKey(),
    /** Id of the process that has the lease. */
    owner: text(),
    /** End of the lease, by the clock of the database server. */
    expires_at: instant(),
  },
  { indexes: { by_owner: ['owner'] } },
)

/**
 * Refused logins, in a PostgreSQL database only. They are stored, so that all processes count them together
 * (services/access/login-gate.ts).
 */
const refused_logins = table(
  {
    id: sequence(),
    /** Hash of a user name and a network, or of a network alone (`keyOf` in login-gate.ts). */
    key: text(),
    refused_at: instant(),
  },
  { indexes: { by_key: ['key', 'refused_at'], by_time: ['refused_at'] } },
)

const customers = table({
  id: text().primaryKey(),
  code: text().unique(),
  created_at: instant(),
  modified_at: instant(),
  return_shipping_method_id: text().nullable(),
  name: text(),
  return_address: json(),
})
export type CustomerTable = RowOf<typeof customers>

const users = table({
  id: text().primaryKey(),
  username: text().unique(),
  password_hash: text(),
  user_type: text<'api' | 'employee' | 'warehouse'>(),
  /**
   * Whether the user may use customer-to-customer transfers. No role contains this right; it is given to individual
   * users.
   */
  transfers_granted: flag(),
  /** JSON array of role names, without the prefix that they have in the API. */
  roles: json(),
})
export type UserTable = RowOf<typeof users>

const user_customers = table(
  {
    user_id: text().references('users'),
    customer_id: text().references('customers'),
  },
  { primaryKey: ['user_id', 'customer_id'] },
)

/** The logins of users. A user's logins are deleted with the user, and a login's refresh tokens with the login. */
const logins = table(
  {
    /** SHA-256 in hex of the login id that the tokens contain. */
    hash: text().primaryKey(),
    user_id: text().belongsTo('users'),
    expires_at: instant(),
  },
  { indexes: { by_user: ['user_id', 'expires_at', 'hash'], by_end: ['expires_at'] } },
)

const refresh_tokens = table(
  {
    /** SHA-256 of the token in hex, so that a copy of the database contains no usable token. */
    hash: text().primaryKey(),
    user_id: text().references('users'),
    login: text().belongsTo('logins'),
    expires_at: instant(),
    used_at: instant().nullable(),
  },
  { indexes: { by_login: ['login'] } },
)

/** Persons whose data in the records of a customer must still be overwritten. */
const redactions = table(
  {
    id: text().primaryKey(),
    customer_id: text().references('customers'),
    created_at: instant(),
    /** The e-mail address of the person, in lower case. */
    email: text(),
  },
  {
    unique: [['customer_id', 'email']],
    indexes: { by_created_at: ['customer_id', 'created_at', 'id'] },
  },
)
export type RedactionTable = RowOf<typeof redactions>

/** Users, logins and customers, and the values that the whole database shares. */
export const accessTables = {
  meta,
  counters,
  leases,
  refused_logins,
  customers,
  users,
  user_customers,
  logins,
  refresh_tokens,
  redactions,
}
