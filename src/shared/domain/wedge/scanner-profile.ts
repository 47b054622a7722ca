import { z } from 'zod'
import type { Stroke } from './stroke.ts'

/** Four times the keys of a keyboard, each alone and with what is held. */
const mostKeys = 1_000

/** How the keyboard scanner of this computer types, as one scan of the calibration barcode told. */
export const scannerProfile = z.object({
  /** The character of each stroke, or of two after one another where the layout needs a dead key (`S+KeyA`, `Backquote Space`). */
  keys: z
    .record(z.string().max(60), z.string().length(1))
    .refine((keys) => Object.keys(keys).length <= mostKeys),
  /** Strokes that this scanner sends before and behind what the barcode holds; the terminator is none of them. */
  prefix: z.array(z.string().max(30)).max(20),
  suffix: z.array(z.string().max(30)).max(20),
  /** What ends a scan; null: nothing does, a pause has to. */
  terminator: z.enum(['Enter', 'Tab']).nullable(),
  /** From one key to the next, usually. */
  gapMs: z.number().min(0).max(250),
  /** Whether the separators of GS1 data arrive; a scanner that drops them cuts lots and serials wrongly. */
  sendsSeparator: z.boolean(),
})
export type ScannerProfile = z.infer<typeof scannerProfile>

/** The name of a stroke in a profile. */
export function strokeName({ id, us }: Stroke): string {
  return id === '' ? `=${us ?? ''}` : id
}
