import type { ZplJobOptions } from '#printing/zpl-bytes.ts'

/** The options of a ZPL printer in tests that are about something else; its address and its paper are not in it. */
export const zplOptions = {
  media: 'label',
  darkness: null,
  inchesPerSecond: null,
  graphics: 'z64',
} as const satisfies ZplJobOptions
