import type { Database, Statement } from 'better-sqlite3'
import type { IndexState, ShipmentIndexStore, StoredShipment } from '#desk/ports/recent-store.ts'
import type { Instant } from '#shared/domain/instants.ts'
import { normaliseCode } from '#shared/domain/references.ts'
import type { ScopeKey } from '#shared/domain/scope.ts'
import { otherText } from '#shared/wire/limits.ts'
import { orderReferences, shipment, type Shipment } from '#shared/wire/shipment.ts'
import { parseBody } from '../cache.ts'
import { agedFrom } from '../aged-from.ts'
import type { RecentDatabase } from './recent-database.ts'
import {
  prepareCount,
  prepareStretch,
  prepareTrim,
  type RecentRoom,
  shipmentTables,
  type Stretch,
  type WalkedEntry,
  walkedList,
  type WalkedStatements,
} from './walked-list.ts'

/** Maximum number of shipments that the search for one code returns. An operator could not distinguish more. */
const mostFound = 20

/** Maximum number of shipments with one code among which the query looks for the newest. */
const mostCompared = 1_000

/**
 * Returns the query for the newest shipments with a code. CROSS JOIN makes SQLite look up the code first; otherwise
 * SQLite would read all shipments in the order of their age to avoid a sort. The inner query sorts only creation times.
 * The outer query reads the bodies of the shipments found.
 */
const foundIn = (codes: 'shipment_codes' | 'shipment_serials'): string =>
  `SELECT s.body, s.as_of
   FROM (
     SELECT o.scope, o.id, o.created_at
     FROM (SELECT scope, shipment_id FROM ${codes} WHERE scope = ? AND code = ? LIMIT ${mostCompared}) c
     CROSS JOIN shipments o ON o.scope = c.scope AND o.id = c.shipment_id
     ORDER BY o.created_at DESC LIMIT ${mostFound}) n
   CROSS JOIN shipments s ON s.scope = n.scope AND s.id = n.id ORDER BY n.created_at DESC`

/** The queries that a scan runs. Each query uses an index, so its time does not depend on the number of shipments. */
export const shipmentQuestions = {
  find: foundIn('shipment_codes'),
  findSerial: foundIn('shipment_serials'),
  get: 'SELECT body, as_of FROM shipments WHERE scope = ? AND id = ?',
} as const

interface ShipmentRecord {
  body: string
  as_of: number
}

/**
 * Creates the index of recent shipments in recent.db. RecentDatabase may replace a damaged recent.db at any time; the
 * index is then empty.
 */
export function createShipmentIndexStore(
  recent: RecentDatabase,
  scope: ScopeKey,
  room: RecentRoom,
): ShipmentIndexStore {
  const part = recent.part((database) => prepare(database, scope))
  return {
    find: (code, most = mostFound) =>
      part.use(
        (statements) => firstStored(statements.find.iterate(scope, code), most),
        () => [],
      ),
    findSerial: (code, most = mostFound) =>
      part.use(
        (statements) => firstStored(statements.findSerial.iterate(scope, code), most),
        () => [],
      ),
    get: (id) =>
      part.use(
        (statements) => {
          const record = statements.get.get(scope, id)
          return record ? toStored(record) : null
        },
        () => null,
      ),
    ...walkedList({ part, entriesOf, room }),
  }
}

interface Statements extends WalkedStatements<ShipmentEntry> {
  readonly find: Statement<[string, string], ShipmentRecord>
  readonly findSerial: Statement<[string, string], ShipmentRecord>
  readonly get: Statement<[string, string], ShipmentRecord>
}

function prepare(database: Database, scope: ScopeKey): Statements {
  const stretch = prepareStretch(database, shipmentTables, scope)
  return {
    find: database.prepare(shipmentQuestions.find),
    findSerial: database.prepare(shipmentQuestions.findSerial),
    get: database.prepare(shipmentQuestions.get),
    count: prepareCount(database, shipmentTables, scope),
    stretch,
    put: preparePut(database, scope, stretch),
    trim: prepareTrim(database, shipmentTables, scope, stretch),
  }
}

/** The stored form of a shipment. */
interface ShipmentEntry extends WalkedEntry {
  readonly one: Shipment
  readonly found: readonly string[]
  readonly serials: readonly string[]
}

/**
 * Maximum number of codes (references and serial numbers) that are stored for one page of shipments. No valid page has
 * that many codes, and each code takes some hundred bytes of recent.db. When a page reaches the maximum, only the first
 * codes of each further shipment are stored (`surelyKept`).
 */
const mostCodesOfPage = 20_000
const surelyKept = 50
/** Maximum number of codes of one shipment. It is limited because one transaction writes all codes of a shipment. */
const mostCodesOfShipment = 5_000

function* entriesOf(shipments: readonly Shipment[]): Generator<ShipmentEntry> {
  let left = mostCodesOfPage
  for (const one of shipments) {
    const most = Math.min(mostCodesOfShipment, Math.max(surelyKept, left))
    const found = [...codesOf(one)].slice(0, most)
    const serials = [...serialsOf(one)].slice(0, Math.max(surelyKept, most - found.length))
    const codes = found.length + serials.length
    left -= codes
    yield { one, found, serials, codes, body: JSON.stringify(one) }
  }
}

function preparePut(database: Database, scope: ScopeKey, stretch: Stretch): Statements['put'] {
  const upsert = database.prepare<{
    scope: ScopeKey
    id: string
    createdAt: Instant
    asOf: number
    body: string
  }>(
    `INSERT INTO shipments (scope, id, created_at, as_of, body) VALUES (@scope, @id, @createdAt, @asOf, @body)
     ON CONFLICT DO UPDATE SET created_at = min(created_at, excluded.created_at), as_of = excluded.as_of, body = excluded.body`,
  )
  const keepCodes = prepareCodes(database, scope, 'shipment_codes')
  const keepSerials = prepareCodes(database, scope, 'shipment_serials')
  const put = database.transaction(
    (entries: readonly ShipmentEntry[], asOf: number, reached: (() => IndexState | null) | null) => {
      for (const { one, found, serials, body } of entries) {
        upsert.run({ scope, id: one.id, createdAt: agedFrom(Date.parse(one.created_at), asOf), asOf, body })
        keepCodes(one.id, found)
        keepSerials(one.id, serials)
      }
      const state = reached?.()
      if (state) stretch.write(state)
    },
  )
  return (entries, asOf, reached) => put.immediate(entries, asOf, reached)
}

/**
 * Returns a function that replaces the stored codes or serial numbers of a shipment. Searches find the shipment by
 * them.
 */
function prepareCodes(
  database: Database,
  scope: ScopeKey,
  table: 'shipment_codes' | 'shipment_serials',
): (id: string, codes: Iterable<string>) => void {
  const forget = database.prepare<[string, string]>(
    `DELETE FROM ${table} WHERE scope = ? AND shipment_id = ?`,
  )
  const code = database.prepare<[string, string, string]>(
    `INSERT INTO ${table} (scope, code, shipment_id) VALUES (?, ?, ?) ON CONFLICT DO NOTHING`,
  )
  return (id, codes) => {
    forget.run(scope, id)
    for (const text of codes) code.run(scope, text, id)
  }
}

/** Returns every text on a parcel or its papers by which an operator may search for it. */
function codesOf(one: Shipment): Set<string> {
  const texts = [
    one.reference,
    ...orderReferences(one),
    one.shipment_external_reference,
    one.po_number,
    ...(one.shipment_labels ?? []).flatMap((label) => [label.tracking_code, label.label_code]),
  ]
  return normalised(texts)
}

/** Returns the serial numbers on the goods in the shipment (API.md 7.1). */
function serialsOf(one: Shipment): Set<string> {
  return normalised((one.shipment_lines ?? []).flatMap((line) => line.serial_numbers ?? []))
}

function normalised(texts: readonly (string | null)[]): Set<string> {
  const isCode = (text: string | null): text is string => text !== null && text.length <= otherText
  return new Set(
    texts
      .filter(isCode)
      .map(normaliseCode)
      .filter((text) => text !== ''),
  )
}

/** Returns at most `most` records. They are read one by one, because the body of each may have up to a megabyte. */
function firstStored(records: Iterable<ShipmentRecord>, most: number): StoredShipment[] {
  const stored: StoredShipment[] = []
  for (const record of records) if (stored.push(toStored(record)) >= most) break
  return stored
}

function toStored(record: ShipmentRecord): StoredShipment {
  return { shipment: parseBody(shipment, record.body), asOf: record.as_of }
}
