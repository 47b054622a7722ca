import type { Random } from '#middleware/warehouse/demo/random.ts'
import type { Control } from './controls.ts'
import type { Death } from './death.ts'
import type { Diary } from './diary.ts'
import type { FaultProxy } from './fault-proxy.ts'
import { type Life, startLife } from './life.ts'
import type { Site } from './site.ts'

/** A desk that is not ready by then is killed as it is. */
const slowestStartMs = 10_000
/** A planned end that never came, so long after the desk was ready. */
const latestEndMs = 1_500

export interface MortalPlan {
  /** The child in one file. */
  readonly program: string
  readonly control: Control | null
  readonly random: Random
  readonly died: (death: string) => void
}

/** Null: it died as planned, or at the latest when its time was up. */
export async function liveAndDie(
  plan: MortalPlan,
  { proxy, order }: Site,
  { death, free }: { readonly death: Death; readonly free: readonly string[] },
  diary: Diary,
): Promise<string | null> {
  const { random, program, control } = plan
  const killAt = death.kind === 'store' ? `${death.point} ${death.times}` : null
  const deeds = random.int(3, 6)
  const life = startLife(
    program,
    { ...order, task: 'work', deeds, seed: random.uuid(), killAt, control, shipmentIds: [...free] },
    (said) => diary.note(said),
  )
  const cut = death.kind === 'wire' ? cutTheWire(proxy, death, life) : null
  await Promise.race([timeIsUp(death, life), life.ended])
  life.kill()
  const end = await life.ended
  cut?.stop()
  if (end.signal !== 'SIGKILL') return `ended with ${end.signal ?? `code ${end.code}`}`
  plan.died(nameOf(death, end.wasKilled, cut?.wasHit() ?? false))
  return null
}

function timeIsUp(death: Death, life: Life): Promise<void> {
  const limit = death.kind === 'start' ? death.afterMs : slowestStartMs
  const delay = death.kind === 'time' ? death.afterMs : latestEndMs
  return new Promise((over) => {
    const last = setTimeout(over, limit)
    void life.ready.then(() => {
      if (death.kind === 'start') return
      clearTimeout(last)
      setTimeout(over, delay)
    })
  })
}

/** Ends a life when one of its writes has come so far. */
function cutTheWire(
  proxy: FaultProxy,
  { moment, times }: Extract<Death, { kind: 'wire' }>,
  life: Life,
): { stop: () => void; wasHit: () => boolean } {
  let left = times
  const onMoment = (): void => {
    if (--left === 0) life.kill()
  }
  proxy.moments.on(moment, onMoment)
  return { stop: () => void proxy.moments.off(moment, onMoment), wasHit: () => left <= 0 }
}

function nameOf(death: Death, wasKilled: boolean, wasHit: boolean): string {
  if (death.kind === 'store' && !wasKilled) return death.point
  if (death.kind === 'wire' && wasHit) return `on the wire: ${death.moment}`
  return death.kind === 'start' ? 'while it starts' : 'at any time'
}
