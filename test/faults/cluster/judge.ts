import { readFileSync } from 'node:fs'
import type pg from 'pg'
import { z } from 'zod'
import { makeSmallWorld } from '#support/small-world.ts'
import { contradictions } from '#support/warehouse-books.ts'
import { type Received } from '#support/webhook-receiver.ts'
import { judgedOrder, judgeNotifications, selectJudgedOrders } from '../webhooks/judge.ts'
import type { Diary } from './diary.ts'
import type { Findings } from './findings.ts'
import type { Fault } from './fleet.ts'
import { leaseMs, note, type Note } from './site.ts'

/** The data of a run, which `judge` compares after all processes of the middleware have stopped. */
export interface Case {
  readonly database: pg.Client
  readonly diary: Diary
  readonly received: readonly Received[]
  /** The secret of the webhooks. */
  readonly secret: string
  readonly journal: string
  readonly faults: readonly Fault[]
  /** Times at which the database or this process resumed after a standstill, in milliseconds since 1970. */
  readonly standstills: readonly number[]
}

export async function judge(about: Case, findings: Findings): Promise<void> {
  await judgeLost(about, findings)
  await judgeNotificationsOf(about, findings)
  await judgeExports(about, findings)
  await judgeDoubled(about, findings)
  judgeCarriers(about, findings)
  await judgeBooks(about, findings)
}

/**
 * Queries that compare acknowledged ids (`wanted`) with the records. They return the ids whose record is missing or has
 * another state.
 */
const lost = {
  order: 'select id from wanted where id not in (select id from orders)',
  'cancelled order': `select id from wanted where id not in (select id from orders where status = 'cancelled')`,
  label: 'select id from wanted where id not in (select id from return_labels)',
  'requested label': `select id from wanted where id not in (
    select return_labels.id from return_labels join documents on documents.id = document_id
    where state = 'requested' and substring(content from 1 for 5) = '%PDF-' and json_array_length(tracking) = 1)`,
  'cancelled label': `select id from wanted where id not in (
    select id from return_labels where state = 'cancelled')`,
  'label of a shipment': `select id from wanted where id not in (
    select shipment_id from return_labels where shipment_id is not null and state = 'requested')`,
  inbound: 'select id from wanted where id not in (select id from inbounds)',
  modification: 'select id from wanted where id not in (select id from modifications)',
  webhook: 'select id from wanted where id not in (select id from webhooks)',
  export: `select id from wanted where id not in (select id from exports
    where status = 'completed' or (status = 'failed' and (failure is not null or interruptions > 1)))`,
}

async function judgeLost({ database, diary }: Case, findings: Findings): Promise<void> {
  const acknowledged: Record<keyof typeof lost, Iterable<string>> = {
    order: diary.orders.map(({ id }) => id),
    'cancelled order': diary.cancelledOrders,
    label: diary.labels,
    'requested label': diary.requestedLabels,
    'cancelled label': diary.cancelledLabels,
    'label of a shipment': diary.labelledShipments,
    inbound: diary.inbounds,
    modification: diary.modifications,
    webhook: diary.webhooks,
    export: diary.exports.keys(),
  }
  for (const [what, statement] of Object.entries(lost)) {
    const ids = [...acknowledged[what as keyof typeof lost]]
    const rows = await read(
      database,
      idRow,
      `with wanted as (select unnest($1::text[]) as id) ${statement}`,
      [ids],
    )
    findings.add(
      'lost',
      what,
      rows.map(({ id }) => id),
    )
  }
  const notes = await read(database, judgedOrder, selectJudgedOrders)
  const stored = new Map(notes.map(({ id, customer_note }) => [id, Number(customer_note)]))
  const forgotten = diary.notes.filter(({ order, note }) => (stored.get(order) ?? -1) < note)
  findings.add(
    'lost',
    'note',
    forgotten.map(({ order, note }) => `${order} ${note}`),
  )
  findings.add('lost', 'token', diary.refusedTokens)
}

/**
 * Compares the received notifications about orders with the orders. Also checks that each delivery that the database
 * marks as delivered was received, and that no delivery was given up.
 */
async function judgeNotificationsOf(about: Case, findings: Findings): Promise<void> {
  const { database, received, diary, secret } = about
  const orders = await read(database, judgedOrder, selectJudgedOrders)
  const ofRun = received.filter(({ raw }) => !ordersOfWorld.has(entityOf(raw)))
  const verdict = judgeNotifications(orders, ofRun, diary.notes, secret)
  const { lost, invented, disordered, unsigned } = verdict
  if (lost > 0) findings.add('lost', 'notification', [`${lost} changes`])
  if (invented + disordered + unsigned > 0)
    findings.add('problems', 'notifications', [JSON.stringify({ invented, disordered, unsigned })])
  const arrived = new Set(received.map(({ headers }) => headers['x-webhook-id']))
  const delivered = await read(
    database,
    z.object({ event_id: z.string() }),
    `select distinct event_id from deliveries where state = 'delivered'`,
  )
  const missing = delivered.filter(({ event_id }) => !arrived.has(event_id))
  findings.add(
    'lost',
    'delivered notification',
    missing.map(({ event_id }) => event_id),
  )
  const givenUp = await read(database, idRow, `select id::text from deliveries where state = 'given_up'`)
  findings.add(
    'lost',
    'notification that was given up',
    givenUp.map(({ id }) => id),
  )
}

/**
 * Ids of the orders of the initial data. The simulated warehouse also changes these orders, so there are notifications
 * about them.
 */
const ordersOfWorld = new Set(makeSmallWorld().orders.map(({ id }) => id))

function entityOf(raw: Buffer): string {
  return z.object({ entityId: z.string() }).parse(JSON.parse(raw.toString())).entityId
}

/**
 * Checks the files of exports. A complete file has the header, no order twice, and all orders that were acknowledged
 * before the export was requested.
 */
async function judgeExports({ database, diary }: Case, findings: Findings): Promise<void> {
  const files = await read(
    database,
    z.object({ id: z.string(), content: z.string() }),
    `select id, (select coalesce(string_agg(content, '' order by position), '') from export_parts
      where export_id = exports.id) as content from exports where status = 'completed' and type = 'orders'`,
  )
  for (const { id, content } of files) {
    const [header, ...lines] = content.replace('\ufeff', '').trim().split('\r\n')
    const references = new Set(lines)
    if (header !== 'reference' || references.size < lines.length)
      findings.add('doubled', 'lines of an export', [
        `${id}: ${lines.length - references.size} of ${lines.length}`,
      ])
    const before = diary.orders.slice(0, diary.exports.get(id) ?? 0)
    const missing = before.filter(({ reference }) => !references.has(reference))
    if (missing.length > 0)
      findings.add('lost', 'lines of an export', [`${id}: ${missing.length} of ${before.length}`])
  }
}

/**
 * Queries that return the ids or references of records that exist twice. The query for documents returns those whose
 * label does not refer to them: such a document exists only if the label was drawn twice.
 */
const doubled = {
  'document of a label': `select id from documents where document_type = 'return_label'
    and not exists (select 1 from return_labels where document_id = documents.id)`,
  'label of a shipment': `select shipment_id as id from return_labels where shipment_id is not null
    and state <> 'cancelled' group by 1 having count(*) > 1`,
  'number of a parcel': `select tracking -> 0 ->> 'trackingCode' as id from return_labels where state = 'requested'
    group by 1 having count(*) > 1`,
  order: 'select external_reference as id from orders group by 1, customer_id having count(*) > 1',
  'reference of an order': 'select reference as id from orders group by 1 having count(*) > 1',
  'reference of a shipment': 'select reference as id from shipments group by 1 having count(*) > 1',
  'reference of a modification': 'select reference as id from modifications group by 1 having count(*) > 1',
  modification: `select note as id from modifications where note like 'run-%' group by 1 having count(*) > 1`,
  inbound: `select external_reference as id from inbounds where external_reference like 'run-%'
    group by 1 having count(*) > 1`,
  'return of a shipment': `select external_reference as id from inbounds where is_return = 1
    and external_reference like 'SHP%' group by 1 having count(*) > 1`,
  'quality control of an inbound':
    'select inbound_id as id from quality_controls group by 1 having count(*) > 1',
  'refresh token of a login':
    'select login as id from refresh_tokens where used_at is null group by 1 having count(*) > 1',
}

async function judgeDoubled(about: Case, findings: Findings): Promise<void> {
  const { database, diary, received } = about
  for (const [what, statement] of Object.entries(doubled)) {
    const rows = await read(database, idRow, statement)
    findings.add(
      'doubled',
      what,
      rows.map(({ id }) => id),
    )
  }
  if (diary.refreshedTwice > 0)
    findings.add('doubled', 'refresh', [`${diary.refreshedTwice} tokens were exchanged twice`])
  // The log of an attempt and the new state of its delivery are stored in one transaction. So a delivery with two
  // logged successes is an error, even if the suite caused a fault around that time. They are allowed only if a process
  // stood still around that time, because it may then have lost its lease.
  const sent = await read(
    database,
    z.object({ id: z.string(), first: z.number(), last: z.number() }),
    `select event_id as id, extract(epoch from min(started_at))::float8 * 1000 as first,
      extract(epoch from max(started_at))::float8 * 1000 as last
      from deliveries join delivery_attempts on delivery_id = deliveries.id
      where status between 200 and 299 group by 1, deliveries.id having count(*) > 1`,
  )
  const arrivals = Map.groupBy(received, ({ headers }) => String(headers['x-webhook-id']))
  const notes = readJournal(about.journal)
  const twice = sent.filter(
    ({ id, first, last }) =>
      (arrivals.get(id)?.length ?? 0) > 1 && !stoodStill(about, notes, { name: null, from: first, to: last }),
  )
  findings.add(
    'doubled',
    'notification',
    twice.map(({ id }) => id),
  )
}

/**
 * Reports repeated calls to a carrier for the same label. A repeated call is allowed only if the process of the
 * previous call may have been unable to store the label. There are two such cases. Either the suite applied a fault to
 * this process around that time. Or this process, the database or the test process stood still around that time, so
 * that the lease of this process may have ended.
 */
function judgeCarriers(about: Case, findings: Findings): void {
  const notes = readJournal(about.journal)
  for (const [serial, ofLabel] of Map.groupBy(notes, (each) => each.serial)) {
    if (serial === null) continue
    const begun = ofLabel.filter(({ what }) => what === 'begun')
    for (const [at, call] of begun.entries()) {
      const next = begun[at + 1]
      if (next === undefined) continue
      const met = about.faults.some(
        (fault) => fault.name === call.name && fault.at >= call.at - aroundMs && fault.at <= next.at,
      )
      if (met || stoodStill(about, notes, { name: call.name, from: call.at, to: next.at })) continue
      const tell = ({ name, at: when, what }: Note): string => `${name} ${what} ${when - call.at} ms`
      findings.add('doubled', 'call of a carrier', [`label ${serial}: ${ofLabel.map(tell).join(', ')}`])
    }
  }
}

/**
 * A fault of a process affects a call to a carrier if the fault happened before the next call for the same label, but
 * at most this number of milliseconds before the call. Faults before the call count, because a process notices a broken
 * connection only when it uses the connection.
 */
const aroundMs = 500

/**
 * Whether the named process (null: any process), the database or the test process stood still around the given time, so
 * that the process may have lost a lease.
 */
function stoodStill(
  { standstills }: Case,
  notes: readonly Note[],
  { name, from, to }: { readonly name: string | null; readonly from: number; readonly to: number },
): boolean {
  const own = notes.filter((each) => each.what === 'stood still' && (name === null || each.name === name))
  return [...standstills, ...own.map(({ at }) => at)].some((at) => at >= from - leaseMs && at <= to + leaseMs)
}

function readJournal(file: string): Note[] {
  const lines = readFileSync(file, 'utf8').trim().split('\n')
  return lines.filter((line) => line !== '').map((line) => note.parse(JSON.parse(line)))
}

/**
 * Compares the stock of each variant with a sum that does not use the ledger: the pieces in the initial data (`$1`)
 * plus all movements of the run.
 */
const independentSum = `
  with world as (select * from json_to_recordset($1) as world(variant_id text, pieces bigint)),
  moves as (
    select variant_id, pieces from world
    union all select variant_id, processed from inbound_lines where inbound_id <> all($2) and processed is not null
    union all select variant_id, -quantity from shipment_lines where shipment_id <> all($3)
    union all select variant_id, quantity from modification_lines join modifications
      on modifications.id = modification_id where status = 'approved' and modification_id <> all($4)),
  expected as (select variant_id, sum(pieces) as pieces from moves group by 1),
  lying as (select variant_id, sum(quantity) as pieces from batches group by 1)
  select variant_id as id, expected.pieces::text as expected, lying.pieces::text as lying
  from expected full join lying using (variant_id) where coalesce(expected.pieces, 0) <> coalesce(lying.pieces, 0)`

async function judgeBooks({ database }: Case, findings: Findings): Promise<void> {
  for (const query of contradictions) {
    const rows = await read(database, z.record(z.string(), z.unknown()), query)
    findings.add(
      'books',
      query,
      rows.map((row) => JSON.stringify(row)),
    )
  }
  const { batches, inbounds, shipments, modifications } = makeSmallWorld()
  const opening = batches.map(({ variantId, quantity }) => ({ variant_id: variantId, pieces: quantity }))
  const done = [
    inbounds.filter(({ status }) => status === 'completed'),
    shipments,
    modifications.filter(({ status }) => status === 'approved'),
  ].map((each) => each.map(({ id }) => id))
  const differences = await read(
    database,
    z.object({ id: z.string(), expected: z.string().nullable(), lying: z.string().nullable() }),
    independentSum,
    [JSON.stringify(opening), ...done],
  )
  findings.add(
    'books',
    'pieces of a variant',
    differences.map((row) => JSON.stringify(row)),
  )
}

const idRow = z.object({ id: z.string() })

async function read<Row>(
  database: pg.Client,
  row: z.ZodType<Row>,
  statement: string,
  values: readonly unknown[] = [],
): Promise<Row[]> {
  const { rows } = await database.query(statement, [...values])
  return z.array(row).parse(rows)
}
