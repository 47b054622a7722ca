import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openStore } from '#local/open-store.ts'
import { randomFrom } from '#support/random.ts'
import { countLost, upTo } from './storage/deeds.ts'
import { cutPower, type DiskState, layOut } from './storage/power-cut.ts'
import { type FileCall, readTrace, tracedCalls } from './storage/trace.ts'
import type { Suite } from './suite-report.ts'
import { scopeKeyOf } from '../support/ids.ts'

const child = join(import.meta.dirname, 'storage/writer-child.ts')

/** Which files are removed from a disk state before the desk opens it, by their path. */
const views = {
  /** The state as the power cut left it: no file is removed. */
  product: () => false,
  /** The journal and the backups are removed. desk.db with its log stays. */
  databaseAlone: (path: string) => /^(journal|backups)\//.test(path),
  /** desk.db, its log and its checksum are removed. desk.db must be restored from the journal and the backups. */
  journalAlone: (path: string) => /^desk\.(db|seal)/.test(path),
} as const
type View = keyof typeof views

/** Whether this machine has the tools to record file operations. */
export function canRecord(): boolean {
  return spawnSync('strace', ['-qq', 'true']).status === 0
}

/**
 * Records every write and fsync of a desk's store while it is used, and opens the store on states that a power cut may
 * leave (see power-cut.ts). No acknowledged data may be missing, even if the journal and the backups, or desk.db, are
 * removed. A control run uses synchronous=NORMAL. If it loses no data, the suite fails, because it proves nothing.
 */
export const powerLoss: Suite = async ({ count, seed }) => {
  if (!canRecord())
    return { suite: 'power-loss', passed: true, figures: { states: 0, skipped: 'no strace on this machine' } }
  const states = count ?? 2_000
  const deeds = Math.min(300, Math.max(30, states))
  const random = randomFrom(seed)
  const full = record(deeds, 'full')
  const figures: Record<string, number> = { states, calls: full.length, deeds, seed }
  let lost = 0
  for (const view of ['product', 'databaseAlone', 'journalAlone'] as const) {
    // `product` keeps all files of a disk state. `databaseAlone` and `journalAlone` remove some of its files before the
    // desk opens it, and are tested with fewer disk states.
    const found = await tryStates(full, view === 'product' ? states : Math.ceil(states / 4), view, random)
    figures[`${view}Lost`] = found.lost
    figures[`${view}StatesWithLoss`] = found.statesWithLoss
    lost += found.lost
  }
  const normal = record(deeds, 'normal')
  const control = await tryStates(normal, Math.max(24, Math.ceil(states / 4)), 'databaseAlone', random)
  figures['controlLost'] = control.lost
  figures['controlStatesWithLoss'] = control.statesWithLoss
  return { suite: 'power-loss', passed: lost === 0 && control.lost > 0, figures }
}

function record(deeds: number, synchronous: 'full' | 'normal'): FileCall[] {
  const folder = mkdtempSync(join(tmpdir(), 'scandesk-power-'))
  const trace = join(folder, 'trace')
  const dataDir = join(folder, 'data')
  try {
    const options = ['-f', '-qq', '-xx', '-s', '100000000', '-e', `trace=${tracedCalls}`, '-o', trace]
    const args = [...options, process.execPath, child, dataDir, String(deeds), synchronous]
    const { stderr, stdout } = spawnSync('strace', args, { encoding: 'utf8' })
    if (!stdout.includes(`ACK ${deeds}\n`)) throw new Error(`the writer did not get through: ${stderr}`)
    return readTrace(readFileSync(trace, 'utf8'), dataDir)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

interface Found {
  lost: number
  statesWithLoss: number
}

async function tryStates(
  calls: readonly FileCall[],
  states: number,
  view: View,
  random: () => number,
): Promise<Found> {
  const first = calls.findIndex((call) => call.do === 'acknowledge')
  const cuts = Array.from({ length: states }, () => first + Math.ceil(random() * (calls.length - first)))
  const found = { lost: 0, statesWithLoss: 0 }
  for (const state of cutPower(
    calls,
    cuts.sort((a, b) => a - b),
    random,
  )) {
    const lost = await countLostIn(state, view)
    found.lost += lost
    if (lost > 0) found.statesWithLoss++
  }
  return found
}

async function countLostIn(state: DiskState, view: View): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'scandesk-cut-'))
  try {
    layOut(state, folder, views[view])
    const store = await openStore(folder, scopeKeyOf('scope'), () => undefined)
    const lost = await countLost(store, upTo(state.acknowledged))
    store.close()
    return lost
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
