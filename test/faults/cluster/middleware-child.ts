/**
 * One of several middleware processes on one database. Its argument has the URL of the database. It writes its address
 * to stdout and serves until it is killed. On SIGTERM it stops like the middleware's command line.
 */
import { appendFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { systemClock } from '#kit/clock.ts'
import { createLogger } from '#kit/logger.ts'
import { createMiddleware } from '#middleware/app.ts'
import type { Lease, Leases } from '#middleware/data/engine/coordination.ts'
import type { LabelDrawerFor } from '#middleware/services/context.ts'
import { carrierFor } from '#middleware/warehouse/carriers/carriers.ts'
import { makeSmallWorld } from '#support/small-world.ts'
import { given, leaseMs, type Note, standstillMs } from './site.ts'

/** Maximum milliseconds before a simulated carrier draws a label. It is so long that some kills happen during calls. */
const longestCallMs = 150
const paceMs = 150

const { databaseUrl, name, journal, webhookCa, control } = given.parse(JSON.parse(process.argv[2] ?? ''))

function note(what: Note['what'], serial: number | null): void {
  const line: Note = { name, what, serial, at: Date.now() }
  appendFileSync(journal, `${JSON.stringify(line)}\n`)
}

let lastTick = performance.now()
setInterval(() => {
  const now = performance.now()
  if (now - lastTick > standstillMs) note('stood still', null)
  lastTick = now
}, 100).unref()

const notingCarrierFor: LabelDrawerFor = (key) => ({
  async drawReturnLabel(job) {
    note('begun', job.serial)
    await sleep(Math.random() * longestCallMs)
    const result = await carrierFor(key).drawReturnLabel(job)
    note('ended', job.serial)
    return result
  },
})

/**
 * Replaces the leases in the control run `without-leases`: each process gets every lease immediately, even if another
 * process has it.
 */
function grantAll(): Leases {
  const grant = (name: string): Promise<Lease> =>
    Promise.resolve({
      name,
      lost: new AbortController().signal,
      confirm: () => Promise.resolve(),
      release: () => Promise.resolve(),
    })
  return { take: grant, wait: grant }
}

const app = await createMiddleware({
  databaseFile: '',
  databaseUrl,
  world: makeSmallWorld(),
  sandbox: true,
  passwordCost: { N: 16, r: 1, p: 1 },
  clock: systemClock,
  logger: createLogger('middleware'),
  webhookCa,
  deliveries: { resolve: () => Promise.resolve(['127.0.0.1']), retryMs: 100 },
  carrierFor: notingCarrierFor,
  exportDelayMs: 20,
  leaseMs,
  ...(control === 'without-leases' && { leasesBy: grantAll }),
  warehouse: 'auto',
  paceMs,
})
process.once('SIGTERM', () => {
  void app.close()
})
process.stdout.write(`${await app.listen({ port: 0, host: '127.0.0.1' })}\n`)
