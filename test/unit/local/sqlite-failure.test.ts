import { SqliteError } from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openDeskDatabase } from '#local/desk-database.ts'
import { openRecentDatabase } from '#local/recent/recent-database.ts'
import { asCatalogued, guard } from '#local/sqlite-failure.ts'
import { CataloguedError } from '#shared/errors/result.ts'
import { makeLabel, StoreBench } from '#support/store-bench.ts'

let bench: StoreBench
beforeEach(async () => {
  bench = await StoreBench.create()
})
afterEach(() => bench.dispose())

function thrownBy(action: () => unknown): unknown {
  try {
    action()
  } catch (error) {
    return error
  }
  throw new Error('nothing was thrown')
}

describe('a failure of SQLite', () => {
  it.each([
    ['SQLITE_FULL', 'store.full'],
    ['SQLITE_IOERR_SHMSIZE', 'store.full'],
    ['SQLITE_IOERR_WRITE', 'store.unavailable'],
    ['SQLITE_BUSY', 'store.unavailable'],
    ['SQLITE_LOCKED_SHAREDCACHE', 'store.unavailable'],
    ['SQLITE_CANTOPEN', 'store.unavailable'],
    ['SQLITE_READONLY', 'store.unavailable'],
    ['SQLITE_CORRUPT_INDEX', 'store.unavailable'],
    ['SQLITE_NOTADB', 'store.unavailable'],
  ])('with the code %s is reported as %s, because the file or the disk causes it', (code, failure) => {
    expect(asCatalogued(new SqliteError('x', code))).toMatchObject({
      failure: { code: failure, params: { cause: code } },
    })
  })

  it.each(['SQLITE_ERROR', 'SQLITE_CONSTRAINT_UNIQUE', 'SQLITE_MISMATCH', 'SQLITE_RANGE', 'SQLITE_TOOBIG'])(
    'with the code %s is rethrown unchanged, because it is a defect of the program',
    (code) => {
      const error = new SqliteError('x', code)
      expect(asCatalogued(error)).toBe(error)
    },
  )
})

it('a read or write of a store that is closed fails with session.signed_out', async () => {
  const store = await bench.open()
  store.close()
  const signedOut = { failure: { code: 'session.signed_out' }, cause: { name: 'TypeError' } }
  // the four calls: a transaction, a single write and a read in desk.db, and a read in recent.db
  expect(thrownBy(() => makeLabel(store))).toMatchObject(signedOut)
  expect(thrownBy(() => store.scans.append({ id: 'late', raw: 'A', at: 1 }))).toMatchObject(signedOut)
  expect(thrownBy(() => store.outbox.unsettledCounts())).toMatchObject(signedOut)
  expect(thrownBy(() => store.index.get('shipment'))).toMatchObject(signedOut)
})

describe('a wrong or failing statement', () => {
  it('on desk.db reaches the caller as the error of SQLite, with its stack', async () => {
    const store = await bench.open()
    store.scans.append({ id: 'twice', raw: 'A', at: 1 })
    const twice = thrownBy(() => store.scans.append({ id: 'twice', raw: 'B', at: 2 }))
    expect(twice).not.toBeInstanceOf(CataloguedError)
    expect(twice).toMatchObject({ code: 'SQLITE_CONSTRAINT_UNIQUE' })
    expect(twice instanceof Error && twice.stack).toContain('scans-store')
    const database = await openDeskDatabase(bench.dataDir)
    const wrong = thrownBy(guard(() => database.prepare('SELECT nothing FROM nowhere')))
    expect(wrong).toMatchObject({ code: 'SQLITE_ERROR' })
    database.close()
  })

  it('on recent.db reaches the caller as the error of SQLite, and the file is not replaced', () => {
    let losses = 0
    const recent = openRecentDatabase(bench.dataDir, () => losses++)
    const part = recent.part((database) => database.prepare('SELECT nothing FROM nowhere'))
    const error = thrownBy(() =>
      part.use(
        (statement) => statement.get(),
        () => null,
      ),
    )
    expect(error).toMatchObject({ code: 'SQLITE_ERROR' })
    expect(losses).toBe(0)
    recent.close()
  })
})
