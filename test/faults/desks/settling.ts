import { startLife } from '../outbox/life.ts'
import type { Case } from './case.ts'
import type { Diary } from './diary.ts'
import { type DeskOrder, type Errand, hear, type Said } from './errand.ts'
import { judge } from './judge.ts'
import type { Shop } from './shop.ts'

/**
 * Milliseconds that a desk waits for a response in the phase without faults. Only a busy machine makes a response slow
 * in this phase.
 */
const patientMs = 5_000
const readEveryMs = 300
/** After this number of consecutive reads with the same content, the suite assumes that all operators have decided. */
const quietReads = 4
/**
 * Milliseconds without a change after which the phase without faults ends, even if a write or a notice is still
 * missing.
 */
const patienceMs = 15_000
const longestMs = 180_000
const longestClosingMs = 20_000

/**
 * Lets every desk work without faults, and closes it in the end. The work ends when nothing changes and no write or
 * notice is missing, when nothing has changed for a long time, or after `longestMs`. `tells` false: no notices are
 * expected. Returns a line for each desk that did not close in order.
 */
export async function settleDown(
  program: string,
  { orders }: Shop,
  diary: Diary,
  readCase: () => Case,
  tells: boolean,
): Promise<string[]> {
  const lives = orders.map((order) => {
    const whole: DeskOrder = { ...order, task: 'settle', seed: 'settle', killAt: null, headersMs: patientMs }
    return startLife(program, whole, { hear, listen: (said: Said) => diary.note(said) })
  })
  await Promise.all(lives.map(({ ready }) => ready))
  await waitUntilSettled(readCase, tells)
  const close: Errand = { tell: 'close' }
  const ends = await Promise.all(
    lives.map(async (life) => {
      life.tell(JSON.stringify(close))
      const limit = setTimeout(() => life.kill(), longestClosingMs)
      const end = await life.ended
      clearTimeout(limit)
      return end
    }),
  )
  return ends.flatMap(({ code, signal }, desk) =>
    code === 0 ? [] : [`desk ${desk} ended with ${signal ?? `code ${code}`} when it was to close`],
  )
}

async function waitUntilSettled(readCase: () => Case, tells: boolean): Promise<void> {
  const startedAt = performance.now()
  let movedAt = startedAt
  let seen = ''
  let sameReads = 0
  for (;;) {
    const about = readCase()
    const now = standingOf(about)
    sameReads = now === seen ? sameReads + 1 : 0
    if (now !== seen) movedAt = performance.now()
    seen = now
    const { untold, unresolved } = judge(about)
    const isMissing = unresolved.length > 0 || (tells && untold.length > 0)
    if (sameReads >= quietReads && !isMissing) return
    const time = performance.now()
    if (time - movedAt > patienceMs || time - startedAt > longestMs) return
    await new Promise((resolve) => setTimeout(resolve, readEveryMs))
  }
}

function standingOf({ memories, service }: Case): string {
  const desks = memories.map(({ commands, decisions, notices }) => [
    commands.map(({ id, state, needs_operator: asks }) => `${id} ${state} ${asks}`),
    decisions.length,
    notices.length,
  ])
  return JSON.stringify([desks, service.labels.length, service.modifications.length])
}
