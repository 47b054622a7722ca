import { randomUUID } from 'node:crypto'
import { beforeAllTimes } from '../data/engine/listing.ts'
import { commitInOrder, inTransaction, type Connection, isStorageFailure } from '../data/engine/database.ts'
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
  countOtherRedactions,
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
} from '../data/redactions.ts'
import type { RedactionTable } from '../data/schema/access.ts'
import { insertWork } from '../data/warehouse-work.ts'
import { type Customer, type ServiceContext, storedNow } from './context.ts'
import { discardDocument } from './documents/documents.ts'
import { removeOldValuesAfterwards } from './old-values.ts'
import { type InTurn, isStillOf, LateRecords, namesPerson, recordsOfPerson } from './records-of-person.ts'
import { inTransactionOf, type Lease, LeaseLost, withLease } from '../data/engine/coordination.ts'
import { labelsBeingRequested, moveReturnLabel } from '../data/shipments/return-labels.ts'
import { Refusal } from './refusal.ts'
import { leaseOfRequest } from './shipments/request-return-label.ts'

/** Replacement for personal data. It has ten characters, the maximum length of a street number (API.md 1.11). */
const redacted = '-redacted-'

/**
 * Stores a request to redact the data of the person with the given e-mail address, and returns. The redaction runs
 * after the response; if the process crashes, the next start runs it. It overwrites the person's data in the customer's
 * orders, shipments and return labels and in the search filters of exports. It deletes the documents that name the
 * person, and the files of exports and the notifications that may name the person. Refused with 429 while too many
 * redactions of the customer wait.
 */
export async function redactPersonData(
  context: ServiceContext,
  customer: Customer,
  email: string,
): Promise<void> {
  const row = {
    id: randomUUID(),
    customer_id: customer.id,
    email: email.toLowerCase(),
    created_at: storedNow(context),
  }
  await inTransaction(context.database, async (transaction) => {
    if ((await countOtherRedactions(transaction, row)) >= mostWaiting) throw tooManyWaiting()
    await insertRedaction(transaction, row)
  })
  redactOfCustomer(context, customer.id)
}

/** Maximum number of waiting redactions of one customer. Two waiting redactions never have the same e-mail address. */
const mostWaiting = 1000

function tooManyWaiting(): Refusal {
  const message = `${mostWaiting} redactions of this customer are waiting. Try again when some of them are done.`
  return new Refusal('too_many', message, { retryAfterSeconds: 60 })
}

/** Starts the redactions that an earlier process has not finished. */
export function redactAfterwards(context: ServiceContext): void {
  context.afterwards.start('redactions', async () => {
    for (const customerId of await customersToRedact(context.database)) redactOfCustomer(context, customerId)
  })
}

/**
 * Runs the pending redactions of a customer, oldest first, in parallel to the redactions of other customers. A
 * redaction that fails does not block other redactions. It is tried again at the next request of the customer, at the
 * next start, or after another process has crashed.
 */
function redactOfCustomer(context: ServiceContext, customerId: string): void {
  context.afterwards.startAlone(`redactions of ${customerId}`, async (lease) => {
    const failed: string[] = []
    while (!context.afterwards.isEnding) {
      const redaction = await nextRedaction(context.database, customerId, failed)
      if (redaction === null) return
      try {
        await redact(context, redaction, lease)
        removeOldValuesAfterwards(context)
      } catch (error) {
        if (error instanceof ServerIsEnding) return
        // after a lost lease or a failure of the database the redactions are repeated
        if (error instanceof LeaseLost || isStorageFailure(error)) throw error
        failed.push(redaction.id)
        context.logger.error({ err: error, redaction: redaction.id }, 'a redaction failed')
      }
    }
  })
}

/** Thrown between two steps to end a redaction. The next start repeats the redaction. */
class ServerIsEnding extends Error {}

/**
 * Maximum number of records that one step overwrites, and of notifications that one step deletes with their deliveries.
 */
const recordsAtOnce = 20
const eventsAtOnce = 20
/**
 * Maximum bytes, and maximum number, of the documents that one step deletes. They are limited because SQLite overwrites
 * deleted data, which takes time. A document with more bytes is deleted in a separate step.
 */
const documentBytesAtOnce = 4 * 1024 * 1024
const documentsAtOnce = 50
/** Maximum number of exports of which one step reads the search filters. */
const exportsAtOnce = 200

/** For each table, the group of notifications that show its records. */
const eventGroups = { orders: 'order', shipments: 'shipment', return_labels: null } as const

/**
 * For each table, the table whose records contain copies of its personal data: a shipment copies the data of its order,
 * and a return label copies the data of its shipment.
 */
const repeatedBy = { orders: 'shipments', shipments: 'return_labels', return_labels: null } as const

/** A running redaction. */
interface Work {
  readonly context: ServiceContext
  readonly inTurn: InTurn
  readonly customerId: string
  /** The e-mail address of the person, in lower case. */
  readonly email: string
  readonly late: LateRecords
}

/**
 * Redacts in steps. Each step waits for a turn of the customer (`Turns`). The stored request is deleted after the last
 * step, so that after a crash the next start repeats the whole redaction. Throws `ServerIsEnding` if the server is
 * closing, and `LeaseLost` if another process may have taken the lease.
 */
async function redact(context: ServiceContext, redaction: RedactionTable, lease: Lease): Promise<void> {
  const { customer_id: customerId } = redaction
  const email = redaction.email.toLowerCase()
  const inTurn: InTurn = (work) =>
    context.turns.runFor(customerId, () => {
      if (context.afterwards.isEnding) throw new ServerIsEnding()
      return inTransactionOf(lease, context.database, work)
    })
  const late = await LateRecords.fromNow(inTurn, customerId)
  const work = { context, inTurn, customerId, email, late }
  await redactAll(work, await recordsOfPerson(inTurn, redaction))
  // the records are searched and redacted a second time, because another process may have copied the personal data to a
  // record that the first search could not see yet
  await redactAll(work, await recordsOfPerson(inTurn, redaction))
  await overwriteSearches(inTurn, customerId, email)
  const withdrawn = await inTurn((each) => withdrawExports(each, customerId, storedNow(context)))
  for (const id of withdrawn) while (await inTurn((each) => deleteSomeWithdrawnParts(each, id)));
  await inTurn((each) => deleteRedaction(each, redaction.id))
}

async function redactAll(
  work: Work,
  { bearing, related }: Awaited<ReturnType<typeof recordsOfPerson>>,
): Promise<void> {
  // records with the e-mail address are redacted last, because an interrupted redaction finds the related records
  // through them
  for (const records of [related, bearing])
    for (const table of personTables) {
      const all = [...records[table]]
      for (let at = 0; at < all.length; at += recordsAtOnce)
        await redactRecords(work, table, all.slice(at, at + recordsAtOnce))
    }
}

/**
 * Redacts up to `recordsAtOnce` records. While the redaction runs, other calls may copy the data of these records to
 * new records (late records). The copies are redacted before their originals, because after an interruption some copies
 * can be found only through an original that still has the e-mail address.
 */
async function redactRecords(work: Work, table: PersonTable, ids: readonly string[]): Promise<void> {
  const next = repeatedBy[table]
  for (let isDone = false; !isDone;) {
    // waits for running requests to the carrier, because their responses store labels with the old address
    if (table === 'return_labels') await awaitRequests(work.context, ids)
    const startAgain = work.late.mark()
    const step = await work.inTurn((connection) => {
      // If PostgreSQL refuses a step, the step runs again. Each run first restores the collection of late records
      // (records that other calls create during the redaction) to the state that `mark` stored.
      startAgain()
      return redactNext(connection, work, table, ids)
    })
    if (next !== null && step.late.length > 0) await redactRecords(work, next, step.late)
    isDone = step.isDone
  }
}

/**
 * Waits for the running requests of the given labels. Makes a label requestable again if its request has ended without
 * an outcome.
 */
async function awaitRequests(context: ServiceContext, ids: readonly string[]): Promise<void> {
  const { database, leases, afterwards } = context
  for (const id of await labelsBeingRequested(database, ids))
    await withLease(await leases.wait(leaseOfRequest(id), afterwards.ending), () =>
      moveReturnLabel(database, id, 'requesting', 'unrequested', storedNow(context)),
    )
}

/**
 * Redacts the records `ids` in one step. First reads the records again, because another call may have replaced the
 * person in a record since it was found. Returns in `late` the ids of records that the caller must redact before the
 * next step.
 */
async function redactNext(
  connection: Connection,
  { context, customerId, email, late }: Work,
  table: PersonTable,
  ids: readonly string[],
): Promise<{ isDone: boolean; late: readonly string[] }> {
  const unfinished = { isDone: false, late: [] }
  // if a request of a label has begun while this step waited for its turn, the step changes nothing, and is repeated
  // after the request has ended
  if (table === 'return_labels' && (await labelsBeingRequested(connection, ids)).length > 0) return unfinished
  const now = storedNow(context)
  const found = await findPersons(connection, table, ids)
  const meant = new Map(
    found.filter((record) => isStillOf(record, email, true)).map((record) => [record.id, record]),
  )
  if (!(await clearRecords(connection, table, [...meant.keys()], now))) return unfinished
  const next = repeatedBy[table]
  if (next !== null) {
    if (!(await late.readOn(connection, next))) return unfinished
    const taken = late.take(ids, recordsAtOnce)
    if (taken.length > 0) {
      const repeating = await findPersons(connection, next, taken)
      const isMeant = (record: PersonRecord): boolean =>
        isStillOf(record, email, record.owner !== null && meant.has(record.owner))
      return { isDone: false, late: repeating.filter(isMeant).map(({ id }) => id) }
    }
  }
  for (const { id, address } of meant.values())
    await overwritePerson(connection, table, id, {
      address: redactedAddress(address),
      text: redacted,
      modifiedAt: now,
    })
  // a warehouse may have copied the address and the documents of an order, so each order is listed as changed
  if (table === 'orders' && meant.size > 0) {
    await commitInOrder(connection)
    for (const id of meant.keys())
      await insertWork(connection, { kind: 'order', customer_id: customerId, entity_id: id, created_at: now })
  }
  return { isDone: true, late: [] }
}

/**
 * Overwrites each search filter of the customer's exports that contains the e-mail address. The files of exports must
 * be withdrawn afterwards, because a file that is written during the overwriting can list exports with their old
 * filters.
 */
async function overwriteSearches(inTurn: InTurn, customerId: string, email: string): Promise<void> {
  let after = { created_at: beforeAllTimes, id: '' }
  for (let found = exportsAtOnce; found === exportsAtOnce;) {
    const place = after
    const visited = await inTurn(async (connection) => {
      const rows = await walkExportSearches(connection, customerId, place, exportsAtOnce)
      for (const { id, filters: text } of rows) {
        if (!text.includes('@')) continue
        const filters = readExportFilters(text)
        if (namesPerson(filters.search, email))
          await overwriteExportSearch(connection, id, { ...filters, search: redacted })
      }
      return rows
    })
    after = visited.at(-1) ?? after
    found = visited.length
  }
}

/**
 * Deletes notifications that show the records, and documents that name the person of the records, up to the limits of
 * one step. Returns false if notifications or documents may be left. All are deleted before a record is overwritten,
 * because an interrupted redaction finds them through the e-mail address in the record.
 */
async function clearRecords(
  connection: Connection,
  table: PersonTable,
  ids: readonly string[],
  now: string,
): Promise<boolean> {
  if (ids.length === 0) return true
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

/** Returns the address with `-redacted-` in place of every part that is not null, except the country. */
function redactedAddress(text: string): string {
  const { country, ...parts } = readShippingAddress(text)
  const over: Omit<StoredShippingAddress, 'country'> = parts
  const kept = Object.entries(over).map(([name, part]) => [name, part === null ? null : redacted] as const)
  return JSON.stringify({ ...Object.fromEntries(kept), country })
}
