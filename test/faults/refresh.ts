import { createAgents } from '#remote/agents.ts'
import { createApiClient } from '#remote/api-client.ts'
import { standardTimeouts } from '#remote/exchange.ts'
import { createLine } from '#desk/service/line.ts'
import { Session } from '#desk/service/session.ts'
import { benchScope, DeskBench, memorySecrets } from '#support/desk-bench.ts'
import { memorySessionStore } from '#support/desk-fakes.ts'
import { realClock } from './session/real-clock.ts'
import { validLogin, WatchedService } from './session/watched-service.ts'
import { patientTimeouts, prepare, Promises, settled } from './session/work.ts'
import type { Suite } from './suite-report.ts'

const callsAtOnce = 50
const mostRounds = 200
const callsOfWork = 20

/**
 * Runs up to 200 rounds in which 50 simultaneous calls are refused because of their token. Then repeats a sequence of
 * calls and lets the token expire at each of its calls in turn. Each time there must be one refresh. No call of a round
 * may fail, and no write of a sequence may be rejected, lost or sent twice. `count` limits the number of rounds and of
 * repetitions.
 */
export const refreshSuite: Suite = async ({ count, seed }) => {
  const rounds = Math.min(count ?? mostRounds, mostRounds)
  const parallel = await parallelRefusals(rounds)
  const sequence = await refusalAtEach(rounds)
  const passed =
    parallel.refreshes === rounds &&
    parallel.failed === 0 &&
    parallel.unstored === 0 &&
    sequence.refreshes === sequence.positions &&
    sequence.unsettled + sequence.lost + sequence.duplicated === 0
  return {
    suite: 'refresh',
    passed,
    figures: {
      rounds,
      callsAtOnce,
      refreshesOfRounds: parallel.refreshes,
      failed: parallel.failed,
      unstored: parallel.unstored,
      ...sequence,
      seed,
    },
  }
}

/** `unstored`: number of calls that used a new token before the desk stored it. */
async function parallelRefusals(
  rounds: number,
): Promise<{ refreshes: number; failed: number; unstored: number }> {
  const service = await WatchedService.start()
  const agents = createAgents()
  const kept = new Map<string, string>()
  const api = createApiClient({
    scope: benchScope,
    embedded: () => service.url,
    agents,
    timeouts: standardTimeouts,
    documentHosts: [],
  })
  const session = new Session({
    api,
    secrets: memorySecrets(kept),
    store: memorySessionStore(),
    clock: realClock,
    line: createLine(realClock, () => undefined),
    scope: benchScope,
    changed: () => undefined,
    onFault: (error) => {
      throw error
    },
  })
  const figures = { refreshes: 0, failed: 0, unstored: 0 }
  try {
    await session.login(validLogin)
    for (let round = 0; round < rounds; round++) {
      service.endTokens()
      const before = [...kept.values()].join()
      const calls = await Promise.all(
        Array.from({ length: callsAtOnce }, () =>
          session.withAccess((token) => {
            if (service.isGood(token) && [...kept.values()].join() === before) figures.unstored++
            return api.listCustomers(token, 1)
          }),
        ),
      )
      figures.failed += calls.filter(({ kind }) => kind !== 'answer').length
    }
    figures.refreshes = service.refreshes
    return figures
  } finally {
    agents.close()
    await service.stop()
  }
}

interface SequenceFigures {
  positions: number
  calls: number
  promises: number
  refreshes: number
  unsettled: number
  lost: number
  duplicated: number
}

/** Lets the token expire at the first call of a sequence, then at the second call of the next sequence, and so on. */
async function refusalAtEach(positions: number): Promise<SequenceFigures> {
  const service = await WatchedService.start()
  const bench = await DeskBench.create()
  const promises = new Promises()
  const figures = { positions, calls: 0, promises: 0, refreshes: 0, unsettled: 0, lost: 0, duplicated: 0 }
  try {
    const desk = await bench.open(() => service.url, { timeouts: patientTimeouts })
    await desk.session.login(validLogin)
    await prepare(desk)
    const before = service.refreshes
    for (let position = 1; position <= positions; position++) {
      let number = 0
      service.refuse = ({ path }) => {
        if (path.startsWith('/wms/auth/') || ++number !== position) return null
        service.endTokens()
        return 401
      }
      // One call of `work` makes about `callsOfWork` calls to the service. `work` is repeated until the desk has made
      // the call with the number `position`, at which the token expires.
      while (number < position) {
        const left = Math.ceil((position - number) / callsOfWork)
        await Promise.all(Array.from({ length: Math.min(left, 8) }, () => promises.work(desk)))
        if (!(await settled(desk))) figures.unsettled++
      }
      figures.calls += number
    }
    figures.refreshes = service.refreshes - before
    figures.promises = promises.count
    return { ...figures, ...promises.judge(service) }
  } finally {
    await bench.dispose()
    await service.stop()
  }
}
