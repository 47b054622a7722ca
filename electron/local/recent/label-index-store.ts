import { setImmediate } from 'node:timers/promises'
import type { Database, Statement } from 'better-sqlite3'
import { z } from 'zod'
import type {
  FoundLabels,
  IndexState,
  LabelIndexStore,
  ListedLabel,
  StoredReturnLabel,
} from '#desk/ports/recent-store.ts'
import type { ServerLabelId } from '#shared/domain/ids.ts'
import type { Instant } from '#shared/domain/instants.ts'
import type { ScopeKey } from '#shared/domain/scope.ts'
import { foldText } from '#shared/domain/text-forms.ts'
import { type BriefLabel, labelCodes, toBriefLabel } from '#shared/domain/label-codes.ts'
import { returnLabel, type ReturnLabel } from '#shared/wire/return-label.ts'
import { dateTime, nullableText, serverLabelId } from '#shared/wire/primitives.ts'
import { shipment } from '#shared/wire/shipment.ts'
import { parseBody } from '../cache.ts'
import { agedFrom } from '../aged-from.ts'
import type { RecentDatabase, RecentPart } from './recent-database.ts'
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

/** The search for the newest label with a code compares at most this number of labels. */
const mostCompared = 1_000

/** The stored form of a label, without most fields of its shipment. */
const briefLabel = returnLabel.extend({ shipment: shipment.pick({ id: true, reference: true }).nullable() })

/** The stored form of a label in the list of labels. */
const listedLabel = z.object({
  serverId: serverLabelId,
  externalReference: nullableText,
  trackingCode: nullableText,
  shipmentReference: nullableText,
  senderName: nullableText,
  senderCity: nullableText,
  requested: z.boolean(),
  createdAt: dateTime,
})

interface LabelRecord {
  body: string
  as_of: number
}

/**
 * Creates the index of the service's return labels in recent.db. The index may become empty at any time, because a
 * damaged file is replaced with an empty file (see RecentDatabase).
 */
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
    search: (text, limit, isWanted) => search(part, { scope, words: wordsOf(text), limit }, isWanted),
    ...walkedList({ part, entriesOf, room }),
  }
}

interface Statements extends WalkedStatements<LabelEntry> {
  readonly byCode: Statement<[string, string], LabelRecord>
  readonly get: Statement<[string, string], LabelRecord>
  readonly newestOf: Statement<[string, string], LabelRecord>
  readonly olderThan: Statement<{ scope: ScopeKey } & Place, SearchedRecord>
}

/** The position of a row in the order by age. Rows with the same time are ordered by their id. */
interface Place {
  readonly createdAt: Instant
  readonly id: string
}

interface SearchedRecord {
  created_at: Instant
  id: string
  as_of: number
  search: string
  listed: string
}

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
    // uses the index by age, so that only the returned rows are read
    olderThan: database.prepare(
      `SELECT created_at, id, as_of, search, listed FROM labels
       WHERE scope = @scope AND (created_at, id) < (@createdAt, @id) ORDER BY created_at DESC, id DESC`,
    ),
    count: prepareCount(database, labelTables, scope),
    stretch,
    put: preparePut(database, scope, stretch),
    trim: prepareTrim(database, labelTables, scope, stretch),
  }
}

/**
 * The limits of one step of a search: the number of rows that it reads, and the number of characters that it compares.
 * A step takes some milliseconds.
 */
const rowsAtOnce = 1_000
const charactersAtOnce = 1_000_000
/**
 * Maximum number of steps of a search. With labels of usual length, these steps read 500,000 labels: eight months of
 * 2,000 labels a day.
 */
const mostSteps = 500

interface Wish {
  readonly scope: ScopeKey
  readonly words: readonly string[]
  readonly limit: number
}

/** Searches the labels from the newest to the oldest and lets the event loop run between two steps. */
async function search(
  part: RecentPart<Statements>,
  wish: Wish,
  isWanted: () => boolean,
): Promise<FoundLabels> {
  // the rows are collected in a map, because a row may be read twice if its time changes between two steps
  const found = new Map<ServerLabelId, ListedLabel>()
  let place: Place | null = { createdAt: Number.MAX_SAFE_INTEGER, id: '' }
  for (let steps = 0; steps < mostSteps && isWanted(); steps++) {
    const from: Place = place
    place = part.use(
      (statements) => searchStep(statements, wish, from, found),
      () => null,
    )
    if (place === null || found.size > wish.limit) break
    await setImmediate()
  }
  return { labels: [...found.values()].slice(0, wish.limit), isPartial: place !== null }
}

/**
 * Adds the matching labels of the next rows to `found`. Returns the position of the last row; null if no row is left.
 */
function searchStep(
  { olderThan }: Statements,
  { scope, words, limit }: Wish,
  from: Place,
  found: Map<ServerLabelId, ListedLabel>,
): Place | null {
  let rows = 0
  let characters = 0
  const records = olderThan.iterate({ scope, ...from })
  for (const { created_at: createdAt, id, as_of: asOf, search, listed } of records) {
    // a label matches when its search text contains each searched word
    const isMatch = words.every((word) => {
      characters += search.length
      return search.includes(word)
    })
    if (isMatch) {
      const label = parseBody(listedLabel, listed)
      found.set(label.serverId, { ...label, asOf })
    }
    rows++
    characters += listed.length
    if (rows >= rowsAtOnce || characters >= charactersAtOnce || found.size > limit) return { createdAt, id }
  }
  return null
}

/** The stored form of a return label with its codes and texts. */
interface LabelEntry extends WalkedEntry {
  readonly one: ReturnLabel
  readonly found: readonly string[]
  readonly search: string
  readonly listed: string
}

function* entriesOf(labels: readonly ReturnLabel[]): Generator<LabelEntry> {
  for (const one of labels) {
    const found = labelCodes(one)
    const brief = toBriefLabel(one)
    yield {
      one,
      found,
      codes: found.length,
      search: searchTextOf(one),
      listed: JSON.stringify(toListed(brief)),
      body: JSON.stringify(brief),
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
    listed: string
    body: string
  }>(
    `INSERT INTO labels (scope, id, shipment_id, created_at, as_of, search, listed, body)
       VALUES (@scope, @id, @shipmentId, @createdAt, @asOf, @search, @listed, @body)
     ON CONFLICT DO UPDATE SET shipment_id = excluded.shipment_id, created_at = min(created_at, excluded.created_at),
       as_of = excluded.as_of, search = excluded.search, listed = excluded.listed, body = excluded.body`,
  )
  const forget = database.prepare<[string, string]>(
    'DELETE FROM label_codes WHERE scope = ? AND label_id = ?',
  )
  const code = database.prepare<[string, string, string]>(
    'INSERT INTO label_codes (scope, code, label_id) VALUES (?, ?, ?) ON CONFLICT DO NOTHING',
  )
  const put = database.transaction(
    (entries: readonly LabelEntry[], asOf: number, reached: (() => IndexState | null) | null) => {
      for (const { one, found, search, listed, body } of entries) {
        const { id, shipment, created_at: createdAt } = one
        upsert.run({
          ...{ scope, id, shipmentId: shipment?.id ?? null, asOf, search, listed },
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

/** Maximum number of characters of each text in the list. Longer texts are cut. */
const longestListed = 255

/** Converts a label of the service to an entry of the list. */
function toListed(one: BriefLabel): z.infer<typeof listedLabel> {
  const short = (text: string | null | undefined): string | null => text?.slice(0, longestListed) ?? null
  const { tracking_information: parcels, sender_address: sender } = one
  return {
    serverId: one.id,
    externalReference: short(one.external_reference),
    trackingCode: short(parcels.find((parcel) => parcel.tracking_code !== null)?.tracking_code),
    shipmentReference: short(one.shipment?.reference),
    senderName: short(sender?.addressed_to),
    senderCity: short(sender?.city),
    requested: one.url !== null,
    // the time is formatted again, because the service's text of the time may have thousands of digits
    createdAt: new Date(one.created_at).toISOString(),
  }
}

/**
 * Limits of the search text of a label: the maximum number of parcels whose codes the text contains, and the maximum
 * number of characters of the text.
 */
const mostSearched = 50
const longestSearched = 1_000

/**
 * Returns the search text of a label, with one text in each line. Codes with spaces are added a second time without
 * spaces, because scanners read codes without spaces.
 */
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
  return [...new Set(texts.flatMap((text) => (text ? [foldText(text.slice(0, longestListed))] : [])))]
    .join('\n')
    .slice(0, longestSearched)
}

function wordsOf(text: string): string[] {
  return [...new Set(foldText(text).split(/\s+/))].filter((word) => word !== '')
}

function toStored(record: LabelRecord): StoredReturnLabel {
  return { label: parseBody(briefLabel, record.body), asOf: record.as_of }
}
