import { sql, type RawBuilder } from 'kysely'
import type { Connection } from './engine/database.ts'
import type { RedactionTable } from './schema/access.ts'

/**
 * Stores a redaction. If a redaction of the same address is pending, no row is added: the pending redaction keeps its
 * position and gets the new id. Because of the new id it runs again, even if it is running now.
 */
export async function insertRedaction(connection: Connection, row: RedactionTable): Promise<void> {
  await connection
    .insertInto('redactions')
    .values(row)
    .onConflict((pending) => pending.columns(['customer_id', 'email']).doUpdateSet({ id: row.id }))
    .execute()
}

/** Counts the customer's pending redactions of e-mail addresses other than `email`. */
export async function countOtherRedactions(
  connection: Connection,
  { customer_id: customerId, email }: Pick<RedactionTable, 'customer_id' | 'email'>,
): Promise<number> {
  const { count } = await connection
    .selectFrom('redactions')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('customer_id', '=', customerId)
    .where('email', '!=', email)
    .executeTakeFirstOrThrow()
  return count
}

export async function customersToRedact(connection: Connection): Promise<string[]> {
  const rows = await connection.selectFrom('redactions').select('customer_id').distinct().execute()
  return rows.map(({ customer_id: id }) => id)
}

/** Returns the customer's oldest pending redaction whose id is not in `exceptIds`. Null: there is none. */
export async function nextRedaction(
  connection: Connection,
  customerId: string,
  exceptIds: readonly string[],
): Promise<RedactionTable | null> {
  const all = connection
    .selectFrom('redactions')
    .selectAll()
    .where('customer_id', '=', customerId)
    .orderBy('created_at')
    .orderBy('id')
  // the condition is omitted for an empty list, because SQL does not allow an empty list after `not in`
  const left = exceptIds.length === 0 ? all : all.where('id', 'not in', exceptIds)
  return (await left.limit(1).executeTakeFirst()) ?? null
}

/**
 * Deletes the redaction with this id, together with its e-mail address. If a redaction of the same address was
 * requested meanwhile, the stored redaction has another id and is not deleted.
 */
export async function deleteRedaction(connection: Connection, id: string): Promise<void> {
  await connection.deleteFrom('redactions').where('id', '=', id).execute()
}

/**
 * The tables whose records contain data of persons. A shipment repeats the personal data of its order, and a return
 * label repeats that of its shipment.
 */
export const personTables = ['orders', 'shipments', 'return_labels'] as const
export type PersonTable = (typeof personTables)[number]

/** The personal data of a record, and the record from which it was copied. */
export interface PersonRecord {
  readonly id: string
  readonly created_at: string
  /**
   * Id of the record from which the personal data was copied: the order of a shipment, or the shipment of a label.
   * Null: this id is not stored.
   */
  readonly owner: string | null
  /**
   * The external reference of the order, or of the shipment's order. Null for a label. Also null for a shipment that
   * has the id of its order (`owner`), because the reference of an order can change, and another order could have it
   * now.
   */
  readonly reference: string | null
  /**
   * The e-mail address that is stored beside the postal address. If this record has copied the e-mail address from
   * another record, the copy stays the same when a client changes the e-mail address of that other record.
   */
  readonly email: string | null
  /** The stored address, as JSON. */
  readonly address: string
}

const personColumns: Readonly<Record<PersonTable, RawBuilder<unknown>>> = {
  orders: sql`null as owner, external_reference as reference, shipping_email as email, shipping_address as address`,
  shipments: sql`order_id as owner, case when order_id is null then order_external_reference end as reference,
    shipping_email as email, shipping_address as address`,
  return_labels: sql`shipment_id as owner, null as reference, sender_email as email, sender_address as address`,
}

/** Returns up to `limit` of the customer's records after `after`, in the order of their creation. */
export async function walkPersons(
  connection: Connection,
  table: PersonTable,
  customerId: string,
  after: Pick<PersonRecord, 'created_at' | 'id'>,
  limit: number,
): Promise<PersonRecord[]> {
  const { rows } =
    await sql<PersonRecord>`select id, created_at, ${personColumns[table]} from ${sql.table(table)}
    where customer_id = ${customerId} and (created_at, id) > (${after.created_at}, ${after.id})
    order by created_at, id limit ${limit}`.execute(connection)
  return rows
}

/** The tables whose records repeat the personal data of another record (`owner`). */
export type RepeatingTable = Exclude<PersonTable, 'orders'>

/**
 * For each `RepeatingTable`, a column whose value is higher in each new record. The creation time is not such a
 * column, because the clock can be set back.
 */
const growing = { shipments: sql.ref('reference'), return_labels: sql.ref('serial') } as const

/**
 * The position of a record in the order of creation: the reference of a shipment, or the serial number of a return
 * label. Null: before the first record.
 */
export type Place = string | number | null

/** Returns the position of the customer's newest record. */
export async function newestPlace(
  connection: Connection,
  table: RepeatingTable,
  customerId: string,
): Promise<Place> {
  const { rows } = await sql<{ place: string | number }>`select ${growing[table]} as place
    from ${sql.table(table)} where customer_id = ${customerId}
    order by ${growing[table]} desc limit 1`.execute(connection)
  return rows[0]?.place ?? null
}

/** Returns up to `limit` of the customer's records after a position, in the order of their creation. */
export async function recordsBehind(
  connection: Connection,
  table: RepeatingTable,
  customerId: string,
  place: Place,
  limit: number,
): Promise<{ id: string; owner: string | null; place: string | number }[]> {
  const isBehind = place === null ? sql`true` : sql`${growing[table]} > ${place}`
  const { rows } = await sql<{ id: string; owner: string | null; place: string | number }>`
    select id, ${ownerColumns[table]} as owner, ${growing[table]} as place from ${sql.table(table)}
    where customer_id = ${customerId} and ${isBehind}
    order by ${growing[table]} limit ${limit}`.execute(connection)
  return rows
}

const ownerColumns = { shipments: sql.ref('order_id'), return_labels: sql.ref('shipment_id') } as const

/** Returns the records with the given ids, without those that were deleted meanwhile. */
export async function findPersons(
  connection: Connection,
  table: PersonTable,
  ids: readonly string[],
): Promise<PersonRecord[]> {
  const { rows } =
    await sql<PersonRecord>`select id, created_at, ${personColumns[table]} from ${sql.table(table)}
    where id in (${sql.join(ids)})`.execute(connection)
  return rows
}

/** Overwrites the personal data of a record and sets its time of change. Everything else stays. */
export async function overwritePerson(
  connection: Connection,
  table: PersonTable,
  id: string,
  {
    address,
    text,
    modifiedAt,
  }: { readonly address: string; readonly text: string; readonly modifiedAt: string },
): Promise<void> {
  if (table === 'return_labels') {
    const change = { sender_address: address, modified_at: modifiedAt }
    await connection.updateTable(table).set(change).where('id', '=', id).execute()
  } else {
    const change = { shipping_address: address, modified_at: modifiedAt }
    await connection.updateTable(table).set(change).where('id', '=', id).execute()
  }
  for (const column of personTexts[table])
    await sql`update ${sql.table(table)} set ${sql.ref(column)} = ${text}
      where id = ${id} and ${sql.ref(column)} is not null`.execute(connection)
}

/** For each table, the columns (besides the address) whose texts name the person of a record. */
const personTexts: Readonly<Record<PersonTable, readonly string[]>> = {
  orders: ['shipping_email', 'shipping_contactperson'],
  shipments: ['shipping_email'],
  return_labels: ['sender_email'],
}

/**
 * Returns up to `limit` documents that belong to the given records and may name their person, with the sizes in bytes.
 */
export async function documentsNaming(
  connection: Connection,
  table: PersonTable,
  ids: readonly string[],
  limit: number,
): Promise<{ id: string; size: number }[]> {
  const holders = {
    orders: sql`select document_id from order_documents where order_id in (${sql.join(ids)})`,
    shipments: sql`select document_id from shipment_documents where shipment_id in (${sql.join(ids)})`,
    return_labels: sql`select document_id from return_labels where id in (${sql.join(ids)})`,
  }
  const { rows } = await sql<{ id: string; size: number }>`select id, length(content) as size from documents
    where id in (${holders[table]}) limit ${limit}`.execute(connection)
  return rows
}
