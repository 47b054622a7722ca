import type { Connection } from '../data/engine/database.ts'
import { beforeAllTimes } from '../data/engine/listing.ts'
import { readShippingAddress } from '../data/engine/stored-json.ts'
import {
  newestPlace,
  type PersonRecord,
  type PersonTable,
  personTables,
  type Place,
  recordsBehind,
  type RepeatingTable,
  walkPersons,
} from '../data/redactions.ts'
import type { RedactionTable } from '../data/schema/access.ts'

/** Runs work in a separate turn of the customer (`Turns`) and in a separate transaction. */
export type InTurn = <Result>(work: (connection: Connection) => Promise<Result>) => Promise<Result>

/** Ids of records, by their table. */
export type RecordIds = Readonly<Record<PersonTable, ReadonlySet<string>>>

/** Number of records that one step reads. */
const walkedAtOnce = 200
const beginning = { created_at: beforeAllTimes, id: '' }

/**
 * Returns the customer's records that name the person of a redaction: the records with the e-mail address, and the
 * related records that contain no e-mail address. An order, its shipments and their return labels are related, because
 * they have the same recipient.
 */
export async function recordsOfPerson(
  inTurn: InTurn,
  { customer_id: customerId, email: written }: RedactionTable,
): Promise<{ bearing: RecordIds; related: RecordIds }> {
  const email = written.toLowerCase()
  const bearing = noRecords()
  const related = noRecords()
  const orders = new OrdersOfPerson()
  const shipmentIds = new Set<string | null>()
  const walk = (table: PersonTable, look: (record: PersonRecord) => void): Promise<void> =>
    walkAll(inTurn, table, customerId, look)
  // labels are read first, because a label identifies its shipment and a shipment its order
  for (const table of personTables.toReversed())
    await walk(table, (record) => {
      const isBearing = bears(record, email)
      if (isBearing) bearing[table].add(record.id)
      if (table === 'return_labels') {
        if (isBearing) shipmentIds.add(record.owner)
      } else if (isBearing || shipmentIds.has(record.id)) orders.add(table, record)
    })
  if (orders.isEmpty) return { bearing, related }
  for (const table of ['orders', 'shipments'] as const)
    await walk(table, (record) => {
      if (!orders.has(table, record)) return
      // Orders can be found by their external reference. The id of such an order is added too, because further
      // shipments are found by this id.
      if (table === 'orders') orders.add(table, record)
      if (!bearing[table].has(record.id) && bearsNoOther(record, email)) related[table].add(record.id)
    })
  const shipments = new Set([...bearing.shipments, ...related.shipments])
  if (shipments.size > 0)
    await walk('return_labels', (record) => {
      if (bearing.return_labels.has(record.id)) return
      if (record.owner !== null && shipments.has(record.owner) && bearsNoOther(record, email))
        related.return_labels.add(record.id)
    })
  return { bearing, related }
}

/**
 * The orders that name a person: their ids and, for shipments without the id of an order, their external references.
 */
class OrdersOfPerson {
  readonly #ids = new Set<string | null>()
  readonly #references = new Set<string | null>()

  get isEmpty(): boolean {
    return this.#ids.size + this.#references.size === 0
  }

  /** Adds an order. For a shipment, adds its order. */
  add(table: 'orders' | 'shipments', { id, owner, reference }: PersonRecord): void {
    const orderId = table === 'orders' ? id : owner
    if (orderId !== null) this.#ids.add(orderId)
    if (reference !== null) this.#references.add(reference)
  }

  /** Whether the record is one of the added orders, or a shipment of one of them. */
  has(table: 'orders' | 'shipments', { id, owner, reference }: PersonRecord): boolean {
    return (
      this.#ids.has(table === 'orders' ? id : owner) ||
      (reference !== null && this.#references.has(reference))
    )
  }
}

/**
 * Late records: shipments and return labels that other calls of the customer create while a redaction runs. They are
 * grouped by the record from which their address was copied. Each call of `readOn` reads the next portion of them.
 */
export class LateRecords {
  readonly #customerId: string
  readonly #places: Record<RepeatingTable, Place>
  readonly #byOwner = new Map<string, string[]>()

  private constructor(customerId: string, places: Record<RepeatingTable, Place>) {
    this.#customerId = customerId
    this.#places = places
  }

  /**
   * Creates the collection of late records: shipments and return labels of the customer that are created after this
   * call.
   */
  static fromNow(inTurn: InTurn, customerId: string): Promise<LateRecords> {
    return inTurn(
      async (connection) =>
        new LateRecords(customerId, {
          shipments: await newestPlace(connection, 'shipments', customerId),
          return_labels: await newestPlace(connection, 'return_labels', customerId),
        }),
    )
  }

  /**
   * Reads the next records that other calls have created in a table during the redaction. Returns false if unread
   * records may be left.
   */
  async readOn(connection: Connection, table: RepeatingTable): Promise<boolean> {
    const place = this.#places[table]
    const found = await recordsBehind(connection, table, this.#customerId, place, walkedAtOnce)
    for (const { id, owner } of found)
      if (owner !== null) {
        const ids = this.#byOwner.get(owner)
        if (ids === undefined) this.#byOwner.set(owner, [id])
        else ids.push(id)
      }
    this.#places[table] = found.at(-1)?.place ?? place
    return found.length < walkedAtOnce
  }

  /**
   * Stores the state of this collection, and returns a function that restores it. Records that were read or taken after
   * the call of `mark` can then be read or taken again.
   */
  mark(): () => void {
    const places = { ...this.#places }
    const byOwner = new Map([...this.#byOwner].map(([owner, ids]) => [owner, [...ids]]))
    return () => {
      Object.assign(this.#places, places)
      this.#byOwner.clear()
      for (const [owner, ids] of byOwner) this.#byOwner.set(owner, [...ids])
    }
  }

  /**
   * Removes up to `limit` late records (see LateRecords) from this collection, and returns their ids. Selects late
   * records whose address was copied from one of the records `owners`.
   */
  take(owners: readonly string[], limit: number): string[] {
    const taken: string[] = []
    for (const owner of owners) {
      const ids = this.#byOwner.get(owner) ?? []
      taken.push(...ids.splice(0, limit - taken.length))
      if (ids.length === 0) this.#byOwner.delete(owner)
    }
    return taken
  }
}

async function walkAll(
  inTurn: InTurn,
  table: PersonTable,
  customerId: string,
  look: (record: PersonRecord) => void,
): Promise<void> {
  let after: Pick<PersonRecord, 'created_at' | 'id'> = beginning
  for (;;) {
    const place = after
    const found = await inTurn((connection) =>
      walkPersons(connection, table, customerId, place, walkedAtOnce),
    )
    for (const record of found) look(record)
    after = found.at(-1) ?? after
    if (found.length < walkedAtOnce) return
  }
}

function noRecords(): Record<PersonTable, Set<string>> {
  return { orders: new Set(), shipments: new Set(), return_labels: new Set() }
}

/**
 * Whether a record contains the person's e-mail address. A record is parsed only if its text contains this e-mail
 * address, so that an address that cannot be parsed does not stop the redaction of other persons.
 */
function bears(record: PersonRecord, email: string): boolean {
  const { email: own, address } = record
  return `${own ?? ''} ${address}`.toLowerCase().includes(email) && emailsOf(record).includes(email)
}

/**
 * Whether a record that was found for the person of this e-mail address still belongs to that person. A call can
 * replace the person in a record while a redaction runs. `isRelated`: the record was found as a related record, so it
 * may belong to the person even if it contains no e-mail address.
 */
export function isStillOf(record: PersonRecord, email: string, isRelated: boolean): boolean {
  return bears(record, email) || (isRelated && bearsNoOther(record, email))
}

/** Whether a record contains no e-mail address except the given one. */
function bearsNoOther(record: PersonRecord, email: string): boolean {
  return emailsOf(record).every((each) => each === email)
}

function emailsOf({ email, address }: PersonRecord): string[] {
  return plain([email, readShippingAddress(address).emailAddress])
}

/** Whether a text contains the e-mail address, which is given in lower case. */
export function namesPerson(text: string | null, email: string): boolean {
  return plain([text]).includes(email)
}

/**
 * Returns the e-mail addresses of these texts in lower case. Clients send various forms: `Kim <kim@example.org>`,
 * `mailto:kim@example.org`, two addresses in one text. A text without an e-mail address is returned completely.
 */
function plain(texts: readonly (string | null)[]): string[] {
  return texts.flatMap((text) => {
    const written = text?.trim().toLowerCase() ?? ''
    if (written === '') return []
    const addresses = written.split(/[\s<>()",;:]/).filter((part) => part.includes('@'))
    return addresses.length === 0 ? [written] : addresses
  })
}
