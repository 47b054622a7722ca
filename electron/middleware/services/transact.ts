import { type ServiceContext, storedNow } from './context.ts'
import { Unit } from './unit.ts'

/** Runs work in one transaction and writes what it noted before the commit. */
export async function transact<Result>(
  context: ServiceContext,
  work: (unit: Unit) => Promise<Result>,
): Promise<Result> {
  const { result, told } = await context.database.transaction().execute(async (connection) => {
    const unit = new Unit(connection, storedNow(context))
    const done = await work(unit)
    await keepWork(unit)
    return { result: done, told: await context.tell(unit) }
  })
  if (told) context.deliveries.wake()
  return result
}

async function keepWork({ connection, work, now }: Unit): Promise<void> {
  for (const { kind, customerId, id } of work)
    await connection
      .insertInto('warehouse_work')
      .values({ kind, customer_id: customerId, entity_id: id, created_at: now })
      .execute()
}
