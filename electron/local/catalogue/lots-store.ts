import type { Database } from 'better-sqlite3'
import { z } from 'zod'
import {
  type ExpiringLot,
  type KeptLots,
  type LotsStore,
  mostLots,
  type StoredLot,
} from '#desk/ports/recent-store.ts'
import { parseBody } from './cached-body.ts'
import type { LotsReader } from './lots-reader.ts'
import { prepareLookedLots } from '../recent/seen-rows.ts'
import type { RecentDatabase } from '../recent/recent-database.ts'

const storedLots: z.ZodType<StoredLot[]> = z.array(
  z.object({
    id: z.string(),
    quantity: z.number(),
    expirationDate: z.string().nullable(),
    inboundReference: z.string().nullable(),
    receivedAt: z.string().nullable(),
  }),
)

/** Lots that are looked through for one list: it must not keep a scan waiting. */
const mostLooked = 5_000

interface LotsRecord {
  variant_id: string
  body: string
  as_of: number
}

/** The lots of a variant as the service listed them last: at a look, kept in recent.db, or in the last whole pass. */
export function createLotsStore(recent: RecentDatabase, scope: string, pass: LotsReader): LotsStore {
  const part = recent.part(prepare)
  const atLook = (variantId: string): KeptLots | null =>
    part.use(
      ({ kept }) => {
        const record = kept.get(scope, variantId)
        return record ? toKept(record) : null
      },
      () => null,
    )
  /** The newest looks that are newer than the pass, by variant, until they have `mostLooked` lots. */
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
    keep: (variantId, lots, asOf) => {
      part.use(
        ({ keep }) => keep(scope, variantId, asOf, JSON.stringify(lots)),
        () => undefined,
      )
    },
    variantOf(lotId) {
      const looked = part.use(
        ({ naming }) => naming.all(scope, JSON.stringify(lotId)),
        () => [],
      )
      const named = looked.find((record) => toKept(record).lots.some(({ id }) => id === lotId))
      return named?.variant_id ?? pass.variantOf(lotId)
    },
    expiring(until, limit, accepts) {
      const { looks, isCut } = looksSince(pass.state().asOf ?? 0)
      const accepted = memoised(accepts)
      const lots = expiringOf(looks, until).filter(({ variantId }) => accepted(variantId))
      let taken = 0
      let left = mostLooked
      pass.expiring(until, (lot) => {
        if (--left < 0) return false
        if (looks.has(lot.variantId) || !accepted(lot.variantId)) return true
        lots.push(lot)
        return ++taken <= limit
      })
      lots.sort(soonestFirst)
      return { lots: lots.slice(0, limit), more: lots.length > limit || left < 0 || isCut }
    },
  }
}

/** Of rows beyond the limit, which an earlier version may have left, so many go with each look. */
const mostCut = 100

function prepare(database: Database) {
  const keep = database.prepare<[string, string, number, string]>(
    `INSERT INTO lots (scope, variant_id, as_of, body) VALUES (?, ?, ?, ?)
       ON CONFLICT DO UPDATE SET as_of = excluded.as_of, body = excluded.body`,
  )
  const seen = prepareLookedLots(database)
  return {
    kept: database.prepare<[string, string], LotsRecord>(
      'SELECT variant_id, body, as_of FROM lots WHERE scope = ? AND variant_id = ?',
    ),
    since: database.prepare<[string, number], LotsRecord>(
      'SELECT variant_id, body, as_of FROM lots WHERE scope = ? AND as_of >= ? ORDER BY as_of DESC',
    ),
    // the body names it somewhere; a look-up by a lot's id is too rare for an index
    naming: database.prepare<[string, string], LotsRecord>(
      'SELECT variant_id, body, as_of FROM lots WHERE scope = ? AND instr(body, ?) > 0 LIMIT 10',
    ),
    keep: (...row: [string, string, number, string]) => {
      keep.run(...row)
      seen.cut(mostCut)
    },
  }
}

interface Looks {
  readonly looks: ReadonlyMap<string, KeptLots>
  /** There are more looks. */
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

/** A variant has many lots, and is looked up once. */
function memoised(accepts: (variantId: string) => boolean): (variantId: string) => boolean {
  const known = new Map<string, boolean>()
  return (variantId) => {
    const before = known.get(variantId)
    if (before !== undefined) return before
    const now = accepts(variantId)
    known.set(variantId, now)
    return now
  }
}

function soonestFirst(one: ExpiringLot, other: ExpiringLot): number {
  const [a, b] = [one, other].map(({ lot }) => `${lot.expirationDate ?? ''} ${lot.id}`)
  return a === undefined || b === undefined || a === b ? 0 : a < b ? -1 : 1
}
