import { vi } from 'vitest'
import type * as Engine from '#middleware/data/engine/database.ts'

const refusedEach = 3
let begun = 0

/**
 * A setup file of the tests on PostgreSQL: each third transaction of the middleware is refused once, as the server may
 * do, and runs again. A transaction with an effect outside the database then gives a wrong result, which a test
 * detects. The transaction is refused at its end, or before it takes a number from a sequence, so that tests can expect
 * the next number.
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
