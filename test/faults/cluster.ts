import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { makeRandom, type Random } from '#middleware/warehouse/demo/random.ts'
import { startPostgres } from '#support/postgres-server.ts'
import {
  type Behaviour,
  receiverCertificate,
  refuseWith,
  WebhookReceiver,
} from '#support/webhook-receiver.ts'
import { bundleChild } from './bundle.ts'
import { Client } from './cluster/client.ts'
import { Diary } from './cluster/diary.ts'
import { Findings } from './cluster/findings.ts'
import { type FaultKind, faultKinds, Fleet } from './cluster/fleet.ts'
import { judge } from './cluster/judge.ts'
import type { ClusterControl } from './cluster/site.ts'
import { judgeLeases, settle, StuckWatch } from './cluster/stuck.ts'
import type { SuiteOptions, SuiteReport } from './suite-report.ts'

const fullCount = 200
const processes = 4
const clients = 6
/**
 * Maximum number of acknowledged writes between two faults. Each fault happens at an acknowledgement or shortly
 * afterwards.
 */
const mostWrites = 20
const longestWaitMs = 30
/**
 * Maximum milliseconds of each wait for acknowledged writes. After this time the suite fails, because the processes do
 * not serve the clients.
 */
const longestStandstillMs = 120_000
const secret = 'a secret of the suite'

export interface ClusterOptions extends SuiteOptions {
  readonly control: ClusterControl | null
  /** URL of a PostgreSQL server on which the suite may create a database. Default: the suite starts a server. */
  readonly server?: string
  readonly progress?: (text: string) => void
}

/**
 * Several middleware processes serve one PostgreSQL database with a simulated warehouse. Clients send random calls to
 * all of them. A fault happens `count` times: a process is killed, is told to stop, or loses its connections to the
 * database. At the end the database must contain each acknowledged write once, and no work may still wait for a process
 * that has ended. On a platform without a PostgreSQL server, the report only contains a notice.
 */
export async function clusterSuite(options: ClusterOptions): Promise<SuiteReport> {
  const { server } = options
  if (server !== undefined) return runOn(server, options)
  const own = await startPostgres()
  if (own === null)
    return { suite: 'cluster', passed: true, figures: { notice: 'no PostgreSQL server for this platform' } }
  try {
    return await runOn(own.url, options)
  } finally {
    await own.stop()
  }
}

async function runOn(server: string, options: ClusterOptions): Promise<SuiteReport> {
  const name = `cluster_${process.pid}_${Date.now()}`
  const url = new URL(server)
  url.pathname = `/${name}`
  await onServer(server, (client) => client.query(`create database ${name}`))
  const folder = mkdtempSync(join(tmpdir(), 'scandesk-cluster-'))
  const child = await bundleChild('cluster/middleware-child.ts')
  try {
    return await run({ ...options, databaseUrl: url.href, folder, program: child.file })
  } finally {
    child.remove()
    await onServer(server, (client) => client.query(`drop database ${name} with (force)`))
    if (process.env['SCANDESK_KEEP'] !== '1') rmSync(folder, { recursive: true })
  }
}

interface Run extends ClusterOptions {
  readonly databaseUrl: string
  /** Folder for the logs of the processes and their journal. */
  readonly folder: string
  readonly program: string
}

async function run(options: Run): Promise<SuiteReport> {
  const { count, seed, control, databaseUrl, folder, program, progress = () => undefined } = options
  const startedAt = performance.now()
  const random = makeRandom(seed)
  const journal = join(folder, 'journal.jsonl')
  writeFileSync(journal, '')
  const findings = new Findings()
  const diary = new Diary()
  const receiver = await WebhookReceiver.start(moody(random.fork('receiver')))
  const database = new pg.Client({ connectionString: databaseUrl })
  await database.connect()
  const given = { databaseUrl, journal, webhookCa: receiverCertificate.cert, control }
  const fleet = new Fleet({ program, folder, size: processes, given, database })
  const watch = new StuckWatch(database, findings)
  let isOver = false
  try {
    await fleet.start()
    const all = makeClients(random, diary, fleet)
    await Promise.all(all.map((client) => client.logIn()))
    const [first] = all
    await first?.subscribe(receiver.url(), 'created', secret)
    await first?.subscribe(receiver.url(), 'updated', secret)
    watch.start()
    const work = Promise.all(all.map((client) => client.run(() => isOver)))
    for (const [at, kind] of planFaults(random, count ?? fullCount).entries()) {
      await untilAcknowledged(diary, random.int(1, mostWrites))
      if (random.chance(0.5)) await sleep(random.int(0, longestWaitMs))
      await fleet.strike(kind, random)
      if ((at + 1) % 20 === 0) progress(`${at + 1} faults, ${seconds(startedAt)} s`)
    }
    await fleet.recover()
    await untilAcknowledged(diary, mostWrites)
    isOver = true
    await work
    if (control === null) await settle(database, findings)
    await watch.stop()
    await fleet.stop()
    await judgeLeases(database, findings)
    findings.add('problems', 'process', fleet.problems)
    findings.add('problems', 'response', diary.problems)
    await judge(
      {
        database,
        diary,
        received: receiver.received,
        secret,
        journal,
        faults: fleet.faults,
        standstills: watch.standstills,
      },
      findings,
    )
  } finally {
    isOver = true
    await watch.stop()
    await fleet.kill()
    await receiver.stop()
    await database.end()
  }
  const isTried = diary.ambiguous > 0 && diary.requestedLabels.size > 0 && diary.exports.size > 0
  const { doubled, ...counts } = findings.counts
  return {
    suite: 'cluster',
    passed: control === null ? findings.areClean && isTried : doubled > 0,
    figures: {
      faults: fleet.faults.length,
      ...countFaults(fleet),
      acknowledged: diary.acknowledged,
      ambiguous: diary.ambiguous,
      refused: diary.refused,
      orders: diary.orders.length,
      labels: diary.requestedLabels.size,
      exports: diary.exports.size,
      notifications: receiver.received.length,
      ...counts,
      doubled,
      standstills: watch.standstills.length,
      control,
      seed,
      wallSeconds: seconds(startedAt),
      findings: findings.shown,
    },
  }
}

function makeClients(random: Random, diary: Diary, fleet: Fleet): Client[] {
  const open = new Set<string>()
  return Array.from({ length: clients }, (_, at) => {
    const name = `c${at}`
    return new Client({ name, random: random.fork(name), diary, urls: () => fleet.urls, open })
  })
}

/**
 * Returns the kinds of the faults in their sequence: first each kind once, then `kill`, then random kinds. Of these,
 * `kill` is twice as likely as each other kind.
 */
function planFaults(random: Random, count: number): FaultKind[] {
  const kinds = [...faultKinds, 'kill' as const]
  return Array.from({ length: count }, (_, at) => kinds[at] ?? random.pick(kinds))
}

async function untilAcknowledged(diary: Diary, writes: number): Promise<void> {
  const limit = new AbortController()
  const late = sleep(longestStandstillMs, 'late', { signal: limit.signal }).catch(() => 'ended')
  const end = await Promise.race([diary.acknowledgedFromNow(writes), late])
  limit.abort()
  if (end === 'late')
    throw new Error(`No client was served for ${longestStandstillMs} ms: ${diary.problems.join('\n')}`)
}

/**
 * Returns a receiver that accepts most notifications, refuses some, and closes the connection of others without a
 * response.
 */
function moody(random: Random): Behaviour {
  return (response, received) => {
    const mood = random.next()
    if (mood < 0.05) response.socket?.destroy()
    else refuseWith(mood < 0.1 ? 500 : 200)(response, received)
  }
}

function countFaults({ faults }: Fleet): Record<FaultKind, number> {
  const times = (kind: FaultKind): number => faults.filter((fault) => fault.kind === kind).length
  return { kill: times('kill'), stop: times('stop'), cut: times('cut') }
}

async function onServer(server: string, work: (client: pg.Client) => Promise<unknown>): Promise<void> {
  const client = new pg.Client({ connectionString: server })
  await client.connect()
  try {
    await work(client)
  } finally {
    await client.end()
  }
}

function seconds(since: number): number {
  return Math.round((performance.now() - since) / 1000)
}
