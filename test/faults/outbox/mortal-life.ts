import type { Random } from '#middleware/warehouse/demo/random.ts'
import type { Control } from './controls.ts'
import type { Death } from './death.ts'
import { hear, type Order } from './deed.ts'
import type { Diary } from './diary.ts'
import type { FaultProxy } from './fault-proxy.ts'
import { type Life, startLife } from './life.ts'
import type { Site } from './site.ts'

/** Milliseconds after which a desk that is not ready is killed. */
const slowestStartMs = 10_000
/** Milliseconds after which a desk is killed if its planned end did not happen. */
const latestEndMs = 1_500

export interface MortalPlan {
  /** The path of the bundled program of a desk process. */
  readonly program: string
  readonly control: Control | null
  readonly random: Random
  readonly died: (death: string) => void
}

/**
 * Runs one desk process until its end. Returns null if it ended as planned or at its time limit, otherwise a
 * description.
 */
export async function liveAndDie(
  plan: MortalPlan,
  { proxy, order }: Site,
  { death, free }: { readonly death: Death; readonly free: readonly string[] },
  diary: Diary,
): Promise<string | null> {
  const { random, program, control } = plan
  const deeds = random.int(3, 6)
  const life = startLife(
    program,
    {
      ...order,
      task: 'work',
      deeds,
      seed: random.uuid(),
      killAt: killPointOf(death),
      control,
      shipmentIds: [...free],
    } satisfies Order,
    { hear, listen: (said) => diary.note(said) },
  )
  const end = await dieAsPlanned(life, proxy, death, latestEndMs)
  if (end.crash === null) plan.died(end.name)
  return end.crash
}

/** Returns the point at which a desk process kills itself. Null if it is killed from outside. */
export function killPointOf(death: Death): string | null {
  return death.kind === 'store' ? `${death.point} ${death.times}` : null
}

/**
 * Ends a desk process as planned (`death`), or waits for its planned end. A process that misses its planned end is
 * killed: `latestMs` milliseconds after it was ready, or `slowestStartMs` milliseconds after its start if it is not
 * ready by then. Returns the kind of the end as `name`. `crash` is null if SIGKILL ended the process, and otherwise
 * describes the end.
 */
export async function dieAsPlanned(
  life: Life,
  proxy: FaultProxy,
  death: Death,
  latestMs: number,
): Promise<{ readonly name: string; readonly crash: string | null }> {
  const cut = death.kind === 'wire' ? cutTheWire(proxy, death, life) : null
  await Promise.race([timeIsUp(death, life, latestMs), life.ended])
  life.kill()
  const end = await life.ended
  cut?.stop()
  const crash = end.signal === 'SIGKILL' ? null : `ended with ${end.signal ?? `code ${end.code}`}`
  return { name: nameOf(death, end.wasKilled, cut?.wasHit() ?? false), crash }
}

function timeIsUp(death: Death, life: Life, latestMs: number): Promise<void> {
  const limit = death.kind === 'start' ? death.afterMs : slowestStartMs
  const delay = death.kind === 'time' ? death.afterMs : latestMs
  return new Promise((over) => {
    const last = setTimeout(over, limit)
    void life.ready.then(() => {
      if (death.kind === 'start') return
      clearTimeout(last)
      setTimeout(over, delay)
    })
  })
}

/** Kills a desk process when its writes have reached the given stage `times` times. */
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
