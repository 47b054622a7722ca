import { tokens as tokensSchema, type Tokens } from '#shared/wire/auth.ts'
import { type Reply, send } from './middleware-server.ts'

/** The address, the user and the password of a warehouse. */
export interface WarehouseLogin {
  readonly url: string
  readonly wms: string
  readonly username: string
  readonly password: string
}

export interface Command {
  readonly method: 'POST' | 'PUT' | 'DELETE'
  readonly body?: unknown
  /** The idempotency key. Undefined: a new key. Null: no key is sent. */
  readonly key?: string | null
}

/** A warehouse management system that calls over HTTP without a customer. */
export interface WarehouseClient {
  readonly tokens: Tokens
  read(path: string): Promise<Reply>
  command(path: string, command: Command): Promise<Reply>
}

let keys = 0

export async function connectWarehouse(login: WarehouseLogin): Promise<WarehouseClient> {
  const codes = { 'x-wms-code': login.wms, 'x-customer-code': '' }
  const { username, password } = login
  const reply = await send(login.url, '/warehouse/auth/login/', {
    method: 'POST',
    headers: codes,
    body: { username, password },
  })
  const tokens = tokensSchema.parse(reply.body)
  const { token } = tokens
  return {
    tokens,
    read: (path) => send(login.url, path, { headers: codes, token }),
    command: (path, { method, body, key }) => {
      const own = key === undefined ? `key-${(keys += 1)}` : key
      const headers = { ...codes, ...(own !== null && { 'idempotency-key': own }) }
      return send(login.url, path, { method, body, headers, token })
    },
  }
}
