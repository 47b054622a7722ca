import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { Random } from '#middleware/warehouse/demo/random.ts'
import { planDeath } from '../outbox/death.ts'
import type { FaultCount } from '../outbox/fault-proxy.ts'
import { deskPoints } from '../outbox/kill-points.ts'
import { startLife } from '../outbox/life.ts'
import { dieAsPlanned, killPointOf } from '../outbox/mortal-life.ts'
import { readService } from '../outbox/truth.ts'
import { copyWorld, removeWorld } from '../outbox/world.ts'
import { type Case, unseen } from './case.ts'
import { Diary } from './diary.ts'
import { type DeskOrder, hear, type Said } from './errand.ts'
import type { Findings } from './findings.ts'
import { Floor } from './floor.ts'
import { judge } from './judge.ts'
import { settleDown } from './settling.ts'
import {
  closeShop,
  deskFolder,
  makeCalm,
  makeHostile,
  openShop,
  readShopGoods,
  type Shop,
  type ShopPlan,
} from './shop.ts'
import { Station } from './station.ts'
import { readMemory } from './truth.ts'
import { WireJournal } from './wire-journal.ts'

/** Milliseconds after which a desk is killed if its planned end did not happen. */
const latestEndMs = 2_500
/**
 * Minimum and maximum milliseconds between two meetings. In a meeting, one or more desks make the same label or
 * booking.
 */
const pauseMs = [100, 400] as const
/**
 * Minimum milliseconds between the message that tells several desks to make the same label or booking and the time at
 * which they make it. The desks scan as soon as they get the message.
 */
const leadMs = 250
/** Milliseconds after which the preparation of a desk counts as stuck. */
const longestPreparationMs = 120_000

export interface ShiftPlan extends ShopPlan {
  /** The path of the bundled program of a desk process. */
  readonly program: string
  readonly isBlind: boolean
  readonly lives: number
  readonly died: (death: string) => void
}

export interface ShiftEnd {
  readonly kills: number
  readonly diary: Diary
  readonly findings: Findings
  readonly about: Case
  /**
   * How late the service applied a write, in milliseconds: the longest time in this shift from the end of the
   * connection of a write until the service applied the write. The longest standstill of the test process is added,
   * because the process notices the end of a connection late if it stands still. 0 if no write was applied after the
   * end of its connection.
   */
  readonly latestMs: number
  /**
   * Desk processes that ended in another way than planned, and writes and records that the suite cannot attribute to a
   * command or a desk.
   */
  readonly crashes: readonly string[]
}

/** Fills a folder with the data of a service and of prepared desks. Every shift starts with a copy of this folder. */
export async function prepareShop(
  plan: ShopPlan & { readonly program: string },
  folder: string,
  count: FaultCount,
): Promise<void> {
  const shop = await openShop(plan, folder, new WireJournal(false), count)
  const faults: string[] = []
  try {
    await shop.world.cheapenLogins()
    for (const order of shop.orders) {
      const whole: DeskOrder = { ...order, task: 'prepare', seed: 'prepare', killAt: null, headersMs: 5_000 }
      const life = startLife(plan.program, whole, {
        hear,
        listen: (said: Said) => void (said.say === 'fault' && faults.push(said.problem)),
      })
      const limit = setTimeout(() => life.kill(), longestPreparationMs)
      const { code, signal } = await life.ended
      clearTimeout(limit)
      if (code !== 0) throw new Error(`a desk that was to prepare ended with ${signal ?? code}`)
    }
    if (faults.length > 0) throw new Error(faults.join('\n'))
  } finally {
    await closeShop(shop)
  }
}

/**
 * Runs some desks, kills and restarts them until the given number of desk processes has ended. Then waits until nothing
 * changes any more, and judges the result.
 */
export async function runShift(
  plan: ShiftPlan,
  from: string,
  folder: string,
  count: FaultCount,
): Promise<ShiftEnd> {
  copyWorld(from, folder)
  const since = new Date().toISOString()
  const journal = new WireJournal(plan.isBlind)
  const shop = await openShop(plan, folder, journal, count)
  const diary = new Diary()
  const shift = new Shift(plan, shop, diary)
  // Measures how long this process stands still, because during a standstill it notices the end of a connection late.
  const standstill = monitorEventLoopDelay({ resolution: 10 })
  standstill.enable()
  const readCase = (): Case => ({
    wishes: diary.acknowledged,
    pressed: diary.pressed,
    memories: shop.orders.map((_, desk) => readMemory(deskFolder(folder, desk))),
    service: readService(folder, since),
    journal,
  })
  try {
    makeHostile(shop)
    await shift.work(new Floor(plan.random.fork('floor'), readShopGoods(folder), shop.orders.length))
    await makeCalm(shop)
    const problems = await settleDown(plan.program, shop, diary, readCase, !plan.isBlind)
    shift.crashes.push(...problems)
  } finally {
    standstill.disable()
    await closeShop(shop)
  }
  if (journal.unmarked > 0) shift.crashes.push(`${journal.unmarked} writes name no command`)
  // If no write was applied after the end of its connection, `latestMs` is 0. Otherwise it includes the longest
  // standstill of this process, because this process may have noticed the end of the connection that much later.
  const late = Math.max(...shop.proxies.map(({ latestMs }) => latestMs))
  const latestMs = late === 0 ? 0 : late + standstill.max / 1e6
  const about = readCase()
  shift.crashes.push(...unseen(about).map((id) => `${id} came to the service by no desk`))
  const findings = judge(about)
  if (!findings.areBroken || process.env['SCANDESK_KEEP'] !== '1') removeWorld(folder)
  return { kills: shift.kills, diary, findings, about, latestMs, crashes: shift.crashes }
}

/** Runs the desk processes of one shift: starts them, tells them to make labels and bookings, and kills them. */
class Shift {
  kills = 0
  readonly crashes: string[] = []
  readonly #plan: ShiftPlan
  readonly #shop: Shop
  readonly #diary: Diary
  readonly #stations: Station[]
  #livesLeft: number

  constructor(plan: ShiftPlan, shop: Shop, diary: Diary) {
    this.#plan = plan
    this.#shop = shop
    this.#diary = diary
    this.#stations = shop.orders.map(() => new Station())
    this.#livesLeft = plan.lives
  }

  async work(floor: Floor): Promise<void> {
    const { random } = this.#plan
    const lives = Promise.all(this.#stations.map((_, desk) => this.#live(desk)))
    let isOver = false
    for (let meeting = 0; !isOver; meeting++) {
      this.#meet(floor, meeting, random)
      isOver = await Promise.race([
        lives.then(() => true),
        new Promise<false>((resolve) => setTimeout(() => resolve(false), random.int(...pauseMs))),
      ])
    }
  }

  #meet(floor: Floor, meeting: number, random: Random): void {
    const up = this.#stations.flatMap(({ isUp }, desk) => (isUp ? [desk] : []))
    const next = floor.next(up)
    if (!next) return
    const { deed, visits } = next
    const startsAt = Date.now() + leadMs
    for (const { desk, afterMs } of visits) {
      const deedId = random.uuid()
      this.#diary.plan(deedId, { desk, deed, meeting })
      this.#stations[desk]?.give({ deedId, deed, at: startsAt + afterMs })
    }
  }

  /**
   * Runs processes of this desk one after the other. Ends when all desks together have started the planned number of
   * processes.
   */
  async #live(desk: number): Promise<void> {
    const { program, random, died } = this.#plan
    const [station, order, proxy] = [this.#stations[desk], this.#shop.orders[desk], this.#shop.proxies[desk]]
    if (!station || !order || !proxy) throw new Error(`there is no desk ${desk}`)
    while (this.#livesLeft-- > 0) {
      const death = lengthen(planDeath(random, deskPoints))
      const whole: DeskOrder = { ...order, task: 'work', seed: random.uuid(), killAt: killPointOf(death) }
      const life = startLife(program, whole, {
        hear,
        listen: (said: Said) => {
          station.hear(said)
          this.#diary.note(said)
        },
      })
      void life.ready.then(() => station.attach(life))
      const { name, crash } = await dieAsPlanned(life, proxy, death, latestEndMs)
      station.detach()
      if (crash === null) {
        this.kills++
        died(name)
      } else this.crashes.push(`desk ${desk} ${crash}`)
    }
  }
}

/**
 * Quadruples the time from the start of the work to the kill, if the plan is to kill the process after a time. So
 * several desks have time to make the same label or booking before the kill.
 */
function lengthen(death: ReturnType<typeof planDeath>): ReturnType<typeof planDeath> {
  return death.kind === 'time' ? { ...death, afterMs: death.afterMs * 4 } : death
}
