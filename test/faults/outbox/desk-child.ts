/**
 * A desk in a process of its own, to be killed. Its one argument is an order (deed.ts); what it does and what the desk
 * has promised it says on stdout, a JSON line each, written before the next thing happens.
 */
import { readFile, rename, rm, writeFile } from 'node:fs/promises'
import { writeSync } from 'node:fs'
import { join } from 'node:path'
import * as tls from 'node:tls'
import { composeDesk } from '#compose-desk'
import type { Desk } from '#desk/desk.ts'
import type { SecretsPort } from '#desk/ports/secrets.ts'
import type { StorePort } from '#desk/ports/store.ts'
import { createLogger } from '#kit/logger.ts'
import { makeRandom } from '#middleware/warehouse/demo/random.ts'
import { createFolderPrinter } from '#printing/folder-printer.ts'
import { createPrinterBoard } from '#printing/printer-board.ts'
import { spoil } from './controls.ts'
import { type Order, order, type Said } from './deed.ts'
import { dieAt, dieInJournal } from './kill-points.ts'
import { Operator } from './operator.ts'
import { unreadPages } from '#support/unread-pages.ts'

const given = order.parse(JSON.parse(process.argv[2] ?? '{}'))

function say(what: Said): void {
  writeSync(1, `${JSON.stringify(what)}\n`)
}

/** Nothing here may last longer than a life does. */
const quick = {
  index: {
    days: 400,
    mostDays: 400,
    pageLength: 200,
    everyMs: 60_000,
    offlineEveryMs: 200,
    rereadRowsAtStart: 50,
    rereadRows: 0,
  },
  catalogue: { fills: false },
  freshMs: 100,
  askMs: 600,
  closeMs: 2_000,
  pace: { firstRetryMs: 20, slowestRetryMs: 200 },
} as const

function fileSecrets(dataDir: string): SecretsPort {
  const fileOf = (key: string): string => join(dataDir, `secret-${key.replaceAll(/\W+/g, '-')}`)
  return {
    canProtect: () => Promise.resolve(true),
    read: (key) => readFile(fileOf(key), 'utf8').catch(() => null),
    async write(key, value) {
      await writeFile(`${fileOf(key)}.new`, value)
      await rename(`${fileOf(key)}.new`, fileOf(key))
    },
    remove: (key) => rm(fileOf(key), { force: true }),
  }
}

function wrapped(store: StorePort): StorePort {
  const spoiled = given.control === null ? store : spoil(store, given.control)
  return given.killAt === null ? spoiled : dieAt(spoiled, given.killAt)
}

function openDesk(): Promise<Desk> {
  const { baseUrl, wmsCode, customerCode, headersMs } = given
  if (given.killAt !== null) dieInJournal(given.killAt)
  if (given.authority !== null)
    tls.setDefaultCACertificates([...tls.getCACertificates('default'), given.authority])
  return composeDesk({
    dataDir: given.dataDir,
    scope: { baseUrl, wmsCode, customerCode },
    embedded: () => given.embeddedUrl,
    proxy: given.proxy,
    secrets: fileSecrets(given.dataDir),
    printers: createPrinterBoard([
      createFolderPrinter('folder', join(given.dataDir, 'paper'), { look: unreadPages }),
    ]),
    logger: createLogger('desk', {
      level: 'error',
      destination: { write: (problem) => say({ say: 'fault', problem }) },
    }),
    timeouts: { connectMs: headersMs, headersMs, idleMs: headersMs, totalMs: headersMs * 4 },
    quietMs: given.quietMs,
    wrapStore: wrapped,
    ...quick,
  })
}

/** Until the service lets somebody in: whoever works here logs in again whenever the desk asks for it. */
async function logIn(desk: Desk): Promise<void> {
  const { username, password } = given
  for (let pauseMs = 20; desk.session.state().state !== 'signed_in'; pauseMs = Math.min(pauseMs * 2, 1_000)) {
    const answer = await desk.session.login({ username, password })
    if (!answer.ok) await new Promise((resolve) => setTimeout(resolve, pauseMs))
  }
}

/** What a desk knows after its first minutes: shipments, the articles and locations that are booked on. */
async function prepare(desk: Desk): Promise<void> {
  for (const { code } of given.variants) await desk.scans.submit(code, 'stock')
  for (const id of given.locationIds) await desk.scans.submit(`LOC ${id}`, 'stock')
  while (desk.status().index.shipments < given.shipmentIds.length || desk.status().index.syncing)
    await new Promise((resolve) => setTimeout(resolve, 20))
}

/** Until nothing waits any more, or what waits has not moved for so long that only somebody's decision can move it. */
async function settle(desk: Desk): Promise<void> {
  const patienceMs = Math.max(6 * given.quietMs, 6_000)
  let seen = ''
  let movedAt = Date.now()
  const isSettled = (): boolean => {
    const { waitingWrites, waitingPrints } = desk.status()
    const fetched = desk.returnLabels.recent().every((label) => label.stored || label.request !== 'done')
    return waitingWrites.length === 0 && fetched && waitingPrints.every((print) => print.state === 'unknown')
  }
  while (!isSettled() && Date.now() - movedAt < patienceMs) {
    await logIn(desk)
    await new Promise((resolve) => setTimeout(resolve, 20))
    const { waitingWrites, waitingPrints } = desk.status()
    const now = JSON.stringify([waitingWrites, waitingPrints])
    if (now !== seen) movedAt = Date.now()
    seen = now
  }
  say({ say: 'settled', waiting: desk.status().waitingWrites.length })
}

async function run(task: Order['task']): Promise<void> {
  const desk = await openDesk()
  await desk.start()
  await logIn(desk)
  say({ say: 'ready' })
  if (task === 'work') {
    await new Operator(desk, given, makeRandom(given.seed), say).work()
    // whoever is still alive goes on looking after the desk until the end
    for (;;) {
      await new Promise((resolve) => setTimeout(resolve, 50))
      await logIn(desk)
    }
  }
  await (task === 'prepare' ? prepare(desk) : settle(desk))
  await desk.close()
}

// nobody may outlive the one who started it
process.stdin.resume().once('end', () => process.exit(1))
await run(given.task)
process.exit(0)
