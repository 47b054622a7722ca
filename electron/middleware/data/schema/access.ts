import { flag, instant, integer, json, type RowOf, table, text } from './table.ts'

/** Single values of the whole database, such as its secrets. */
const meta = table({
  key: text().primaryKey(),
  value: text(),
})

/** The last number of each sequence from which references are made. */
const counters = table({
  name: text().primaryKey(),
  value: integer(),
})

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
  /** Access to customer-to-customer transfers is granted to single users, in addition to the roles. */
  transfers_granted: flag(),
  /** JSON array of role names without the wire prefix. */
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

/** A login ends together with its user, and its refresh tokens with it. */
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
    /** SHA-256 in hex, so that a copy of the database contains no usable token. */
    hash: text().primaryKey(),
    user_id: text().references('users'),
    login: text().belongsTo('logins'),
    expires_at: instant(),
    used_at: instant().nullable(),
  },
  { indexes: { by_login: ['login'] } },
)

/** A person of the customer whose data is still to be overwritten. */
const redactions = table(
  {
    id: text().primaryKey(),
    customer_id: text().references('customers'),
    created_at: instant(),
    /** In lower case. */
    email: text(),
  },
  {
    unique: [['customer_id', 'email']],
    indexes: { by_created_at: ['customer_id', 'created_at', 'id'] },
  },
)
export type RedactionTable = RowOf<typeof redactions>

/** Who may call, and on whose behalf. */
export const accessTables = {
  meta,
  counters,
  customers,
  users,
  user_customers,
  logins,
  refresh_tokens,
  redactions,
}
