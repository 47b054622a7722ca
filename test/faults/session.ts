import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Desk } from '#desk/desk.ts'
import { type Clock, systemClock } from '#kit/clock.ts'
import { DeskBench, memorySecrets } from '#support/desk-bench.ts'
import { readKept } from './session/kept-file.ts'
import { validLogin, WatchedService } from './session/watched-service.ts'
import { eventually, patientTimeouts, prepare, Promises, settled } from './session/work.ts'
import type { Suite } from './suite-report.ts'

/** The ways in which an outage ends. */
const endings = [
  'token over',
  'refresh token used up',
  'restart, no token kept',
  'killed before it is kept',
] as const
type Ending = (typeof endings)[number]

const mostOutages = 100

interface Wrong {
  /**
   * Number of wrong login states: the desk required a login without need, did not require it when needed, or did not
   * accept the login of the next operator.
   */
  wrongState: number
  /**
   * Number of outages of the kind `token over` (only the access token expires during the outage) after which the desk
   * did not refresh the token exactly once.
   */
  wrongRefreshes: number
  /**
   * Number of outages after which the desk had made one of two errors. First: it sent a label or a booking although no
   * operator was logged in. Second: the operator had continued to work, but the desk had no write that waited for the
   * login.
   */
  sentWithoutLogin: number
  unsettled: number
  lost: number
  duplicated: number
}

/**
 * Lets an operator work during outages. Each outage ends in one of the ways that `endings` lists, in turn. At the end
 * the service must have each acknowledged write exactly once.
 */
export const sessionSuite: Suite = async ({ count, seed }) => {
  const wrong: Wrong = {
    wrongState: 0,
    wrongRefreshes: 0,
    sentWithoutLogin: 0,
    unsettled: 0,
    lost: 0,
    duplicated: 0,
  }
  const outages = Math.min(count ?? mostOutages, mostOutages)
  let promises = 0
  for (let outage = 0; outage < outages; outage++)
    promises += await liveThrough(endings[(outage + seed) % endings.length] ?? 'token over', wrong)
  const passed = outages > 0 && Object.values(wrong).every((number) => number === 0)
  return { suite: 'session', passed, figures: { outages, promises, ...wrong, seed } }
}

async function liveThrough(ending: Ending, wrong: Wrong): Promise<number> {
  const service = await WatchedService.start()
  const bench = await DeskBench.create()
  const promises = new Promises()
  try {
    await acts[ending]({ service, bench, promises, wrong })
    const { lost, duplicated } = promises.judge(service)
    wrong.lost += lost
    wrong.duplicated += duplicated
    return promises.count
  } finally {
    await bench.dispose()
    await service.stop()
  }
}

interface Act {
  readonly service: WatchedService
  readonly bench: DeskBench
  readonly promises: Promises
  readonly wrong: Wrong
}

const acts: Record<Ending, (act: Act) => Promise<void>> = {
  async 'token over'({ service, bench, promises, wrong }) {
    const clock = shiftableClock()
    const desk = await signIn(service, bench, { clock })
    await service.goOffline()
    await promises.work(desk)
    clock.shift(2 * 3600_000)
    service.endTokens()
    await promises.work(desk)
    await eventually(() => desk.status().line.state === 'offline')
    const before = service.refreshes
    await service.goOnline()
    if (!(await settled(desk))) wrong.unsettled++
    if (service.refreshes !== before + 1) wrong.wrongRefreshes++
    if (desk.session.state().state !== 'signed_in') wrong.wrongState++
  },

  async 'refresh token used up'({ service, bench, promises, wrong }) {
    const desk = await signIn(service, bench, {})
    await service.goOffline()
    await promises.work(desk)
    service.endTokens()
    await service.useUpRefreshToken()
    await service.goOnline()
    await eventually(() => desk.session.state().state === 'expired')
    await nothingIsSent(desk, service, promises, wrong)
    await finishAsAnother(desk, wrong)
  },

  async 'restart, no token kept'({ service, bench, promises, wrong }) {
    const secrets = memorySecrets(new Map(), false)
    const before = await signIn(service, bench, { secrets })
    await service.goOffline()
    await promises.work(before)
    await bench.close(before)
    const desk = await bench.open(() => service.url, { timeouts: patientTimeouts, secrets })
    const { state, username } = desk.session.state()
    if (state !== 'expired' || username !== validLogin.username) wrong.wrongState++
    await promises.work(desk)
    await service.goOnline()
    await eventually(() => desk.status().line.state === 'online')
    await nothingIsSent(desk, service, promises, wrong)
    await finishAsAnother(desk, wrong)
  },

  /** A desk process kills itself after the service has issued a new refresh token and before the desk stores it. */
  async 'killed before it is kept'({ service, bench, promises, wrong }) {
    const keptFile = join(bench.dataDir, 'kept.json')
    const script = new URL('session/killed-desk.ts', import.meta.url).pathname
    const child = spawn(process.execPath, [script, bench.dataDir, keptFile, service.url], {
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    const ended = once(child, 'exit')
    for await (const line of child.stdout) {
      if (!String(line).includes('ready')) continue
      service.endTokens()
      child.stdin.write('work\n')
    }
    await ended
    if (child.signalCode !== 'SIGKILL') throw new Error('the desk was not killed where it should have been')
    const desk = await bench.open(() => service.url, {
      timeouts: patientTimeouts,
      secrets: memorySecrets(readKept(keptFile)),
    })
    await eventually(() => desk.session.state().state === 'expired')
    await nothingIsSent(desk, service, promises, wrong)
    await finishAsAnother(desk, wrong)
  },
}

async function signIn(
  service: WatchedService,
  bench: DeskBench,
  options: NonNullable<Parameters<DeskBench['open']>[1]>,
): Promise<Desk> {
  const desk = await bench.open(() => service.url, { timeouts: patientTimeouts, ...options })
  const login = await desk.session.login(validLogin)
  if (!login.ok) throw new Error(`the login was refused: ${login.error.code}`)
  await prepare(desk)
  return desk
}

/** Lets the operator continue to work after the session has ended. Checks that the writes wait and none is sent. */
async function nothingIsSent(
  desk: Desk,
  service: WatchedService,
  promises: Promises,
  wrong: Wrong,
): Promise<void> {
  const sent = (): number => service.count('POST', /return-labels|modifications/)
  const before = sent()
  await promises.work(desk)
  // When the session has expired, the desk shows this as the failure of the next write in its queue.
  await eventually(() => desk.status().waitingWrites.some((one) => one.failure?.code === 'session.expired'))
  if (sent() !== before || desk.status().unsent.waiting === 0) wrong.sentWithoutLogin++
}

/** The next operator logs in, and the queue is sent. */
async function finishAsAnother(desk: Desk, wrong: Wrong): Promise<void> {
  const login = await desk.session.login({ username: 'colleague', password: 'colleague-secret-word' })
  if (!login.ok || desk.session.state().username !== 'colleague') wrong.wrongState++
  if (!(await settled(desk))) wrong.unsettled++
}

/** Returns a clock whose wall time and monotonic time can be moved together. */
function shiftableClock(): Clock & { shift(ms: number): void } {
  let aheadMs = 0
  return {
    now: () => systemClock.now() + aheadMs,
    ticks: () => systemClock.ticks() + aheadMs,
    shift: (ms) => void (aheadMs += ms),
  }
}
