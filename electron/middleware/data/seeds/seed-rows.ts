import type { InsertObject } from 'kysely'
import { type Connection, portions } from '../engine/database.ts'
import type { Flag } from '../schema/table.ts'
import type { Schema } from '../schema/schema.ts'

/** Stores rows of one table. Uses several statements if the rows have more values than one statement accepts. */
export async function insertAll<Table extends keyof Schema>(
  connection: Connection,
  table: Table,
  rows: readonly InsertObject<Schema, Table>[],
): Promise<void> {
  for (const portion of portions(rows)) await connection.insertInto(table).values(portion).execute()
}

/** Converts an ISO 8601 time to the stored format, which sorts as text. */
export function storedTime(time: string): string {
  return new Date(time).toISOString()
}

/** Converts a boolean to its stored form. */
export function flag(value: boolean): Flag {
  return value ? 1 : 0
}

/** Returns the highest number in references such as `SHP00000000412`, or 0 if there are none. */
export function lastNumber(rows: readonly { readonly reference: string }[]): number {
  return Math.max(0, ...rows.map(({ reference }) => Number(reference.slice(3))))
}
