import { readdirSync, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { setTimeout } from 'node:timers/promises'
import pg from 'pg'
import { startPostgres } from '#support/postgres-server.ts'
import { shareOf } from './bench-share.ts'
import { type CallKind, callKinds, DeskTraffic } from './desk-traffic.ts'
import { printFigure, type Sample } from './figure.ts'
import { MeasuredServer } from './measured-server.ts'
import { say } from './progress.ts'
import { copyToPostgres, shipmentCount, variantCount } from './server-data.ts'

const desks = 200
/** Number of middleware processes that serve the desks. */
const processes = 2
const simulatedSeconds = shareOf(180, 60)
const loginsAtOnce = 8

/** The actions of a desk, and how often it performs each in an hour. electron/desk reads its lists once a minute. */
const anHour = { sync: 60, parcel: 60, unknownOrder: 6, label: 30, article: 30, booking: 4 }

/**
 * Measures the CPU time of each kind of call on PostgreSQL, and then the traffic of 200 desks at two middleware
 * processes. `desk-traffic.ts` simulates the desks in this process.
 */
export async function benchDesks(): Promise<void> {
  const postgres = await startPostgres({ isDurable: true })
  if (postgres === null) throw new Error('there is no PostgreSQL server for this platform')
  const servers: MeasuredServer[] = []
  try {
    await copyToPostgres(postgres.url)
    const databaseCpuMs = await meterOf(postgres.url)
    for (let count = 0; count < processes; count++)
      servers.push(await MeasuredServer.middleware('--database', postgres.url))
    await measureCosts(servers, databaseCpuMs)
    await simulate(servers, databaseCpuMs)
  } finally {
    for (const server of servers) await server.stop()
    await postgres.stop()
  }
}

type CpuMeter = () => number | null

/**
 * Returns a function that reads the CPU time of PostgreSQL in milliseconds. The function returns null if the system has
 * no /proc.
 */
async function meterOf(url: string): Promise<CpuMeter> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
  const server = readStat(String(rows[0]?.pid))?.parent
  await client.end()
  return () => {
    if (server === undefined) return null
    const stats = readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? (readStat(name) ?? []) : []))
    return stats
      .filter(({ pid, parent }) => pid === server || parent === server)
      .reduce((sum, { pid, ownMs, endedMs }) => sum + ownMs + (pid === server ? endedMs : 0), 0)
  }
}

/** Milliseconds of one tick, the unit of CPU time in Linux. */
const tickMs = 10

interface ProcessStat {
  readonly pid: string
  readonly parent: string
  readonly ownMs: number
  /** CPU time, in milliseconds, of the child processes of this process that have ended. */
  readonly endedMs: number
}

function readStat(pid: string): ProcessStat | null {
  try {
    // in the file `stat`, the fields are after the name of the process, which is in parentheses and may contain spaces
    const [, rest = ''] = /\) (.*)$/s.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? []
    const fields = rest.split(' ')
    const ticks = (from: number): number => Number(fields[from]) + Number(fields[from + 1])
    return { pid, parent: fields[1] ?? '', ownMs: ticks(11) * tickMs, endedMs: ticks(13) * tickMs }
  } catch {
    return null
  }
}

/**
 * The number of measurements of a kind of call, and an action of a desk that makes this call. The action may also make
 * other calls.
 */
type Cost = readonly [count: number, act: (desk: DeskTraffic, number: number) => Promise<void>]

const costs: Partial<Record<CallKind, Cost>> = {
  login: [20, (desk) => desk.logIn()],
  refresh: [100, (desk) => desk.refresh()],
  'look for the label of a shipment': [400, (desk, number) => desk.look(number)],
  'shipment by its order': [400, (desk, number) => desk.findByOrder(number)],
  'variant by its id': [400, (desk, number) => desk.readVariant(number * 7_919)],
  'list of 50 variants': [200, (desk) => desk.listVariants()],
  'sync of 200 shipments': [40, (desk) => desk.syncShipments()],
  'sync of 200 labels': [40, (desk) => desk.syncLabels()],
  'sync of 100 changed variants': [100, (desk) => desk.syncVariants()],
  'small lists of a sync': [100, (desk) => desk.syncSmallLists()],
  'full catalogue page of 1000': [
    30,
    (desk, number) => desk.readCataloguePage(1 + ((number * 31) % Math.ceil(variantCount / 1000))),
  ],
  'page of 250 lots': [30, (desk, number) => desk.readLotsPage(1 + (number % 30))],
  modification: [50, (desk, number) => desk.book(number)],
}

/** Number of labels. Each step of a label is measured for all these labels before the next step is measured. */
const measuredLabels = 50

/**
 * Prints for each kind of call the CPU time of the middleware, the CPU time of PostgreSQL, and their ratio. The printed
 * name of the call contains its number of database statements. One desk makes one call at a time.
 */
async function measureCosts(servers: readonly MeasuredServer[], databaseCpuMs: CpuMeter): Promise<void> {
  const [server] = servers
  if (server === undefined) return
  const desk = new DeskTraffic(server.url, () => undefined)
  await desk.logIn()
  const measure = async (kind: CallKind, acts: readonly (() => Promise<unknown>)[]): Promise<void> => {
    const [own, database]: [number[], number[]] = [[], []]
    let statements = 0
    const portion = Math.ceil(acts.length / 5)
    for (let from = 0; from < acts.length; from += portion) {
      const part = acts.slice(from, from + portion)
      const [before, databaseBefore] = [await server.usage(), databaseCpuMs()]
      for (const act of part) await act()
      const [after, databaseAfter] = [await server.usage(), databaseCpuMs()]
      own.push((after.cpuMs - before.cpuMs) / part.length)
      if (databaseBefore !== null && databaseAfter !== null)
        database.push((databaseAfter - databaseBefore) / part.length)
      statements += after.statements - before.statements
    }
    const name = `CPU of a call: ${kind} (${(statements / acts.length).toFixed(1)} statements)`
    const peer = 'CPU of PostgreSQL for it'
    printFigure(
      { name, values: own },
      database.length > 0
        ? { name: peer, values: database }
        : { name: peer, why: 'this system has no /proc' },
    )
  }
  await untilIdle(servers)
  say('measuring the cost of each kind of call …')
  let number = 0
  for (const kind of callKinds) {
    const [count, act] = costs[kind] ?? [0, null]
    if (act === null) continue
    for (let warm = 0; warm < shareOf(20, 10); warm++) await act(desk, number++)
    await measure(
      kind,
      Array.from({ length: shareOf(count, 40) }, () => () => act(desk, number++)),
    )
  }
  const labels = Array.from({ length: shareOf(measuredLabels, 30) }, (_, index) => desk.label(number + index))
  await measure(
    'recent labels before a creation',
    labels.map((label) => () => label.readRecent()),
  )
  await measure(
    'label create',
    labels.map((label) => () => label.create()),
  )
  await measure(
    'label request',
    labels.map((label) => () => label.request()),
  )
  await measure(
    'PDF download',
    labels.map((label) => () => label.download()),
  )
  desk.leave()
}

/**
 * Waits until the servers have executed no statement for two seconds: then the background work after their start has
 * ended.
 */
async function untilIdle(servers: readonly MeasuredServer[]): Promise<void> {
  const count = async (): Promise<number> =>
    (await Promise.all(servers.map((server) => server.usage()))).reduce((sum, one) => sum + one.statements, 0)
  for (let before = -1, now = await count(); now !== before; now = await count()) {
    before = now
    await setTimeout(2_000)
  }
}

/** Measures the traffic of all desks for some minutes, compared with the same calls of one desk alone. */
async function simulate(servers: readonly MeasuredServer[], databaseCpuMs: CpuMeter): Promise<void> {
  const alone = new CallTimes()
  const single = new DeskTraffic(servers[0]?.url ?? '', alone.note)
  await single.logIn()
  let next = 1_000
  for (let turn = 0; turn < shareOf(100, 20); turn++) {
    next++
    await single.look(next)
    await single.findByOrder(next)
    await single.readVariant(next)
    if (turn % 5 === 0) await single.makeLabel(next)
    if (turn % 5 === 0) await single.book(next)
    if (turn % 5 === 0) await single.sync()
  }
  single.leave()
  const together = new CallTimes()
  const crowd = Array.from(
    { length: desks },
    (_, index) => new DeskTraffic(servers[index % servers.length]?.url ?? '', together.note),
  )
  say(`logging ${desks} desks in …`)
  for (let from = 0; from < desks; from += loginsAtOnce)
    await Promise.all(crowd.slice(from, from + loginsAtOnce).map((desk) => desk.logIn()))
  say(`${desks} desks work for ${simulatedSeconds} s …`)
  const usage = async (): Promise<number> =>
    (await Promise.all(servers.map((server) => server.usage()))).reduce((sum, { cpuMs }) => sum + cpuMs, 0)
  const [ownBefore, databaseBefore] = [await usage(), databaseCpuMs()]
  const began = performance.now()
  const failures: string[] = []
  await Promise.all(
    crowd.map((desk, index) => work(desk, { index, until: began + simulatedSeconds * 1000, failures })),
  )
  const seconds = (performance.now() - began) / 1000
  const [own, database] = [(await usage()) - ownBefore, (databaseCpuMs() ?? 0) - (databaseBefore ?? 0)]
  for (const desk of crowd) desk.leave()
  for (const kind of callKinds) {
    const values = together.of(kind)
    if (values.length === 0 || alone.of(kind).length === 0 || kind === 'login') continue
    printFigure(
      { name: `${kind} of ${desks} desks at ${processes} processes`, values },
      { name: 'the same call of one desk alone', values: alone.of(kind) },
    )
  }
  const perSecond: Sample = {
    name: `calls of ${desks} desks on ${availableParallelism()} cores with their clients`,
    values: [together.count / seconds],
  }
  printFigure(
    perSecond,
    { name: 'calls that failed', values: [failures.length / seconds] },
    { unit: 'requests/s' },
  )
  printFigure(
    { name: `CPU of ${processes} processes in a second of ${desks} desks`, values: [own / seconds] },
    { name: 'CPU of PostgreSQL', values: [database / seconds] },
  )
  if (failures.length > 0) say(`the first failures: ${failures.slice(0, 3).join(' | ')}`)
}

/** The durations of all calls in milliseconds, grouped by the kind of call. */
class CallTimes {
  readonly #times = new Map<CallKind, number[]>()
  count = 0

  readonly note = (kind: CallKind, ms: number): void => {
    this.count++
    const times = this.#times.get(kind) ?? []
    this.#times.set(kind, times)
    times.push(ms)
  }

  of(kind: CallKind): readonly number[] {
    return this.#times.get(kind) ?? []
  }
}

interface Shift {
  readonly index: number
  readonly until: number
  readonly failures: string[]
}

/**
 * Repeats the actions of one desk until the time `until`. Each action begins at a different time of its period, so that
 * the desks do not call at the same moment.
 */
async function work(desk: DeskTraffic, { index, until, failures }: Shift): Promise<void> {
  // each desk has its own parcels; a shipment may have several labels, so a later run can make labels for the same
  // parcels
  const parcelsOfDesk = Math.floor(shipmentCount / desks)
  let parcel = 0
  const number = (): number => index * parcelsOfDesk + (parcel++ % parcelsOfDesk)
  const acts: Record<keyof typeof anHour, () => Promise<void>> = {
    sync: () => desk.sync(),
    parcel: () => desk.look(number()),
    unknownOrder: () => desk.findByOrder(number()),
    label: () => desk.makeLabel(number()),
    article: () => desk.readVariant(number() * 7_919),
    booking: () => desk.book(number()),
  }
  await Promise.all(
    Object.entries(acts).map(async ([name, act]) => {
      const periodMs = 3600_000 / anHour[name as keyof typeof anHour]
      // multiples of the golden ratio distribute the desks evenly over the period
      let at = performance.now() + ((index * 0.618_034 + name.length * 0.37) % 1) * periodMs
      while (at < until) {
        await setTimeout(Math.max(0, at - performance.now()))
        try {
          await act()
        } catch (error) {
          failures.push(String(error))
        }
        // an action that takes longer than its period delays the next action
        at = Math.max(at + periodMs, performance.now())
      }
    }),
  )
}
