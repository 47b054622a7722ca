import type { Random } from '#middleware/warehouse/demo/random.ts'
import { type WireMoment, wireMoments } from './fault-proxy.ts'
import { journalPoints, storePoints } from './kill-points.ts'

/** The planned kill of a desk process: after a time, at a step of its store, or at a stage of a call. */
export type Death =
  | { readonly kind: 'time' | 'start'; readonly afterMs: number }
  | { readonly kind: 'store'; readonly point: string; readonly times: number }
  | { readonly kind: 'wire'; readonly moment: WireMoment; readonly times: number }

/** Plans the kill of a desk process at random. `points`: the steps of the store at which it may be killed. */
export function planDeath(random: Random, points: readonly string[] = storePoints): Death {
  const kind = random.weighted([
    ['time', 30],
    ['start', 6],
    ['store', 40],
    ['journal', 8],
    ['wire', 20],
  ] as const)
  const times = random.weighted([
    [1, 60],
    [2, 25],
    [3, 15],
  ] as const)
  switch (kind) {
    case 'time':
      return { kind, afterMs: random.int(0, 600) }
    case 'start':
      return { kind, afterMs: random.int(60, 260) }
    case 'journal':
      // The desk is killed when it reaches the point for the `times`-th time. The start of a desk reaches the point a
      // few times. So only a larger `times` kills the desk after its start.
      return { kind: 'store', point: random.pick(journalPoints), times: random.int(1, 30) }
    case 'store':
      return { kind, point: random.pick(points), times }
    case 'wire':
      return { kind, moment: random.pick(wireMoments), times }
  }
}
