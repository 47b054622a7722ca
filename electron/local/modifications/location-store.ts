import { setImmediate } from 'node:timers/promises'
import type { Database } from 'better-sqlite3'
import type { ImportCount, LocationRow, LocationSource, LocationStore } from '#desk/ports/location-store.ts'
import type { Instant } from '#shared/domain/instants.ts'
import { longestLocationCode, mostLocations } from '#shared/domain/locations.ts'
import { normaliseCode } from '#shared/domain/references.ts'
import type { ScopeKey } from '#shared/domain/scope.ts'
import { guard } from '../sqlite-failure.ts'

interface LocationRecord {
  id: string
  code: string | null
  code_key: string | null
  source: LocationSource
  seen_at: number
  /** 1 if an operator imported, named or booked the location, or scanned it for a booking, otherwise 0. */
  kept: number
}

interface Met {
  readonly id: string
  readonly code: string | null
  readonly source: LocationSource
}

type Transaction = <A extends unknown[], R>(step: (...args: A) => R) => (...args: A) => R

/** Creates the store of the locations that the desk of one scope knows. The API has no list of locations. */
export function createLocationStore(database: Database, scope: ScopeKey): LocationStore {
  const rows = createRows(database, scope)
  const learn = createLearn(rows)
  const makeRoom = createRoom(database, scope)
  const transaction: Transaction = (step) => {
    const run = database.transaction(step)
    return guard((...args) => run.immediate(...args))
  }
  return {
    list: guard((after = null, most = Number.MAX_SAFE_INTEGER) => rows.list(after, most).map(toRow)),
    get: guard((id) => orNull(rows.get(id))),
    byCode: guard((key) => orNull(rows.byKey(key))),
    import: createImport(database, scope, { rows, makeRoom, transaction }),
    learn: transaction(learn),
    name: transaction((id, code) => {
      const record = rows.get(id)
      if (!record) return 'unknown'
      const holder = rows.byKey(normaliseCode(code))
      if (holder && holder.id !== id) return 'taken'
      rows.put({ ...record, code, kept: 1 })
      return 'named'
    }),
    forget: guard((id) => rows.remove(id)),
    ...createReading(database, scope, transaction, (locations, at) => {
      for (const location of locations) learn({ ...location, source: 'modification' }, at)
      makeRoom()
    }),
  }
}

/**
 * Maximum number of modifications that are recorded as read, for one scope. If there are more, `keepRead` removes the
 * records of all modifications whose ids are not in its argument. The service has at most some thousand modifications
 * in a day.
 */
const mostRead = 10_000

type Reading = Pick<LocationStore, 'unread' | 'keepRead' | 'learnFromModification'>

/**
 * Creates the store that records which modifications of the service were already read. `teach` adds the locations of a
 * modification to the stored locations, in the transaction that records the modification as read.
 */
function createReading(
  database: Database,
  scope: ScopeKey,
  transaction: Transaction,
  teach: (locations: readonly { readonly id: string; readonly code: string | null }[], at: Instant) => void,
): Reading {
  const read = database
    .prepare<[string, string], number>('SELECT 1 FROM modifications_read WHERE scope = ? AND server_id = ?')
    .pluck()
  const note = database.prepare<[string, string]>(
    'INSERT INTO modifications_read (scope, server_id) VALUES (?, ?) ON CONFLICT DO NOTHING',
  )
  const count = database
    .prepare<[string], number>('SELECT count(*) FROM modifications_read WHERE scope = ?')
    .pluck()
  const forget = database.prepare<[string, string]>(
    'DELETE FROM modifications_read WHERE scope = ? AND server_id NOT IN (SELECT value FROM json_each(?))',
  )
  return {
    unread: guard((serverIds) => serverIds.filter((serverId) => read.get(scope, serverId) === undefined)),
    keepRead: transaction((serverIds) => {
      if ((count.get(scope) ?? 0) > mostRead) forget.run(scope, JSON.stringify(serverIds))
    }),
    learnFromModification: transaction((serverId, locations, at) => {
      teach(locations, at)
      note.run(scope, serverId)
    }),
  }
}

/** Maximum number of locations that one transaction removes or imports. The transaction takes some milliseconds. */
const atOnce = 500

/**
 * Returns the function that removes the oldest locations, at most `atOnce` in one call, if there are more locations
 * than the limit. The function runs inside the caller's transaction. Locations that an operator imported, scanned,
 * named or booked stay.
 */
function createRoom(database: Database, scope: ScopeKey): () => void {
  const count = database.prepare<[string], number>('SELECT count(*) FROM locations WHERE scope = ?').pluck()
  const remove = database.prepare<[string, string, number]>(
    `DELETE FROM locations WHERE scope = ? AND id IN
      (SELECT id FROM locations WHERE scope = ? AND kept = 0 ORDER BY seen_at, id LIMIT ?)`,
  )
  return () => {
    const beyond = (count.get(scope) ?? 0) - mostLocations
    if (beyond > 0) remove.run(scope, scope, Math.min(beyond, atOnce))
  }
}

interface Rows {
  list(after: Pick<LocationRow, 'id' | 'code'> | null, most: number): LocationRecord[]
  get(id: string): LocationRecord | undefined
  byKey(key: string): LocationRecord | undefined
  put(record: Omit<LocationRecord, 'code_key'>): void
  remove(id: string): void
}

function createRows(database: Database, scope: ScopeKey): Rows {
  const named = database.prepare<[string, string, number], LocationRecord>(
    `SELECT * FROM locations WHERE scope = ? AND code_key IS NOT NULL AND code_key > ?
     ORDER BY code_key LIMIT ?`,
  )
  const unnamed = database.prepare<[string, string, number], LocationRecord>(
    'SELECT * FROM locations WHERE scope = ? AND code_key IS NULL AND id > ? ORDER BY id LIMIT ?',
  )
  const one = database.prepare<[string, string], LocationRecord>(
    'SELECT * FROM locations WHERE scope = ? AND id = ?',
  )
  const byKey = database.prepare<[string, string], LocationRecord>(
    'SELECT * FROM locations WHERE scope = ? AND code_key = ?',
  )
  const put = database.prepare<LocationRecord & { scope: ScopeKey }>(
    `INSERT INTO locations (scope, id, code, code_key, source, seen_at, kept)
     VALUES (@scope, @id, @code, @code_key, @source, @seen_at, @kept)
     ON CONFLICT (scope, id) DO UPDATE SET code = excluded.code, code_key = excluded.code_key,
       source = excluded.source, seen_at = excluded.seen_at, kept = excluded.kept`,
  )
  const remove = database.prepare<[string, string]>('DELETE FROM locations WHERE scope = ? AND id = ?')
  return {
    list: (after, most) => {
      const isNamed = after === null || after.code !== null
      const first = isNamed ? named.all(scope, normaliseCode(after?.code ?? ''), most) : []
      const rest = most - first.length
      return rest === 0 ? first : [...first, ...unnamed.all(scope, isNamed ? '' : after.id, rest)]
    },
    get: (id) => one.get(scope, id),
    byKey: (key) => byKey.get(scope, key),
    put: (record) => {
      const { code } = record
      put.run({ ...record, scope, code_key: code === null ? null : normaliseCode(code) })
    },
    remove: (id) => void remove.run(scope, id),
  }
}

function createLearn(rows: Rows): (met: Met, at: Instant) => boolean {
  return ({ id, code, source }, at) => {
    const known = rows.get(id)
    const key = code === null || code.length > longestLocationCode ? '' : normaliseCode(code)
    const isFree = key !== '' && !rows.byKey(key)
    const name = known?.code ?? (isFree ? code : null)
    const kept = source === 'modification' ? (known?.kept ?? 0) : 1
    rows.put({ id, code: name, source: known?.source ?? source, seen_at: at, kept })
    return known === undefined
  }
}

interface ImportParts {
  readonly rows: Rows
  readonly makeRoom: () => void
  readonly transaction: Transaction
}

type Named = readonly { readonly id: string; readonly code: string }[]

function createImport(
  database: Database,
  scope: ScopeKey,
  { rows, makeRoom, transaction }: ImportParts,
): LocationStore['import'] {
  const bring = transaction((locations: Named, at: Instant): ImportCount => {
    const before = locations.map(({ id }) => rows.get(id))
    for (const { id, code } of locations) {
      // Another location that still has this code loses it. If the imported file names that location further down, the
      // location gets its new code there. A file can therefore exchange the codes of two locations.
      const holder = rows.byKey(normaliseCode(code))
      if (holder && holder.id !== id) rows.put({ ...holder, code: null })
      rows.put({ id, code, source: 'import', seen_at: at, kept: 1 })
    }
    makeRoom()
    const added = before.filter((record) => record === undefined).length
    const unchanged = before.filter((record, index) => record?.code === locations[index]?.code).length
    return { added, unchanged, changed: locations.length - added - unchanged }
  })
  const countKept = createCountKept(database, scope)
  return async (locations, at) => {
    const pieces = Array.from({ length: Math.ceil(locations.length / atOnce) }, (_, index) =>
      locations.slice(index * atOnce, (index + 1) * atOnce),
    )
    let kept = countKept.all()
    for (const piece of pieces) {
      kept += piece.length - countKept.among(piece)
      await setImmediate()
    }
    if (kept > mostLocations) return null
    const counts: ImportCount[] = []
    for (const piece of pieces) {
      counts.push(bring(piece, at))
      await setImmediate()
    }
    const sum = (name: keyof ImportCount): number => counts.reduce((total, count) => total + count[name], 0)
    return { added: sum('added'), changed: sum('changed'), unchanged: sum('unchanged') }
  }
}

interface CountKept {
  readonly all: () => number
  readonly among: (locations: Named) => number
}

function createCountKept(database: Database, scope: ScopeKey): CountKept {
  const which = 'SELECT count(*) FROM locations WHERE scope = ? AND kept = 1'
  const all = database.prepare<[string], number>(which).pluck()
  const among = database
    .prepare<[string, string], number>(`${which} AND id IN (SELECT value FROM json_each(?))`)
    .pluck()
  return {
    all: guard(() => all.get(scope) ?? 0),
    among: guard((locations) => among.get(scope, JSON.stringify(locations.map(({ id }) => id))) ?? 0),
  }
}

function orNull(record: LocationRecord | undefined): LocationRow | null {
  return record ? toRow(record) : null
}

function toRow({ id, code, source, seen_at }: LocationRecord): LocationRow {
  return { id, code, source, seenAt: seen_at }
}
