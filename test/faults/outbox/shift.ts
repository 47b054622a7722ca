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

/** Once there are no faults, a slow answer is only the machine's fault. */
const patientMs = 5_000
/** Before the faults end, one desk works off what is left, for so long at most. */
const lastLifeMs = 60_000
/** A desk that does not come to an end within that hangs. */
const longestSettlingMs = 180_000

export type ShiftPlan = SitePlan & Omit<MortalPlan, 'died'>

/** Runs a life that ends by itself; throws when it does not. */
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

/** Fills the folder with a service and a desk that knows it, for every shift to start from. */
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
  /** The longest time by which a write was applied after its desk had hung up, with the harness's own standstill. */
  readonly latestMs: number
  /** Lives that ended otherwise than they were to. */
  readonly crashes: readonly string[]
}

/** So many lives one after the other on one folder, each killed; then everything settles and is judged. */
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
  // a connection's end is seen that much too late
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
  // without a late write nobody was held up
  const latestMs = site.proxy.latestMs === 0 ? 0 : site.proxy.latestMs + standstill.max / 1e6
  const findings = judge({
    diary,
    desk: readDesk(site.world.deskFolder),
    service: readService(folder, since),
  })
  if (!findings.areBroken || process.env['SCANDESK_KEEP'] !== '1') removeWorld(folder)
  return { kills, diary, findings, latestMs, crashes }
}

/** What is left over meets its faults too, instead of waiting for the calm. */
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
