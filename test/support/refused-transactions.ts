import { vi } from 'vitest'
import type * as Engine from '#middleware/data/engine/database.ts'

const refusedEach = 3
let begun = 0

/**
 * A setup file of the tests on PostgreSQL. It refuses each third transaction of the middleware once, as PostgreSQL may
 * do, so that the middleware runs the transaction again. If the transaction has an effect outside the database, the
 * effect happens twice, and a test detects it. The refusal comes at the end of the transaction, or before the
 * transaction takes a number from a sequence, so that tests can expect the next number.
 */
vi.mock('#middleware/data/engine/database.ts', async (load) => {
  const database = await load<typeof Engine>()
  const refused = new WeakSet<object>()
  const refusal = (): Error => Object.assign(new Error('refused by the test'), { code: '40001' })
  const inTransaction: typeof database.inTransaction = (target, work) => {
    begun += 1
    let isNext = begun % refusedEach === 0
    return database.inTransaction(target, async (connection) => {
      const isRefused = isNext
      isNext = false
      if (isRefused) refused.add(connection)
      const result = await work(connection)
      if (isRefused) throw refusal()
      return result
    })
  }
  const nextOfSequence: typeof database.nextOfSequence = (connection, name) => {
    if (refused.has(connection)) throw refusal()
    return database.nextOfSequence(connection, name)
  }
  return { ...database, inTransaction, nextOfSequence }
})
