import type { Flag } from './flag.ts'

export interface CustomerTable {
  id: string
  code: string
  name: string
  return_shipping_method_id: string | null
  return_address: string
  created_at: string
  modified_at: string
}

export interface UserTable {
  id: string
  username: string
  password_hash: string
  user_type: 'api' | 'employee' | 'warehouse'
  /** JSON array of role names without the wire prefix. */
  roles: string
  /** Access to customer-to-customer transfers is granted user by user, beside the roles. */
  transfers_granted: Flag
}

export interface UserCustomerTable {
  user_id: string
  customer_id: string
}

export interface LoginTable {
  /** SHA-256 in hex of the id that the tokens carry. */
  hash: string
  user_id: string
  expires_at: string
}

export interface RefreshTokenTable {
  /** SHA-256 in hex: a copied database yields no usable token. */
  hash: string
  user_id: string
  expires_at: string
  login: string | null
  used_at: string | null
}

export interface MetaTable {
  key: string
  value: string
}

export interface CounterTable {
  name: string
  value: number
}

/** A person of the customer whose traces are still to be overwritten. */
export interface RedactionTable {
  id: string
  customer_id: string
  email: string
  created_at: string
}
