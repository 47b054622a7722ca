import type { Customer } from '#shared/wire/customer.ts'
import type { CustomerTable } from '../data/schema/clients.ts'
import { toWireTime } from './time.ts'

export function toWireCustomer(row: CustomerTable): Customer {
  return {
    id: row.id,
    code: row.code,
    name: row.name,
    created_at: toWireTime(row.created_at),
    modified_at: toWireTime(row.modified_at),
  }
}
