import { z } from 'zod'

/** `sound-first`: the sound comes at once and the scan is saved a moment later; the suite must see that. */
export const scanControls = ['sound-first'] as const
export type ScanControl = (typeof scanControls)[number]

/** What goes on while somebody scans: the desk opens, lists are read, or old scans are purged and desk.db is copied. */
export const moments = ['start', 'sync', 'retention'] as const

/** What a child is told. */
export const given = z.object({
  dataDir: z.string(),
  url: z.string(),
  moment: z.enum(moments),
  /** Scans that may be under way at the same time. */
  lanes: z.number().int(),
  /** The number of its first scan: no two scans of a run are the same text. */
  first: z.number().int(),
  seed: z.number().int(),
  control: z.enum(scanControls).nullable(),
})
export type Given = z.infer<typeof given>

/** Shipments of the service: what is scanned is partly among them. */
export const shipmentsThere = 600

/** Begins the text of a scan that is too old to be kept; put there for the retention to take away. */
export const oldScan = 'too old '

/**
 * The text of a run's scan: codes that the desk knows, codes that only the service may know, GS1 data with its separator,
 * and what a scanner may send but nobody expects. Both processes make it from the number alone.
 */
export function textOf(number: number): string {
  const known = (number % shipmentsThere) + 1
  // spaces do not count in a code, but they make it another text
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
