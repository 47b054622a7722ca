import type { Database, Statement } from 'better-sqlite3'
import type { IndexState, ShipmentIndexStore, StoredShipment } from '#desk/ports/recent-store.ts'
import { normaliseCode } from '#shared/domain/references.ts'
import { orderReferences, shipment, type Shipment } from '#shared/wire/shipment.ts'
import { parseBody } from '../catalogue/cached-body.ts'
import type { RecentDatabase } from './recent-database.ts'
import { prepareStretch, type Stretch } from './stretch-statements.ts'
import { walkedList, type WalkedStatements } from './walked-list.ts'

interface ShipmentRecord {
  body: string
  as_of: number
}

/** The index of recent shipments in recent.db. Any call may find it empty: see RecentDatabase. */
export function createShipmentIndexStore(recent: RecentDatabase, scope: string): ShipmentIndexStore {
  const part = recent.part((database) => prepare(database, scope))
  return {
    find: (code) =>
      part.use(
        (statements) => statements.find.all(scope, code).map(toStored),
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
    ...walkedList(part, scope),
  }
}

interface Statements extends WalkedStatements<Shipment> {
  readonly find: Statement<[string, string], ShipmentRecord>
  readonly get: Statement<[string, string], ShipmentRecord>
}

function prepare(database: Database, scope: string): Statements {
  const stretch = prepareStretch(database, 'shipment_stretch', scope)
  return {
    find: database.prepare(
      `SELECT s.body, s.as_of FROM shipment_codes c JOIN shipments s ON s.scope = c.scope AND s.id = c.shipment_id
       WHERE c.scope = ? AND c.code = ? ORDER BY s.created_at DESC`,
    ),
    get: database.prepare('SELECT body, as_of FROM shipments WHERE scope = ? AND id = ?'),
    count: database.prepare<[string], number>('SELECT count(*) FROM shipments WHERE scope = ?').pluck(),
    stretch,
    put: preparePut(database, scope, stretch),
  }
}

function preparePut(database: Database, scope: string, stretch: Stretch): Statements['put'] {
  const upsert = database.prepare<[string, string, number, number, string]>(
    `INSERT INTO shipments (scope, id, created_at, as_of, body) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET created_at = excluded.created_at, as_of = excluded.as_of, body = excluded.body`,
  )
  const forget = database.prepare<[string, string]>(
    'DELETE FROM shipment_codes WHERE scope = ? AND shipment_id = ?',
  )
  const code = database.prepare<[string, string, string]>(
    'INSERT INTO shipment_codes (scope, code, shipment_id) VALUES (?, ?, ?) ON CONFLICT DO NOTHING',
  )
  const put = database.transaction(
    (shipments: readonly Shipment[], asOf: number, state: IndexState | null) => {
      for (const one of shipments) {
        upsert.run(scope, one.id, Date.parse(one.created_at), asOf, JSON.stringify(one))
        forget.run(scope, one.id)
        for (const text of codesOf(one)) code.run(scope, text, one.id)
      }
      if (state) stretch.write(state)
    },
  )
  return (shipments, asOf, state) => put.immediate(shipments, asOf, state)
}

/** Every text on a parcel or its papers under which an operator may look for it. */
function codesOf(one: Shipment): Set<string> {
  const texts = [
    one.reference,
    ...orderReferences(one),
    one.shipment_external_reference,
    one.po_number,
    ...(one.shipment_labels ?? []).flatMap((label) => [label.tracking_code, label.label_code]),
  ]
  return new Set(texts.flatMap((text) => (text ? [normaliseCode(text)] : [])).filter((text) => text !== ''))
}

function toStored(record: ShipmentRecord): StoredShipment {
  return { shipment: parseBody(shipment, record.body), asOf: record.as_of }
}
