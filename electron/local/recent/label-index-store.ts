import type { Database, Statement } from 'better-sqlite3'
import type { IndexState, LabelIndexStore, StoredReturnLabel } from '#desk/ports/recent-store.ts'
import type { Instant } from '#shared/domain/instants.ts'
import type { ScopeKey } from '#shared/domain/scope.ts'
import { foldText } from '#shared/domain/text-forms.ts'
import { labelCodes, toBriefLabel } from '#shared/domain/label-codes.ts'
import { returnLabel, type ReturnLabel } from '#shared/wire/return-label.ts'
import { shipment } from '#shared/wire/shipment.ts'
import { parseBody } from '../cache.ts'
import { agedFrom } from '../aged-from.ts'
import type { RecentDatabase } from './recent-database.ts'
import {
  labelTables,
  prepareCount,
  prepareStretch,
  prepareTrim,
  type RecentRoom,
  type Stretch,
  type WalkedEntry,
  walkedList,
  type WalkedStatements,
} from './walked-list.ts'

/** If a code has more labels than this, only the ages of the first ones are compared. */
const mostCompared = 1_000

/** A stored body: a short form of the label. */
const briefLabel = returnLabel.extend({ shipment: shipment.pick({ id: true, reference: true }).nullable() })

interface LabelRecord {
  body: string
  as_of: number
}

/** The index of the service's return labels in recent.db. Any call may find it empty: see RecentDatabase. */
export function createLabelIndexStore(
  recent: RecentDatabase,
  scope: ScopeKey,
  room: RecentRoom,
): LabelIndexStore {
  const part = recent.part((database) => prepare(database, scope))
  const one = (read: (statements: Statements) => LabelRecord | undefined): StoredReturnLabel | null =>
    part.use(
      (statements) => {
        const record = read(statements)
        return record ? toStored(record) : null
      },
      () => null,
    )
  return {
    byCode: (code) => one((statements) => statements.byCode.get(scope, code)),
    get: (serverId) => one((statements) => statements.get.get(scope, serverId)),
    newestOf: (shipmentId) => one((statements) => statements.newestOf.get(scope, shipmentId)),
    search: (text, limit) =>
      part.use(
        (statements) => {
          const words = JSON.stringify(wordsOf(text))
          const labels = statements.search.all(scope, words, limit).map(toStored)
          return { labels, found: statements.found.get(scope, words) ?? 0 }
        },
        () => ({ labels: [], found: 0 }),
      ),
    ...walkedList({ part, entriesOf, room }),
  }
}

interface Statements extends WalkedStatements<LabelEntry> {
  readonly byCode: Statement<[string, string], LabelRecord>
  readonly get: Statement<[string, string], LabelRecord>
  readonly newestOf: Statement<[string, string], LabelRecord>
  readonly search: Statement<[string, string, number], LabelRecord>
  readonly found: Statement<[string, string], number>
}

/** A label matches when its search text contains each word. */
const matches = `FROM labels WHERE scope = ?
  AND NOT EXISTS (SELECT 1 FROM json_each(?) AS word WHERE instr(labels.search, word.value) = 0)`

function prepare(database: Database, scope: ScopeKey): Statements {
  const stretch = prepareStretch(database, labelTables, scope)
  return {
    byCode: database.prepare(
      `SELECT l.body, l.as_of
       FROM (
         SELECT o.scope, o.id
         FROM (SELECT scope, label_id FROM label_codes WHERE scope = ? AND code = ? LIMIT ${mostCompared}) c
         CROSS JOIN labels o ON o.scope = c.scope AND o.id = c.label_id
         ORDER BY o.created_at DESC LIMIT 1) n
       CROSS JOIN labels l ON l.scope = n.scope AND l.id = n.id`,
    ),
    get: database.prepare('SELECT body, as_of FROM labels WHERE scope = ? AND id = ?'),
    newestOf: database.prepare(
      'SELECT body, as_of FROM labels WHERE scope = ? AND shipment_id = ? ORDER BY created_at DESC LIMIT 1',
    ),
    search: database.prepare(`SELECT body, as_of ${matches} ORDER BY created_at DESC LIMIT ?`),
    found: database.prepare<[string, string], number>(`SELECT count(*) ${matches}`).pluck(),
    count: prepareCount(database, labelTables, scope),
    stretch,
    put: preparePut(database, scope, stretch),
    trim: prepareTrim(database, labelTables, scope, stretch),
  }
}

/** The stored form of a return label. */
interface LabelEntry extends WalkedEntry {
  readonly one: ReturnLabel
  readonly found: readonly string[]
  readonly search: string
}

function* entriesOf(labels: readonly ReturnLabel[]): Generator<LabelEntry> {
  for (const one of labels) {
    const found = labelCodes(one)
    yield {
      one,
      found,
      codes: found.length,
      search: searchTextOf(one),
      body: JSON.stringify(toBriefLabel(one)),
    }
  }
}

function preparePut(database: Database, scope: ScopeKey, stretch: Stretch): Statements['put'] {
  const upsert = database.prepare<{
    scope: ScopeKey
    id: string
    shipmentId: string | null
    createdAt: Instant
    asOf: number
    search: string
    body: string
  }>(
    `INSERT INTO labels (scope, id, shipment_id, created_at, as_of, search, body)
       VALUES (@scope, @id, @shipmentId, @createdAt, @asOf, @search, @body)
     ON CONFLICT DO UPDATE SET shipment_id = excluded.shipment_id, created_at = min(created_at, excluded.created_at),
       as_of = excluded.as_of, search = excluded.search, body = excluded.body`,
  )
  const forget = database.prepare<[string, string]>(
    'DELETE FROM label_codes WHERE scope = ? AND label_id = ?',
  )
  const code = database.prepare<[string, string, string]>(
    'INSERT INTO label_codes (scope, code, label_id) VALUES (?, ?, ?) ON CONFLICT DO NOTHING',
  )
  const put = database.transaction(
    (entries: readonly LabelEntry[], asOf: number, reached: (() => IndexState | null) | null) => {
      for (const { one, found, search, body } of entries) {
        const { id, shipment, created_at: createdAt } = one
        upsert.run({
          ...{ scope, id, shipmentId: shipment?.id ?? null, asOf, search },
          ...{ createdAt: agedFrom(Date.parse(createdAt), asOf), body },
        })
        forget.run(scope, id)
        for (const text of found) code.run(scope, text, id)
      }
      const state = reached?.()
      if (state) stretch.write(state)
    },
  )
  return (entries, asOf, reached) => put.immediate(entries, asOf, reached)
}

/** Most parcels of a label that a search reads, and the searched length of a label's text, in characters. */
const mostSearched = 50
const longestSearched = 10_000

/** One text per line. Codes are added without their spaces too, because scanners deliver them in this form. */
function searchTextOf(one: ReturnLabel): string {
  const codes = one.tracking_information
    .slice(0, mostSearched)
    .flatMap((info) => [info.tracking_code, info.label_code])
  const texts = [
    one.external_reference,
    one.shipment?.reference,
    one.shipment?.order_external_reference,
    one.sender_address?.addressed_to,
    one.sender_address?.contact_person,
    ...codes,
    ...codes.map((text) => text?.replaceAll(/\s+/g, '')),
  ]
  return [...new Set(texts.flatMap((text) => (text ? [foldText(text)] : [])))]
    .join('\n')
    .slice(0, longestSearched)
}

function wordsOf(text: string): string[] {
  return foldText(text)
    .split(/\s+/)
    .filter((word) => word !== '')
}

function toStored(record: LabelRecord): StoredReturnLabel {
  return { label: parseBody(briefLabel, record.body), asOf: record.as_of }
}
