import { expect, it } from 'vitest'
import { paperOf } from '#printing/printer-kinds.ts'
import type { PrinterSettings } from '#shared/bridge/printer-views.ts'

const escpos = { kind: 'escpos', host: 'h', port: 9100 } as const
const zpl = {
  kind: 'zpl',
  host: 'h',
  port: 9100,
  media: 'label',
  darkness: null,
  inchesPerSecond: null,
  graphics: 'z64',
} as const
const ipp = { kind: 'ipp', uri: 'ipp://localhost/printers/x' } as const
const cases: readonly (readonly [PrinterSettings, number, number | null])[] = [
  [{ kind: 'folder' }, 812, 1218],
  [{ ...escpos, paperMm: 58, dpi: 203 }, 384, null],
  [{ ...escpos, paperMm: 104, dpi: 300 }, 1228, null],
  [{ ...zpl, widthMm: 104, dpi: 203 }, 832, null],
  [{ ...zpl, widthMm: 104, dpi: 300 }, 1228, null],
  [{ ...ipp, media: 'na_index-4x6_4x6in', dpi: 203 }, 812, 1218],
  [{ ...ipp, media: { widthMm: 210, heightMm: 297 }, dpi: 300 }, 2480, 3508],
]

it.each(cases)('of %o is %i dots wide', (settings, widthDots, heightDots) => {
  expect(paperOf(settings)).toMatchObject({ widthDots, heightDots })
})
