import { parseArgs } from 'node:util'
import { clusterControls } from './cluster/site.ts'
import { desksControls } from './desks.ts'
import { outboxSuite } from './outbox.ts'
import { controls } from './outbox/controls.ts'
import { ways } from './outbox/site.ts'
import { scanControls } from './scan/site.ts'
import type { Suite, SuiteReport } from './suite-report.ts'
import { webhookControls } from './webhooks/site.ts'

/**
 * `npm run faults -- [--suite NAME]… [--kills N] [--seed S] [--control NAME] [--via direct|proxy]` runs the fault
 * suites and prints one JSON line for each suite. The suite `outbox` is last and, without `--via`, has one line for
 * each value of `--via`. It has the controls `naive` and `at-most-once`, `scan` has `sound-first`, `desks` has `blind`,
 * `webhooks` has `after-commit`, and `cluster` has `without-leases`. The exit code is 1 if a suite found a broken
 * guarantee or met too few faults, or if a control found no broken guarantee.
 */
const { values } = parseArgs({
  options: {
    suite: { type: 'string', multiple: true },
    kills: { type: 'string' },
    seed: { type: 'string', default: '1' },
    control: { type: 'string' },
    via: { type: 'string' },
  },
})

/**
 * The suites except `outbox`, by their names. Each function imports the file of its suite, so that only the selected
 * suites are loaded. `desks` is always loaded.
 */
const suites: Readonly<Record<string, () => Promise<Suite>>> = {
  'power-loss': async () => (await import('./power-loss.ts')).powerLoss,
  'page-flips': async () => (await import('./page-flips.ts')).pageFlips,
  'disk-full': async () => (await import('./disk-full.ts')).diskFull,
  settings: async () => (await import('./settings.ts')).settingsSuite,
  session: async () => (await import('./session.ts')).sessionSuite,
  refresh: async () => (await import('./refresh.ts')).refreshSuite,
  clock: async () => (await import('./clock.ts')).clockSuite,
  paging: async () => (await import('./paging.ts')).pagingSuite,
  'bad-rows': async () => (await import('./bad-rows.ts')).badRowsSuite,
  lease: async () => (await import('./lease.ts')).leaseSuite,
  print: async () => (await import('./print.ts')).printSuite,
  scan: async () => {
    const { scanSuite } = await import('./scan.ts')
    return (options) => scanSuite({ ...options, control: scanControl })
  },
  desks: async () => {
    const { desksSuite } = await import('./desks.ts')
    return (options) => desksSuite({ ...options, control: desksControl, progress })
  },
  webhooks: async () => {
    const { webhooksSuite } = await import('./webhooks.ts')
    return (options) => webhooksSuite({ ...options, control: webhookControl })
  },
  cluster: async () => {
    const { clusterSuite } = await import('./cluster.ts')
    return (options) => clusterSuite({ ...options, control: clusterControl, progress })
  },
}

const seed = wholeNumber('seed', values.seed)
const kills = values.kills === undefined ? null : wholeNumber('kills', values.kills)
const isOfScans = values.suite?.includes('scan') === true
const isOfDesks = values.suite?.includes('desks') === true
const isOfWebhooks = values.suite?.includes('webhooks') === true
const isOfCluster = values.suite?.includes('cluster') === true
const scanControl = isOfScans ? oneOf('control', scanControls, values.control) : null
const desksControl = isOfDesks ? oneOf('control', desksControls, values.control) : null
const webhookControl = isOfWebhooks ? oneOf('control', webhookControls, values.control) : null
const clusterControl = isOfCluster ? oneOf('control', clusterControls, values.control) : null
const isOfOutbox = !(isOfScans || isOfDesks || isOfWebhooks || isOfCluster)
const control = isOfOutbox ? oneOf('control', controls, values.control) : null
const via = oneOf('via', ways, values.via)
const wanted = values.suite ?? (control === null ? [...Object.keys(suites), 'outbox'] : ['outbox'])
/** Names of the suites that failed. */
const broken: string[] = []
// On a signal this process calls `exit`, so that its handlers of the event `exit` run. These handlers end the
// middleware processes that the suites `outbox` and `desks` have started.
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => process.exit(1))
for (const name of wanted) {
  // Without `--suite`, the number of kills applies to the suite `outbox`. A selected suite uses the number as its own
  // count.
  const count = values.suite === undefined ? null : kills
  if (name !== 'outbox') report(await (await load(name))({ count, seed }))
}
if (wanted.includes('outbox')) {
  for (const way of via === null ? ways : [via])
    report(
      await outboxSuite({
        kills: kills ?? 100,
        seed,
        way,
        control,
        progress,
      }),
    )
}
process.exitCode = broken.length === 0 ? 0 : 1

function progress(text: string): void {
  process.stderr.write(`${text}\n`)
}

function report({ suite, passed, figures }: SuiteReport): void {
  if (!passed) broken.push(suite)
  const { findings, ...rest } = figures
  if (!passed && findings !== undefined) process.stderr.write(`${JSON.stringify(findings, null, 1)}\n`)
  const line = suite === 'outbox' ? { ...rest, suite, passed } : { suite, passed, ...rest }
  process.stdout.write(`${JSON.stringify(line)}\n`)
}

function load(name: string): Promise<Suite> {
  const found = Object.entries(suites).find(([known]) => known === name)?.[1]
  if (!found)
    throw new Error(`no suite is called ${name}; there are ${Object.keys(suites).join(', ')}, outbox`)
  return found()
}

function wholeNumber(name: string, text: string): number {
  const number = Number(text)
  if (!Number.isSafeInteger(number) || number < 0) throw new Error(`--${name} ${text} is no whole number`)
  return number
}

function oneOf<T extends string>(name: string, known: readonly T[], text: string | undefined): T | null {
  if (text === undefined) return null
  const found = known.find((one) => one === text)
  if (!found) throw new Error(`--${name} is one of ${known.join(', ')}`)
  return found
}
