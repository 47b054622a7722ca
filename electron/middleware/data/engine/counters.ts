import type { Connection } from './database.ts'
import { increment } from './dialect.ts'

/** WMS-wide sequences behind references. */
export type CounterName = 'return_label' | 'shipment' | 'modification' | 'order' | 'inbound' | 'transfer'

/** Next number of a sequence; a number given out is never given again. */
export async function nextSerial(connection: Connection, name: CounterName): Promise<number> {
  const row = await connection
    .insertInto('counters')
    .values({ name, value: 1 })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value: increment() }))
    .returning('value')
    .executeTakeFirstOrThrow()
  return row.value
}

/** Lets a sequence go on after `value`; for numbers that a world brought along. */
export async function startSerialAfter(
  connection: Connection,
  name: CounterName,
  value: number,
): Promise<void> {
  await connection.insertInto('counters').values({ name, value }).execute()
}
