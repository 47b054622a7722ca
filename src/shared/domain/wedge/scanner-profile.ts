import { z } from 'zod'
import type { Stroke } from './stroke.ts'

/**
 * Maximum number of strokes in a profile: four times the number of strokes that a keyboard has (each key alone and with
 * its modifiers).
 */
const mostKeys = 1_000

/** How the keyboard scanner of this computer types, as learnt from one scan of the calibration barcode. */
export const scannerProfile = z.object({
  /**
   * The character of each stroke, or of two successive strokes if the layout needs a dead key (`S+KeyA`, `Backquote
   * Space`).
   */
  keys: z
    .record(z.string().max(60), z.string().length(1))
    .refine((keys) => Object.keys(keys).length <= mostKeys)
    .meta({ maxProperties: mostKeys }),
  /** Strokes that this scanner sends before and after the barcode's text, without the terminator. */
  prefix: z.array(z.string().max(30)).max(20),
  suffix: z.array(z.string().max(30)).max(20),
  /** The key that ends a scan; null: only a pause ends it. */
  terminator: z.enum(['Enter', 'Tab']).nullable(),
  /** The median time from one key to the next, in milliseconds. */
  gapMs: z.number().min(0).max(250),
  /** Whether the scanner sends the separators of GS1 data. Without them, lots and serial numbers are split wrongly. */
  sendsSeparator: z.boolean(),
})
export type ScannerProfile = z.infer<typeof scannerProfile>

/** Returns the name of a key stroke, by which a `ScannerProfile` refers to the stroke. */
export function strokeName({ id, us }: Stroke): string {
  return id === '' ? `=${us ?? ''}` : id
}
