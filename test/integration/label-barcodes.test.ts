import { describe, expect, it } from 'vitest'
import { drawLabel } from '#labels/draw/draw-label.ts'
import { planCode128 } from '#labels/draw/symbols.ts'
import { carrierFor, carriers } from '#middleware/warehouse/carriers/carriers.ts'
import type { LabelLayout } from '#middleware/warehouse/world.ts'
import { canDecodeLabels, readLabel, type Raster } from '#support/label-raster.ts'
import { labelSpec, longestAddress } from '#support/label-specs.ts'
import { returnLabelJob } from '#support/return-label-jobs.ts'

const layouts: readonly LabelLayout[] = ['4x6', 'a6', 'sheet', 'rotated']
const ready = await canDecodeLabels()
if (!ready)
  console.warn('label barcodes are not decoded: pdftoppm (poppler-utils) or zbarimg (zbar-tools) is missing')

const cases = carriers.flatMap((carrier) =>
  layouts.map((layout) => ({ carrier, layout, name: carrier.name })),
)
const reach = { phoneNumber: null, mobileNumber: null, emailAddress: null }
const longest = { ...longestAddress, ...reach }

/** Returns the grey values of one row of pixels, and its runs of black pixels. */
function runsOf(raster: Raster, y: number): { row: Uint8Array; bars: { from: number; to: number }[] } {
  const row = raster.pixels.subarray(y * raster.width, (y + 1) * raster.width)
  const bars: { from: number; to: number }[] = []
  for (let x = 0; x < row.length; x++) {
    if ((row[x] ?? 255) >= 128) continue
    const from = x
    while (x < row.length && (row[x] ?? 255) < 128) x++
    bars.push({ from, to: x })
  }
  return { row, bars }
}

describe.skipIf(!ready)('barcodes on labels at 203 dpi', () => {
  it.each(cases)(
    'decode to the tracking code, as Code 128 and as QR code: $name $layout',
    async ({ carrier, layout }) => {
      for (const [serial, sandbox] of [
        [4711, true],
        [99, false],
      ] as const) {
        const label = await carrier.drawReturnLabel(returnLabelJob({ layout, serial, sandbox }))
        const { codes } = await readLabel(label.pdf)
        expect(codes.map((code) => code.text)).toEqual([label.trackingCode, label.trackingCode])
        expect(new Set(codes.map((code) => code.symbology))).toEqual(new Set(['CODE-128', 'QR-Code']))
      }
    },
  )

  it.each(layouts)(
    'can be read although the label has the SAMPLE mark and the longest possible addresses: %s',
    async (layout) => {
      const carrier = carriers[layouts.indexOf(layout)] ?? carrierFor('')
      const job = returnLabelJob({ layout, sender: longest, recipient: longest, reference: 'R'.repeat(200) })
      const label = await carrier.drawReturnLabel(job)
      const { codes } = await readLabel(label.pdf)
      expect(codes.map((code) => code.text)).toEqual([label.trackingCode, label.trackingCode])
    },
  )

  it.each([
    'A',
    '00',
    'a1B2c3D4',
    'TB-2026/0001.4',
    '1234567890123456789012345678',
    'ABCDEFGHIJKLMNOPQRSTUVWXYZ',
  ])('can be read on upright and on turned labels with the tracking code %j', async (trackingCode) => {
    for (const layout of ['4x6', 'sheet'] as const) {
      const { codes } = await readLabel(await drawLabel(labelSpec({ layout, trackingCode })))
      expect(codes.map((code) => code.text)).toEqual([trackingCode, trackingCode])
    }
  })

  it.each(['4x6', 'a6'] as const)(
    'have sharp bars of at least 20 mm in height and white quiet zones: %s',
    async (layout) => {
      // The module, the width of the narrowest bar, gets smaller for longer codes. 18 letters are the shortest code of
      // letters with the smallest allowed module, and 29 letters are the longest such code that fits on the label.
      for (const trackingCode of ['RP994230322NL', 'A'.repeat(18), 'A'.repeat(29)]) {
        const spec = labelSpec({ layout, trackingCode, sample: true, sender: longest, recipient: longest })
        const { raster } = await readLabel(await drawLabel(spec))
        // Number of black runs in a row of the symbol, including the two lines of the frame. No row outside the symbol
        // has this number.
        const barCount = Math.ceil(planCode128(trackingCode, 268).runs.length / 2) + 2
        const below = Array.from({ length: raster.height }, (_, y) => y).slice(
          Math.floor(raster.height * 0.6),
        )
        const rows = below.filter((y) => runsOf(raster, y).bars.length === barCount)
        expect(rows.length).toBeGreaterThanOrEqual(160)
        for (const y of rows.slice(2, 158)) {
          const { row, bars } = runsOf(raster, y)
          const [frame, start] = bars
          const [stop, otherFrame] = bars.slice(-2)
          if (!frame || !start || !stop || !otherFrame) throw new Error('no bars between two frame lines')
          const module = (start.to - start.from) / 2
          expect(Number.isInteger(module)).toBe(true)
          expect(start.from - frame.to).toBeGreaterThanOrEqual(10 * module)
          expect(otherFrame.from - stop.to).toBeGreaterThanOrEqual(10 * module)
          const greys = row
            .subarray(frame.to + 1, otherFrame.from - 1)
            .filter((value) => value !== 0 && value !== 255)
          expect(greys).toHaveLength(0)
        }
      }
    },
  )
})
