import { vi } from 'vitest'
import type * as Engine from '#middleware/data/engine/database.ts'

const refusedEach = 3
let begun = 0

/**
 * A setup file of the tests on PostgreSQL: each third transaction of the middleware is refused once at its end, as the
 * server may do, and runs again. A transaction that changes more than the database then gives a wrong result.
 */
vi.mock('#middleware/data/engine/database.ts', async (load) => {
  const database = await load<typeof Engine>()
  const inTransaction: typeof database.inTransaction = (target, work) => {
    begun += 1
    let isRefused = begun % refusedEach === 0
    return database.inTransaction(target, async (connection) => {
      const result = await work(connection)
      if (isRefused) {
        isRefused = false
        throw Object.assign(new Error('refused by the test'), { code: '40001' })
      }
      return result
    })
  }
  return { ...database, inTransaction }
})
