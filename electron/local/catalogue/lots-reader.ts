import type { Database } from 'better-sqlite3'
import type { FilePaths } from '#desk/ports/catalogue-thread.ts'
import type { SkippedEntry } from '#desk/ports/catalogue-store.ts'
import { type ExpiringLot, type KeptLots, mostLots, type StoredLot } from '#desk/ports/recent-store.ts'
import { type CacheFileReader, openCacheFile } from './cache-file-reader.ts'
import { openToRead } from './catalogue-database.ts'
import { lotsFile } from './catalogue-schema.ts'
import { putAside } from './catalogue-paths.ts'
import { prepareFacts } from './catalogue-statements.ts'
import { prepareSkippedReader } from './skipped-statements.ts'

/** All lots as the last whole pass found them, as main reads them. Never throws: what cannot be read is put aside. */
export interface LotsReader {
  /** Null: no pass has ended. At most one lot more than `mostLots`. */
  ofVariant(variantId: string): KeptLots | null
  variantOf(lotId: string): string | null
  /** Soonest first, as long as they are taken: `take` answers whether it wants more. */
  expiring(until: string, take: (lot: ExpiringLot) => boolean): void
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
  const file: CacheFileReader<ReturnType<typeof prepare>> = openCacheFile({
    paths,
    open: (name) => openToRead(lotsFile, name),
    prepare,
    onLost(error) {
      // at once: the thread begins a pass when there is none
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
    expiring(until, take) {
      file.read(({ expiring }) => {
        for (const record of expiring.iterate(until)) {
          const lot = { variantId: record.variant_id, lot: toLot(record), asOf: record.as_of }
          if (!take(lot)) return
        }
      }, undefined)
    },
    state: () => file.read((statements) => statements.state(), { asOf: null, count: 0, skipped: 0 }),
    skipped: (limit) => file.read(({ skipped }) => skipped.newest(limit), []),
    takeReady: () => file.takeReady(),
    close: () => file.close(),
  }
}

const columns = 'id, variant_id, quantity, expiration_date, inbound_reference, received_at, as_of'

function prepare(database: Database) {
  const { fact } = prepareFacts(database)
  const skipped = prepareSkippedReader(database)
  return {
    asOf: () => fact('full_read_at'),
    ofVariant: database.prepare<[string], LotRecord>(
      `SELECT ${columns} FROM lots WHERE variant_id = ? LIMIT ${mostLots + 1}`,
    ),
    variantOf: database.prepare<[string], string>('SELECT variant_id FROM lots WHERE id = ?').pluck(),
    expiring: database.prepare<[string], LotRecord>(
      `SELECT ${columns} FROM lots
       WHERE quantity > 0 AND expiration_date IS NOT NULL AND expiration_date <= ?
       ORDER BY expiration_date, number`,
    ),
    state: () => ({ asOf: fact('full_read_at'), count: fact('variants') ?? 0, skipped: skipped.count() }),
    skipped,
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
