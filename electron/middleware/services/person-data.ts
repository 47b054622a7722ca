import { randomUUID } from 'node:crypto'
import { type Connection, eraseForGood } from '../data/engine/database.ts'
import { readShippingAddress, type StoredShippingAddress } from '../data/engine/stored-json.ts'
import { deleteEventsOf } from '../data/events.ts'
import {
  deleteSomeWithdrawnParts,
  overwriteExportSearch,
  readExportFilters,
  walkExportSearches,
  withdrawExports,
} from '../data/exports/stored-exports.ts'
import {
  customersToRedact,
  deleteRedaction,
  documentsNaming,
  findPersons,
  insertRedaction,
  nextRedaction,
  overwritePerson,
  type PersonRecord,
  type PersonTable,
  personTables,
  walkPersons,
} from '../data/redactions.ts'
import type { RedactionTable } from '../data/schema/clients.ts'
import { type Customer, type ServiceContext, storedNow } from './context.ts'
import { discardDocument } from './documents/documents.ts'
import { bearsNoOther, type InTurn, namesPerson, recordsOfPerson } from './records-of-person.ts'

/** Ten characters: as long as a street number may be (API.md 1.11). */
const redacted = '-redacted-'

/**
 * Promises to overwrite what the customer's orders, shipments and return labels say of the person with that e-mail
 * address, and to delete the documents on which the person stands and the exports and notifications that may name it, and what exports searched for. Kept before it is
 * promised, done after the answer; a dead process does it at its next start.
 */
export async function redactPersonData(
  context: ServiceContext,
  customer: Customer,
  email: string,
): Promise<void> {
  const row = { id: randomUUID(), customer_id: customer.id, email, created_at: storedNow(context) }
  await insertRedaction(context.database, row)
  redactOfCustomer(context, customer.id)
}

/** Does what an earlier process left. */
export function redactAfterwards(context: ServiceContext): void {
  context.afterwards.start('redactions', async () => {
    for (const customerId of await customersToRedact(context.database)) redactOfCustomer(context, customerId)
  })
}

/**
 * Does what is still to be redacted of a customer, oldest first, beside the redactions of others; one that fails waits for
 * the next start and holds up no other.
 */
function redactOfCustomer(context: ServiceContext, customerId: string): void {
  context.afterwards.startAlone(`redactions of ${customerId}`, async () => {
    const failed: string[] = []
    while (!context.afterwards.isEnding) {
      const redaction = await nextRedaction(context.database, customerId, failed)
      if (redaction === null) return
      try {
        await eraseForGood(context.database, () => redact(context, redaction))
      } catch (error) {
        failed.push(redaction.id)
        context.logger.error({ err: error, redaction: redaction.id }, 'a redaction failed')
      }
    }
  })
}

/** So many records are overwritten in one piece, and so many notifications deleted with all that was sent of them. */
const recordsAtOnce = 20
const eventsAtOnce = 20
/** What is deleted is overwritten, which takes time: documents of so many bytes go in one piece, or a larger one alone. */
const documentBytesAtOnce = 4 * 1024 * 1024
const documentsAtOnce = 50
/** Exports whose searches are looked at. */
const exportsAtOnce = 200
/** Parts of the files of exports. */
const partsAtOnce = 8

/** Which notifications show the records of a table. */
const eventGroups = { orders: 'order', shipments: 'shipment', return_labels: null } as const

/** Which records repeat those of a table, and what they name them by. */
const repeatedBy = { orders: 'shipments', shipments: 'return_labels', return_labels: null } as const

/** In pieces, each in a turn of the customer. The promise stands until the last: a dead process begins anew at its next start. */
async function redact(context: ServiceContext, redaction: RedactionTable): Promise<void> {
  const { customer_id: customerId, email } = redaction
  const inTurn: InTurn = (work) =>
    context.turns.runFor(customerId, () => context.database.transaction().execute(work))
  const startedAt = storedNow(context)
  const lateLabels = new Set<string>()
  const { bearing, related } = await recordsOfPerson(inTurn, redaction)
  // those that bear the address last: by them the others are found again
  for (const records of [related, bearing])
    for (const table of personTables) {
      const all = [...records[table]]
      for (let at = 0; at < all.length; at += recordsAtOnce) {
        const ids = all.slice(at, at + recordsAtOnce)
        const redactNext = async (connection: Connection): Promise<boolean> => {
          const now = storedNow(context)
          if (!(await clearRecords(connection, table, ids, now))) return false
          const found = await findPersons(connection, table, ids)
          const scope = { customerId, email: email.toLowerCase(), startedAt, now, lateLabels }
          await redactRecords(connection, table, found, scope)
          return true
        }
        // a carrier that is being asked writes its label when it answers
        do await requestsUnderWay(context, ids)
        while (!(await inTurn(redactNext)))
      }
    }
  await requestsUnderWay(context, [...lateLabels])
  while (!(await inTurn((each) => clearRecords(each, 'return_labels', [...lateLabels], storedNow(context)))));
  await overwriteSearches(inTurn, customerId, email.toLowerCase())
  const withdrawn = await inTurn((each) => withdrawExports(each, customerId, storedNow(context)))
  for (const id of withdrawn) while (await inTurn((each) => deleteSomeWithdrawnParts(each, id, partsAtOnce)));
  await inTurn((each) => deleteRedaction(each, redaction.id))
}

/** Before files of exports are withdrawn: one of them lists the exports with their searches. */
async function overwriteSearches(inTurn: InTurn, customerId: string, email: string): Promise<void> {
  let after = { created_at: '', id: '' }
  for (let found = exportsAtOnce; found === exportsAtOnce;)
    found = await inTurn(async (connection) => {
      const rows = await walkExportSearches(connection, customerId, after, exportsAtOnce)
      for (const { id, filters: text } of rows) {
        const filters = readExportFilters(text)
        if (namesPerson(filters.search, email))
          await overwriteExportSearch(connection, id, { ...filters, search: redacted })
      }
      after = rows.at(-1) ?? after
      return rows.length
    })
}

async function requestsUnderWay(context: ServiceContext, ids: readonly string[]): Promise<void> {
  await Promise.allSettled(ids.flatMap((id) => context.requestsUnderWay.get(id) ?? []))
}

/**
 * Deletes the notifications that show those records, and the documents on which their person stands, as far as one piece
 * may. False: some may be left. All are gone before a record is overwritten: by its address a redaction that begins anew
 * finds them.
 */
async function clearRecords(
  connection: Connection,
  table: PersonTable,
  ids: readonly string[],
  now: string,
): Promise<boolean> {
  const group = eventGroups[table]
  const events = group === null ? 0 : await deleteEventsOf(connection, group, ids, eventsAtOnce)
  if (events === eventsAtOnce) return false
  const documents = await documentsNaming(connection, table, ids, documentsAtOnce)
  let bytes = 0
  for (const { id, size } of documents) {
    if (bytes > 0 && bytes + size > documentBytesAtOnce) return false
    bytes += size
    await discardDocument(connection, id, now)
  }
  return documents.length < documentsAtOnce
}

interface Scope {
  readonly customerId: string
  /** In lower case. */
  readonly email: string
  /** When the person's records were looked for. */
  readonly startedAt: string
  readonly now: string
  /** Takes the labels that were made since. */
  readonly lateLabels: Set<string>
}

/** Overwrites records, and those that were made of them since the person's records were looked for. */
async function redactRecords(
  connection: Connection,
  table: PersonTable,
  records: readonly PersonRecord[],
  scope: Scope,
): Promise<void> {
  if (records.length === 0) return
  const { customerId, email, startedAt, now, lateLabels } = scope
  const ids = records.map(({ id }) => id)
  const documents = await documentsNaming(connection, table, ids, Number.MAX_SAFE_INTEGER)
  for (const { id, address } of records) {
    const rest = { address: redactedAddress(address), text: redacted, modifiedAt: now }
    await overwritePerson(connection, table, id, rest)
  }
  for (const { id } of documents) await discardDocument(connection, id, now)
  const group = eventGroups[table]
  if (group !== null) await deleteEventsOf(connection, group, ids, Number.MAX_SAFE_INTEGER)
  const next = repeatedBy[table]
  if (next === null) return
  const names = new Set(records.map(({ id, owner }) => (table === 'orders' ? owner : id)))
  const since = { created_at: startedAt, id: '' }
  const made = await walkPersons(connection, next, customerId, since, Number.MAX_SAFE_INTEGER)
  const late = made.filter((record) => names.has(record.owner) && bearsNoOther(record, email))
  if (next === 'return_labels') for (const { id } of late) lateLabels.add(id)
  await redactRecords(connection, next, late, scope)
}

/** Every part that was there, but for the country. */
function redactedAddress(text: string): string {
  const { country, ...parts } = readShippingAddress(text)
  const over: Omit<StoredShippingAddress, 'country'> = parts
  const kept = Object.entries(over).map(([name, part]) => [name, part === null ? null : redacted] as const)
  return JSON.stringify({ ...Object.fromEntries(kept), country })
}
