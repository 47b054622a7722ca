import { monitorEventLoopDelay } from 'node:perf_hooks'
import { hear, type Order, type Said } from './deed.ts'
import { planDeath } from './death.ts'
import { Diary } from './diary.ts'
import type { FaultCount } from './fault-proxy.ts'
import type { Findings } from './findings.ts'
import { judge } from './judge.ts'
import { startLife } from './life.ts'
import { liveAndDie, type MortalPlan } from './mortal-life.ts'
import { closeSite, headersMs, makeCalm, makeHostile, openSite, type Site, type SitePlan } from './site.ts'
import { readDesk, readService } from './truth.ts'
import { copyWorld, readGoods, removeWorld } from './world.ts'

/**
 * Milliseconds that a desk waits for a response in the phase without faults. Only a busy machine makes a response slow
 * in this phase.
 */
const patientMs = 5_000
/** A desk that completes its waiting work while faults continue is killed if it runs longer than these milliseconds. */
const lastLifeMs = 60_000
/** Milliseconds after which a desk that does not end counts as stuck. */
const longestSettlingMs = 180_000

export type ShiftPlan = SitePlan & Omit<MortalPlan, 'died'>

/** Runs a desk process that must end without a kill. Throws if it ends in another way. */
async function runToEnd(
  plan: ShiftPlan,
  { order }: Site,
  task: 'prepare' | 'settle',
  shipmentIds: readonly string[],
  listen: (said: Said) => void,
): Promise<void> {
  const whole = {
    ...order,
    task,
    headersMs: patientMs,
    seed: task,
    killAt: null,
    control: plan.control,
    shipmentIds: [...shipmentIds],
  }
  const life = startLife(plan.program, whole, { hear, listen })
  const limit = setTimeout(() => life.kill(), longestSettlingMs)
  const end = await life.ended
  clearTimeout(limit)
  if (end.code !== 0) throw new Error(`a desk that was to ${task} ended with ${end.signal ?? end.code}`)
}

/** Fills a folder with the data of a service and of a prepared desk. Every shift starts with a copy of this folder. */
export async function prepareWorld(plan: ShiftPlan, folder: string, count: FaultCount): Promise<void> {
  const site = await openSite(plan, folder, count)
  try {
    const problems = new Diary()
    await site.world.cheapenLogins()
    await runToEnd(plan, site, 'prepare', readGoods(folder).shipmentIds, (said) => problems.note(said))
    if (problems.faults.length > 0) throw new Error(problems.faults.join('\n'))
  } finally {
    await closeSite(site)
  }
}

export interface ShiftEnd {
  readonly kills: number
  readonly diary: Diary
  readonly findings: Findings
  /**
   * How late the service applied a write, in milliseconds: the longest time in this shift from the end of the
   * connection of a write until the service applied the write. The longest standstill of the test process is added,
   * because the process notices the end of a connection late if it stands still. 0 if no write was applied after the
   * end of its connection.
   */
  readonly latestMs: number
  /** Desk processes that ended in another way than planned. */
  readonly crashes: readonly string[]
}

/**
 * Starts and kills `lives` desk processes one after the other on one data folder. Then waits until nothing changes any
 * more, and judges the result.
 */
export async function runShift(
  plan: ShiftPlan & MortalPlan & { readonly lives: number },
  from: string,
  folder: string,
  count: FaultCount,
): Promise<ShiftEnd> {
  copyWorld(from, folder)
  const since = new Date().toISOString()
  const site = await openSite(plan, folder, count)
  const diary = new Diary()
  const crashes: string[] = []
  let kills = 0
  // Measures how long this process stands still, because during a standstill it notices the end of a connection late.
  const standstill = monitorEventLoopDelay({ resolution: 10 })
  standstill.enable()
  try {
    const shipmentIds = readGoods(folder).shipmentIds
    makeHostile(site)
    for (let life = 0; life < plan.lives; life++) {
      const used = diary.usedShipments
      const free = shipmentIds.filter((id) => !used.has(id)).slice(0, 4)
      const death = planDeath(plan.random)
      const end = await liveAndDie(plan, site, { death, free }, diary)
      if (end === null) kills++
      else crashes.push(end)
    }
    await workOff(plan, site, diary)
    await makeCalm(site)
    await runToEnd(plan, site, 'settle', [], (said) => diary.note(said))
  } finally {
    standstill.disable()
    await closeSite(site)
  }
  // If no write was applied after the end of its connection, `latestMs` is 0. Otherwise it includes the longest
  // standstill of this process, because this process may have noticed the end of the connection that much later.
  const latestMs = site.proxy.latestMs === 0 ? 0 : site.proxy.latestMs + standstill.max / 1e6
  const findings = judge({
    diary,
    desk: readDesk(site.world.deskFolder),
    service: readService(folder, since),
  })
  if (!findings.areBroken || process.env['SCANDESK_KEEP'] !== '1') removeWorld(folder)
  return { kills, diary, findings, latestMs, crashes }
}

/** Lets a desk complete its waiting work while faults continue. */
async function workOff({ program, control }: ShiftPlan, { order }: Site, diary: Diary): Promise<void> {
  const task = 'settle'
  const whole: Order = {
    ...order,
    task,
    headersMs: headersMs * 2,
    seed: task,
    killAt: null,
    control,
    shipmentIds: [],
  }
  const life = startLife(program, whole, { hear, listen: (said) => diary.note(said) })
  const limit = setTimeout(() => life.kill(), lastLifeMs)
  await life.ended
  clearTimeout(limit)
}
