import type { ZplJobOptions } from '#printing/zpl-bytes.ts'

/** Usual options of a ZPL printer, without its address and its paper, for tests of other behaviour. */
export const zplOptions = {
  media: 'label',
  darkness: null,
  inchesPerSecond: null,
  graphics: 'z64',
} as const satisfies ZplJobOptions
