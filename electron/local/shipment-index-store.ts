import type { Database, Statement } from 'better-sqlite3'
import type { IndexState, ShipmentIndexStore, StoredShipment } from '#desk/ports/store.ts'
import { normaliseCode } from '#shared/domain/references.ts'
import { shipment, type Shipment } from '#shared/wire/shipment.ts'
import { openCatalogue, UnusableCatalogue } from './catalogue-database.ts'

interface ShipmentRecord {
  body: string
  as_of: number
}

interface StretchRecord {
  newest: number
  oldest: number
  complete: number
  synced_at: number
}

/** The index of recent shipments in catalogue.db. Any call may find it empty: see Catalogue. */
export function createShipmentIndexStore(
  dataDir: string,
  scope: string,
  onHealed: () => void,
): ShipmentIndexStore & { close(): void } {
  const catalogue = openCatalogue(dataDir, (database) => prepare(database, scope), onHealed)
  return {
    find: (code) =>
      catalogue.use(
        (statements) => statements.find.all(scope, code).map(toStored),
        () => [],
      ),
    get: (id) =>
      catalogue.use(
        (statements) => {
          const record = statements.get.get(scope, id)
          return record ? toStored(record) : null
        },
        () => null,
      ),
    count: () =>
      catalogue.use(
        (statements) => statements.count.get(scope) ?? 0,
        () => 0,
      ),
    state: () =>
      catalogue.use(
        (statements) => toState(statements.state.get(scope)),
        () => null,
      ),
    put: (shipments, asOf, state) => {
      catalogue.use(
        (statements) => statements.put(shipments, asOf, state),
        () => undefined,
      )
    },
    close: () => catalogue.close(),
  }
}

interface Statements {
  readonly find: Statement<[string, string], ShipmentRecord>
  readonly get: Statement<[string, string], ShipmentRecord>
  readonly count: Statement<[string], number>
  readonly state: Statement<[string], StretchRecord>
  readonly put: (shipments: readonly Shipment[], asOf: number, state: IndexState | null) => void
}

function prepare(database: Database, scope: string): Statements {
  return {
    find: database.prepare(
      `SELECT s.body, s.as_of FROM shipment_codes c JOIN shipments s ON s.scope = c.scope AND s.id = c.shipment_id
       WHERE c.scope = ? AND c.code = ? ORDER BY s.created_at DESC`,
    ),
    get: database.prepare('SELECT body, as_of FROM shipments WHERE scope = ? AND id = ?'),
    count: database.prepare<[string], number>('SELECT count(*) FROM shipments WHERE scope = ?').pluck(),
    state: database.prepare(
      'SELECT newest, oldest, complete, synced_at FROM shipment_stretch WHERE scope = ?',
    ),
    put: preparePut(database, scope),
  }
}

function preparePut(database: Database, scope: string): Statements['put'] {
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
  const stretch = database.prepare<[string, number, number, number, number]>(
    `INSERT INTO shipment_stretch (scope, newest, oldest, complete, synced_at) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET newest = excluded.newest, oldest = excluded.oldest, complete = excluded.complete,
       synced_at = excluded.synced_at`,
  )
  const put = database.transaction(
    (shipments: readonly Shipment[], asOf: number, state: IndexState | null) => {
      for (const one of shipments) {
        upsert.run(scope, one.id, Date.parse(one.created_at), asOf, JSON.stringify(one))
        forget.run(scope, one.id)
        for (const text of codesOf(one)) code.run(scope, text, one.id)
      }
      if (state) stretch.run(scope, state.newest, state.oldest, state.complete ? 1 : 0, state.syncedAt)
    },
  )
  return (shipments, asOf, state) => put.immediate(shipments, asOf, state)
}

/** Every text on a parcel or its papers under which an operator may look for it. */
function codesOf(one: Shipment): Set<string> {
  const texts = [
    one.reference,
    one.order_external_reference,
    one.shipment_external_reference,
    one.po_number,
    ...(one.shipment_labels ?? []).flatMap((label) => [label.tracking_code, label.label_code]),
  ]
  return new Set(texts.flatMap((text) => (text ? [normaliseCode(text)] : [])).filter((text) => text !== ''))
}

function toStored(record: ShipmentRecord): StoredShipment {
  try {
    return { shipment: shipment.parse(JSON.parse(record.body)), asOf: record.as_of }
  } catch (error) {
    throw new UnusableCatalogue('a shipment is no longer what was written', { cause: error })
  }
}

function toState(record: StretchRecord | undefined): IndexState | null {
  if (!record) return null
  return {
    newest: record.newest,
    oldest: record.oldest,
    complete: record.complete === 1,
    syncedAt: record.synced_at,
  }
}
