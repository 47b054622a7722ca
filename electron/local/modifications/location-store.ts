import type { Database } from 'better-sqlite3'
import type { ImportCount, LocationRow, LocationSource, LocationStore } from '#desk/ports/location-store.ts'
import { normaliseCode } from '#shared/domain/references.ts'
import { guard } from '../sqlite-failure.ts'

interface LocationRecord {
  id: string
  code: string | null
  code_key: string | null
  source: LocationSource
  seen_at: number
}

interface Met {
  readonly id: string
  readonly code: string | null
  readonly source: LocationSource
}

/** The location book of one scope. */
export function createLocationStore(database: Database, scope: string): LocationStore {
  const rows = createRows(database, scope)
  const learn = createLearn(rows)
  const bring = createImport(rows)
  const transaction = <A extends unknown[], R>(step: (...args: A) => R): ((...args: A) => R) => {
    const run = database.transaction(step)
    return guard((...args: A) => run.immediate(...args))
  }
  const read = database
    .prepare<[string, string], number>('SELECT 1 FROM modifications_read WHERE scope = ? AND server_id = ?')
    .pluck()
  const noteRead = database.prepare<[string, string]>(
    'INSERT INTO modifications_read (scope, server_id) VALUES (?, ?) ON CONFLICT DO NOTHING',
  )
  return {
    list: guard(() => rows.list().map(toRow)),
    get: guard((id) => orNull(rows.get(id))),
    byCode: guard((key) => orNull(rows.byKey(key))),
    import: transaction(bring),
    learn: transaction(learn),
    name: transaction((id, code) => {
      const record = rows.get(id)
      if (!record) return 'unknown'
      const holder = rows.byKey(normaliseCode(code))
      if (holder && holder.id !== id) return 'taken'
      rows.put({ ...record, code })
      return 'named'
    }),
    forget: guard((id) => rows.remove(id)),
    unread: guard((serverIds) => serverIds.filter((serverId) => read.get(scope, serverId) === undefined)),
    learnFromModification: transaction((serverId, locations, at) => {
      for (const location of locations) learn({ ...location, source: 'modification' }, at)
      noteRead.run(scope, serverId)
    }),
  }
}

interface Rows {
  list(): LocationRecord[]
  get(id: string): LocationRecord | undefined
  byKey(key: string): LocationRecord | undefined
  put(record: Omit<LocationRecord, 'code_key'>): void
  remove(id: string): void
}

function createRows(database: Database, scope: string): Rows {
  const list = database.prepare<[string], LocationRecord>(
    'SELECT * FROM locations WHERE scope = ? ORDER BY code_key IS NULL, code_key, id',
  )
  const one = database.prepare<[string, string], LocationRecord>(
    'SELECT * FROM locations WHERE scope = ? AND id = ?',
  )
  const byKey = database.prepare<[string, string], LocationRecord>(
    'SELECT * FROM locations WHERE scope = ? AND code_key = ?',
  )
  const put = database.prepare<[string, string, string | null, string | null, string, number]>(
    `INSERT INTO locations (scope, id, code, code_key, source, seen_at) VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT (scope, id) DO UPDATE SET code = excluded.code, code_key = excluded.code_key,
       source = excluded.source, seen_at = excluded.seen_at`,
  )
  const remove = database.prepare<[string, string]>('DELETE FROM locations WHERE scope = ? AND id = ?')
  return {
    list: () => list.all(scope),
    get: (id) => one.get(scope, id),
    byKey: (key) => byKey.get(scope, key),
    put: ({ id, code, source, seen_at }) =>
      void put.run(scope, id, code, code === null ? null : normaliseCode(code), source, seen_at),
    remove: (id) => void remove.run(scope, id),
  }
}

function createLearn(rows: Rows): (met: Met, at: number) => boolean {
  return ({ id, code, source }, at) => {
    const known = rows.get(id)
    const isFree = code !== null && normaliseCode(code) !== '' && !rows.byKey(normaliseCode(code))
    const name = known?.code ?? (isFree ? code : null)
    rows.put({ id, code: name, source: known?.source ?? source, seen_at: at })
    return known === undefined
  }
}

function createImport(
  rows: Rows,
): (locations: readonly { id: string; code: string }[], at: number) => ImportCount {
  return (locations, at) => {
    const before = locations.map(({ id }) => rows.get(id))
    // all codes of the file are set free first, so that two locations may swap theirs
    for (const { id, code } of locations) {
      const holder = rows.byKey(normaliseCode(code))
      if (holder && holder.id !== id) rows.put({ ...holder, code: null })
    }
    for (const { id, code } of locations) rows.put({ id, code, source: 'import', seen_at: at })
    const added = before.filter((record) => record === undefined).length
    const unchanged = before.filter((record, index) => record?.code === locations[index]?.code).length
    return { added, unchanged, changed: locations.length - added - unchanged }
  }
}

function orNull(record: LocationRecord | undefined): LocationRow | null {
  return record ? toRow(record) : null
}

function toRow({ id, code, source, seen_at }: LocationRecord): LocationRow {
  return { id, code, source, seenAt: seen_at }
}
