import fc from 'fast-check'
import type { Desk } from '#desk/desk.ts'
import { type Clock, systemClock } from '#kit/clock.ts'
import { DeskBench } from '#support/desk-bench.ts'
import { validLogin, WatchedService } from './session/watched-service.ts'
import { eventually, patientTimeouts, prepare, Promises, settled } from './session/work.ts'
import type { Suite } from './suite-report.ts'

const hourMs = 3600_000
const mostDesks = 100

/**
 * Errors of the PC clock in milliseconds: a day; an hour, e.g. if summer time was set by hand; 90 seconds; 20 years,
 * e.g. if the battery is empty; none.
 */
const skews = [-24 * hourMs, 24 * hourMs, -hourMs, hourMs, -90_000, 90_000, -20 * 365 * 24 * hourMs, 0]

/**
 * Runs desks whose wall clock is wrong. The clock also changes while the outcome of a write is unknown, during outages
 * and between two starts. A desk must find every write whose response was lost, and must send no write twice. It must
 * measure waits with the monotonic clock, and compute the age of data from the clock of the service. It must not
 * require a login.
 */
export const clockSuite: Suite = async ({ count, seed }) => {
  const jumps = fc.sample(fc.array(fc.constantFrom(...skews), { minLength: 5, maxLength: 5 }), {
    numRuns: Math.min(count ?? mostDesks, mostDesks),
    seed,
  })
  const figures = {
    desks: 0,
    promises: 0,
    lostReplies: 0,
    unsettled: 0,
    lost: 0,
    duplicated: 0,
    logins: 0,
    wrongAges: 0,
  }
  for (const skewsOfDesk of jumps) {
    const found = await workAgainst(skewsOfDesk)
    figures.desks++
    for (const [name, number] of Object.entries(found) as [keyof typeof found, number][])
      figures[name] += number
  }
  const { unsettled, lost, duplicated, logins, wrongAges, lostReplies } = figures
  const passed = lostReplies > 0 && unsettled + lost + duplicated + logins + wrongAges === 0
  return { suite: 'clock', passed, figures: { ...figures, seed } }
}

type Found = Record<
  'promises' | 'lostReplies' | 'unsettled' | 'lost' | 'duplicated' | 'logins' | 'wrongAges',
  number
>

async function workAgainst([
  atStart = 0,
  working = 0,
  away = 0,
  back = 0,
  restarted = 0,
]: number[]): Promise<Found> {
  const service = await WatchedService.start()
  const bench = await DeskBench.create()
  const promises = new Promises()
  const clock = wrongClock(atStart)
  const found: Found = {
    promises: 0,
    lostReplies: 0,
    unsettled: 0,
    lost: 0,
    duplicated: 0,
    logins: 0,
    wrongAges: 0,
  }
  try {
    let desk = await bench.open(() => service.url, { clock, timeouts: patientTimeouts })
    await desk.session.login(validLogin)
    await prepare(desk)
    if (!agesAreTheService(desk, clock)) found.wrongAges++
    // The service applies the first send of each write, but its response is lost.
    let isLosing = true
    const tried = new Set<string>()
    service.loses = ({ method, path }) => {
      if (!isLosing || method !== 'POST' || !/return-labels|modifications/.test(path) || tried.has(path))
        return false
      tried.add(path)
      found.lostReplies++
      return true
    }
    await promises.work(desk)
    await eventually(() => found.lostReplies >= 2)
    clock.skewMs = working
    if (!(await settled(desk))) found.unsettled++
    isLosing = false
    await service.goOffline()
    await promises.work(desk)
    await eventually(() => desk.status().line.state === 'offline')
    clock.skewMs = away
    await service.goOnline()
    clock.skewMs = back
    if (!(await settled(desk))) found.unsettled++
    // The desk is stopped with a write in progress and opened with another clock.
    isLosing = true
    tried.clear()
    await promises.work(desk)
    await eventually(() => found.lostReplies >= 3)
    await bench.close(desk)
    isLosing = false
    clock.skewMs = restarted
    desk = await bench.open(() => service.url, { clock, timeouts: patientTimeouts })
    if (!(await settled(desk))) found.unsettled++
    if (desk.session.state().state !== 'signed_in') found.logins++
    found.promises = promises.count
    return { ...found, ...promises.judge(service) }
  } finally {
    await bench.dispose()
    await service.stop()
  }
}

/**
 * Whether the desk computes the age of new data from the clock of the service, not from the clock of the PC. If the
 * clock of the PC is more than a day behind, the age counts from a day after its time (`saidAt`).
 */
function agesAreTheService(desk: Desk, clock: Clock): boolean {
  const { syncedAt } = desk.status().index
  const expected = Math.min(systemClock.now(), clock.now() + 24 * hourMs)
  return syncedAt !== null && Math.abs(Date.parse(syncedAt) - expected) < hourMs / 2
}

function wrongClock(skewMs: number): Clock & { skewMs: number } {
  const clock = { skewMs, now: () => systemClock.now() + clock.skewMs, ticks: () => systemClock.ticks() }
  return clock
}
