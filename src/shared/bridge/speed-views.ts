import { z } from 'zod'
import { longestDurationMs } from '../domain/durations.ts'
import { time } from './view-parts.ts'

/** Durations that the window measures, each from the end of a scan: until its sound starts, until its card is drawn. */
const scanSpeeds = ['sound', 'card'] as const
/** All durations that are measured. `label`: from the request of a label until a printer has accepted its print. */
const speedKinds = [...scanSpeeds, 'label'] as const
export type SpeedKind = (typeof speedKinds)[number]

export const speedSample = z.object({
  kind: z.enum(scanSpeeds),
  ms: z.number().min(0).max(longestDurationMs),
})
export type SpeedSample = z.infer<typeof speedSample>

/** Maximum number of measured durations in one call of `speed.add`. */
export const mostSamples = 200

/** The durations of today, by the date of this computer. */
export const speedView = z.object({
  /** The beginning of the day, or the start of the program if it is later. */
  since: time,
  /** The measured durations, one row for each kind of duration. */
  rows: z.array(
    z.object({
      kind: z.enum(speedKinds),
      count: z.number().int(),
      /** Percentiles differ by up to 2.5 % from the exact percentiles. Null if `count` is 0. */
      figures: z
        .object({
          p50Ms: z.number(),
          p95Ms: z.number(),
          slowestMs: z.number(),
          slowestAt: time,
        })
        .nullable(),
    }),
  ),
})
export type SpeedView = z.infer<typeof speedView>
export type SpeedRow = SpeedView['rows'][number]
