import type { ScandeskBridge } from '#shared/bridge/contract.ts'
import type { SpeedView } from '#shared/bridge/speed-views.ts'
import { ok } from '#shared/errors/result.ts'
import { ago, type MemoryCore } from './memory-core.ts'

/**
 * The measured durations on a computer on which the app was started 12 minutes ago: no scan and no label was measured
 * yet.
 */
export function noSpeed(nowMs: number): SpeedView {
  const kinds = ['sound', 'card', 'label'] as const
  return { since: ago(nowMs, 12), rows: kinds.map((kind) => ({ kind, count: 0, figures: null })) }
}

/** The measured durations of scans and labels on a busy day with one slow label. */
export function sampleSpeed(nowMs: number): SpeedView {
  return {
    since: ago(nowMs, 367),
    rows: [
      {
        ...{ kind: 'sound', count: 1_284 },
        figures: { p50Ms: 11.6, p95Ms: 27.3, slowestMs: 412.8, slowestAt: ago(nowMs, 93) },
      },
      {
        ...{ kind: 'card', count: 1_197 },
        figures: { p50Ms: 24.1, p95Ms: 48.9, slowestMs: 640.2, slowestAt: ago(nowMs, 93) },
      },
      {
        ...{ kind: 'label', count: 203 },
        figures: { p50Ms: 1_420.5, p95Ms: 3_180, slowestMs: 74_300, slowestAt: ago(nowMs, 21) },
      },
    ],
  }
}

export function speedMethods(desk: MemoryCore): ScandeskBridge['speed'] {
  return {
    add: () => desk.call('speed:add', () => ok(undefined)),
    today: () => desk.call('speed:today', () => ok(desk.world.speed)),
  }
}
