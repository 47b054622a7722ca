import { setImmediate } from 'node:timers/promises'
import type { Database } from 'better-sqlite3'
import { z } from 'zod'
import type { SkippedEntry } from '#desk/ports/catalogue-store.ts'
import type { FilePaths } from '#desk/ports/catalogue-sync.ts'
import {
  type ExpiringLot,
  type KeptLots,
  type LotsStore,
  mostLots,
  type StoredLot,
} from '#desk/ports/recent-store.ts'
import type { ScopeKey } from '#shared/domain/scope.ts'
import { parseBody } from '../cache.ts'
import type { RecentDatabase, RecentPart } from '../recent/recent-database.ts'
import { prepareLookedLots } from '../recent/seen-rows.ts'
import { type CacheFileReader, openCacheFile } from './catalogue-database.ts'
import { putAside } from './catalogue-disk.ts'
import { lotsFile } from './catalogue-schema.ts'
import { prepareFacts, prepareNewestSkipped } from './catalogue-statements.ts'

const storedLots: z.ZodType<StoredLot[]> = z.array(
  z.object({
    id: z.string(),
    quantity: z.number(),
    expirationDate: z.string().nullable(),
    inboundReference: z.string().nullable(),
    receivedAt: z.string().nullable(),
  }),
)

/**
 * Limit of the number of lots that are read for one list of the lots that expire soon (`expiring`). It applies
 * separately to the stored query results and to the last complete pass. It exists because reading the list must not
 * delay a scan.
 */
const mostLooked = 5_000

interface LotsRecord {
  variant_id: string
  body: string
  as_of: number
}

/**
 * Creates the store of the last known lots of each variant. The lots are from the last query for the variant (stored in
 * recent.db) or from the last complete pass over all lots, whichever is newer.
 */
export function createLotsStore(recent: RecentDatabase, scope: ScopeKey, pass: LotsReader): LotsStore {
  const part = recent.part(prepareLooks)
  const atLook = (variantId: string): KeptLots | null =>
    part.use(
      ({ kept }) => {
        const record = kept.get(scope, variantId)
        return record ? toKept(record) : null
      },
      () => null,
    )
  /**
   * Returns the stored results of queries for lots; the key of a result is the variant whose lots were queried. `asOf`:
   * older results are left out. Reads the newest result first. Stops when the number of results plus the number of
   * their lots reaches `mostLooked`.
   */
  const looksSince = (asOf: number): Looks =>
    part.use(
      ({ since }) => readLooks(since.iterate(scope, asOf)),
      () => readLooks([]),
    )
  return {
    kept(variantId) {
      const look = atLook(variantId)
      const inPass = pass.ofVariant(variantId)
      return look && (!inPass || look.asOf >= inPass.asOf) ? look : inPass
    },
    keep: createKeep(part, scope),
    variantOf(lotId) {
      const looked = part.use(
        ({ naming }) => naming.get(scope, lotId) ?? null,
        () => null,
      )
      return looked ?? pass.variantOf(lotId)
    },
    expiring(until) {
      const { looks, isCut } = looksSince(pass.state().asOf ?? 0)
      const inPass = pass.expiring(until, mostLooked + 1)
      const others = inPass.slice(0, mostLooked).filter(({ variantId }) => !looks.has(variantId))
      const lots = [...expiringOf(looks, until), ...others].sort(soonestFirst)
      return { lots, isCut: isCut || inPass.length > mostLooked }
    },
  }
}

/**
 * Maximum number of old query results that are removed when a new result is stored, as long as a scope has too many
 * results or lots (`SeenRows.cut`).
 */
const mostCut = 100

type Statements = ReturnType<typeof prepareLooks>

function prepareLooks(database: Database) {
  const seen = prepareLookedLots(database)
  const put = database.prepare<{ scope: ScopeKey; variantId: string; asOf: number; body: string }>(
    `INSERT INTO lots (scope, variant_id, as_of, body) VALUES (@scope, @variantId, @asOf, @body)
       ON CONFLICT DO UPDATE SET as_of = excluded.as_of, body = excluded.body`,
  )
  const addId = database.prepare<[string, string, string]>(
    'INSERT INTO lot_ids (scope, lot_id, variant_id) VALUES (?, ?, ?) ON CONFLICT DO NOTHING',
  )
  const removeId = database.prepare<[string, string, string]>(
    'DELETE FROM lot_ids WHERE scope = ? AND lot_id = ? AND variant_id = ?',
  )
  const change = database.transaction((scope: ScopeKey, variantId: string, changes: readonly IdChange[]) => {
    for (const { lotId, isKept } of changes) (isKept ? addId : removeId).run(scope, lotId, variantId)
  })
  return {
    kept: database.prepare<[string, string], LotsRecord>(
      'SELECT variant_id, body, as_of FROM lots WHERE scope = ? AND variant_id = ?',
    ),
    since: database.prepare<[string, number], LotsRecord>(
      'SELECT variant_id, body, as_of FROM lots WHERE scope = ? AND as_of >= ? ORDER BY as_of DESC',
    ),
    naming: database
      .prepare<[string, string], string>(
        `SELECT i.variant_id FROM (SELECT scope, variant_id FROM lot_ids WHERE scope = ? AND lot_id = ? LIMIT 10) i
         CROSS JOIN lots l ON l.scope = i.scope AND l.variant_id = i.variant_id ORDER BY l.as_of DESC LIMIT 1`,
      )
      .pluck(),
    idsOf: database
      .prepare<[string, string], string>('SELECT lot_id FROM lot_ids WHERE scope = ? AND variant_id = ?')
      .pluck(),
    change: (scope: ScopeKey, variantId: string, changes: readonly IdChange[]) =>
      change.immediate(scope, variantId, changes),
    put: (scope: ScopeKey, variantId: string, asOf: number, lots: readonly StoredLot[]) =>
      void put.run({ scope, variantId, asOf, body: JSON.stringify(lots) }),
    cut: (scope: ScopeKey) => seen.cut(scope, mostCut),
  }
}

/**
 * A change of the table `lot_ids`, in which a search by the id of a lot finds the variant of the lot. `isKept`: true
 * adds the id, false removes it.
 */
interface IdChange {
  readonly lotId: string
  readonly isKept: boolean
}

/** The number of ids that one transaction writes. The transaction takes some milliseconds. */
const idsAtOnce = 200

/**
 * Stores the lots of a query in small transactions and lets the event loop run between them. The ids are written before
 * the lots, so that every stored lot can be found by its id. If the program ends in between, the next query for the
 * variant corrects the ids.
 */
function createKeep(part: RecentPart<Statements>, scope: ScopeKey): LotsStore['keep'] {
  return async (variantId, all, asOf) => {
    let begun: Statements | null = null
    const write = <T>(action: (statements: Statements) => T): T | null =>
      part.use(
        (statements) => {
          begun ??= statements
          // if the file was damaged and replaced since the first ids were written, those ids are lost, so the write
          // stops
          return begun === statements ? action(statements) : null
        },
        () => null,
      )
    const lots = all.slice(0, mostLots + 1)
    const before = write(({ idsOf }) => new Set(idsOf.all(scope, variantId))) ?? new Set<string>()
    const now = new Set(lots.map(({ id }) => id))
    const changes = [
      ...[...before].filter((lotId) => !now.has(lotId)).map((lotId) => ({ lotId, isKept: false })),
      ...[...now].filter((lotId) => !before.has(lotId)).map((lotId) => ({ lotId, isKept: true })),
    ]
    for (let from = 0; from < changes.length; from += idsAtOnce) {
      write(({ change }) => change(scope, variantId, changes.slice(from, from + idsAtOnce)))
      await setImmediate()
    }
    write(({ put }) => put(scope, variantId, asOf, lots))
    await setImmediate()
    write(({ cut }) => cut(scope))
  }
}

interface Looks {
  readonly looks: ReadonlyMap<string, KeptLots>
  /** Whether some queries were left out because the limit of lots was reached. */
  readonly isCut: boolean
}

function readLooks(records: Iterable<LotsRecord>): Looks {
  const looks = new Map<string, KeptLots>()
  let left = mostLooked
  for (const record of records) {
    if (left <= 0) return { looks, isCut: true }
    const kept = toKept(record)
    left -= 1 + kept.lots.length
    looks.set(record.variant_id, kept)
  }
  return { looks, isCut: false }
}

function toKept({ body, as_of: asOf }: LotsRecord): KeptLots {
  return { lots: parseBody(storedLots, body).slice(0, mostLots + 1), asOf }
}

function expiringOf(looks: ReadonlyMap<string, KeptLots>, until: string): ExpiringLot[] {
  return [...looks].flatMap(([variantId, { lots, asOf }]) =>
    lots
      .filter((lot) => lot.quantity > 0 && lot.expirationDate !== null && lot.expirationDate <= until)
      .map((lot) => ({ variantId, lot, asOf })),
  )
}

function soonestFirst({ lot: one }: ExpiringLot, { lot: other }: ExpiringLot): number {
  const [a, b] = [one.expirationDate ?? '', other.expirationDate ?? '']
  if (a !== b) return a < b ? -1 : 1
  return one.id < other.id ? -1 : one.id > other.id ? 1 : 0
}

/** Main's access to the lots of the last complete pass. A damaged file is put aside and counts as empty. */
export interface LotsReader {
  /** Returns the variant's lots, at most one more than `mostLots`; null if no pass is complete. */
  ofVariant(variantId: string): KeptLots | null
  variantOf(lotId: string): string | null
  /** Returns the lots in stock (quantity above 0) that expire on or before `until`, soonest first, at most `limit`. */
  expiring(until: string, limit: number): ExpiringLot[]
  state(): { readonly asOf: number | null; readonly count: number; readonly skipped: number }
  skipped(limit: number): SkippedEntry[]
  takeReady(): void
  close(): void
}

interface LotRecord {
  id: string
  variant_id: string
  quantity: number
  expiration_date: string | null
  inbound_reference: string | null
  received_at: string | null
  as_of: number
}

export function openLotsReader(paths: FilePaths, onLost: (error: unknown) => void): LotsReader {
  const file: CacheFileReader<ReturnType<typeof preparePass>> = openCacheFile({
    paths,
    kind: lotsFile,
    prepare: preparePass,
    onLost(error) {
      // the unusable file is put aside at once: the thread begins a new pass only if there is no current file
      putAside(paths)
      onLost(error)
    },
  })
  return {
    ofVariant: (variantId) =>
      file.read(({ asOf, ofVariant }) => {
        const began = asOf()
        return began === null ? null : { lots: ofVariant.all(variantId).map(toLot), asOf: began }
      }, null),
    variantOf: (lotId) => file.read(({ variantOf }) => variantOf.get(lotId) ?? null, null),
    expiring: (until, limit) =>
      file.read(
        ({ expiring }) =>
          expiring.all(until, limit).map((record) => ({
            variantId: record.variant_id,
            lot: toLot(record),
            asOf: record.as_of,
          })),
        [],
      ),
    state: () => file.read((statements) => statements.state(), { asOf: null, count: 0, skipped: 0 }),
    skipped: (limit) => file.read(({ newestSkipped }) => newestSkipped(limit), []),
    takeReady: () => file.takeReady(),
    close: () => file.close(),
  }
}

const columns = 'id, variant_id, quantity, expiration_date, inbound_reference, received_at, as_of'

function preparePass(database: Database) {
  const { fact } = prepareFacts(database)
  return {
    asOf: () => fact('full_read_at'),
    ofVariant: database.prepare<[string], LotRecord>(
      `SELECT ${columns} FROM lots WHERE variant_id = ? LIMIT ${mostLots + 1}`,
    ),
    variantOf: database.prepare<[string], string>('SELECT variant_id FROM lots WHERE id = ?').pluck(),
    expiring: database.prepare<[string, number], LotRecord>(
      `SELECT ${columns} FROM lots
       WHERE quantity > 0 AND expiration_date IS NOT NULL AND expiration_date <= ?
       ORDER BY expiration_date, number LIMIT ?`,
    ),
    state: () => ({
      asOf: fact('full_read_at'),
      count: fact('variants') ?? 0,
      skipped: fact('skipped') ?? 0,
    }),
    newestSkipped: prepareNewestSkipped(database),
  }
}

function toLot(record: LotRecord): StoredLot {
  return {
    id: record.id,
    quantity: record.quantity,
    expirationDate: record.expiration_date,
    inboundReference: record.inbound_reference,
    receivedAt: record.received_at,
  }
}
