import BetterSqlite from 'better-sqlite3'
import { z } from 'zod'
import { type Received, readSigned } from '#support/webhook-receiver.ts'

/**
 * A change that a client made and the service acknowledged: the id of the order, and the number that the change wrote
 * as the note of the order.
 */
export interface Acknowledged {
  readonly order: string
  readonly note: number
}

export interface Verdict {
  /** The number of orders that this test run created and that the database contains. */
  readonly orders: number
  /** Number of stored or acknowledged changes without a notification. */
  readonly lost: number
  /** Number of notifications of orders or changes that the database does not have. */
  readonly invented: number
  /**
   * Number of changes whose first notification arrived after the first notification of a later change of the same
   * order.
   */
  readonly disordered: number
  /** Number of repeated notifications, which are allowed and have the same id. */
  readonly repeated: number
  /** Number of notifications with a wrong signature. */
  readonly unsigned: number
}

/**
 * A customer's order that the run created in the database. Each change of the order sets its note to a number that is
 * higher than the number of the previous change.
 */
export const judgedOrder = z.object({ id: z.string(), customer_note: z.string().nullable() })
export type JudgedOrder = z.output<typeof judgedOrder>

/** Selects the orders that the run created. The orders of the initial data have other references. */
export const selectJudgedOrders =
  "select id, coalesce(customer_note, '0') as customer_note from orders where external_reference like 'run-%'"

/** Compares the notifications with the final content of the database. */
export function judgeNotifications(
  orders: readonly JudgedOrder[],
  received: readonly Received[],
  acknowledged: readonly Acknowledged[],
  secret: string,
): Verdict {
  const notes = new Map(orders.map(({ id, customer_note }) => [id, Number(customer_note)]))
  const told = new Map<string, number[]>()
  const ids = new Set<unknown>()
  const figures = { orders: notes.size, lost: 0, invented: 0, disordered: 0, repeated: 0, unsigned: 0 }
  for (const each of received) {
    const content = read(each, secret)
    if (content === null) {
      figures.unsigned += 1
      continue
    }
    if (ids.has(each.headers['x-webhook-id'])) figures.repeated += 1
    ids.add(each.headers['x-webhook-id'])
    const { entityId, action } = content
    const note = action === 'created' ? 0 : Number(content.body?.['customer_note'])
    const last = notes.get(entityId)
    if (last === undefined || note > last) figures.invented += 1
    const known = told.get(entityId) ?? []
    // Creations of orders are sent to another webhook, so their position among the changes is not checked.
    if (!known.includes(note)) {
      if (note > 0 && known.some((other) => other > note)) figures.disordered += 1
      told.set(entityId, [...known, note])
    }
  }
  const wanted = [...notes].flatMap(([order, note]) => [
    { order, note: 0 },
    { order, note },
  ])
  const missing = [...wanted, ...acknowledged].filter(({ order, note }) => !told.get(order)?.includes(note))
  figures.lost = new Set(missing.map(({ order, note }) => `${order} ${note}`)).size
  return figures
}

/** Reads the orders of the run from an SQLite database. */
export function readOrders(databaseFile: string): JudgedOrder[] {
  const database = new BetterSqlite(databaseFile, { readonly: true })
  try {
    return z.array(judgedOrder).parse(database.prepare(selectJudgedOrders).all())
  } finally {
    database.close()
  }
}

/** Returns the number of unsent notifications in the database of a dead process. */
export function countOwed(databaseFile: string): number {
  const database = new BetterSqlite(databaseFile, { readonly: true })
  try {
    const sql = "select count(*) as owed from deliveries where state = 'pending'"
    return z.object({ owed: z.number() }).parse(database.prepare(sql).get()).owed
  } finally {
    database.close()
  }
}

function read(received: Received, secret: string): ReturnType<typeof readSigned> | null {
  try {
    return readSigned(received, secret)
  } catch {
    return null
  }
}
