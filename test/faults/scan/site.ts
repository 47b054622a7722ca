import { z } from 'zod'

/** `sound-first`: the sound is played at once and the scan is saved a moment later. The suite must detect that. */
export const scanControls = ['sound-first'] as const
export type ScanControl = (typeof scanControls)[number]

/** The work during the scans: the desk opens, it reads lists, or it purges old scans and copies desk.db. */
export const moments = ['start', 'sync', 'retention'] as const

/** The argument of the desk process (scan-child.ts). */
export const given = z.object({
  dataDir: z.string(),
  url: z.string(),
  moment: z.enum(moments),
  /** The number of operators that scan at the same time. */
  lanes: z.number().int(),
  /** Number of the first scan of this process. All scans of a run have different texts. */
  first: z.number().int(),
  seed: z.number().int(),
  control: z.enum(scanControls).nullable(),
})
export type Given = z.infer<typeof given>

/** The number of shipments at the service. Some of the simulated scans are codes of these shipments. */
export const shipmentsThere = 600

/** Beginning of the text of scans that are stored with an old date, so that the purge deletes them. */
export const oldScan = 'too old '

/**
 * Returns the text of a scan: a code of a shipment, GS1 data with its separator, unexpected or very long input of a
 * scanner, or a code that no record has. The desk process and the process that started it compute the same text from
 * the number alone.
 */
export function textOf(number: number): string {
  const known = (number % shipmentsThere) + 1
  // The desk ignores spaces in a code. Here they make the texts of the same code different.
  const again = ' '.repeat(Math.floor(number / shipmentsThere))
  switch (number % 7) {
    case 0:
      return `3SABC${known}${again}`
    case 1:
      return `SHP${String(known).padStart(11, '0')}${again}`
    case 2:
      return `]C1010871234567890610LOT${number}\u001d21${number}`
    case 3:
      return `Größe "${number}" \u{1f4e6}\t\u0000'--`
    case 4:
      return `${number}${'x'.repeat(900)}`
    default:
      return `NOBODY-${number}`
  }
}
