import { describe, expect, it } from 'vitest'
import { drawLabel } from '#labels/draw/draw-label.ts'
import { rasterise } from '#labels/place/lay-labels.ts'
import { readLabelsInThread } from '#labels/raster-in-thread.ts'
import { carriers } from '#middleware/warehouse/carriers/carriers.ts'
import type { LabelLayout } from '#middleware/warehouse/world.ts'
import { count } from '#support/counts.ts'
import { labelSpec } from '#support/label-specs.ts'
import { returnLabelJob } from '#support/return-label-jobs.ts'

const layouts: readonly LabelLayout[] = ['4x6', 'a6', 'sheet', 'rotated']
const wide = [
  { dpi: 203, widthDots: 832 },
  { dpi: 300, widthDots: 1228 },
]
const receipts = [
  { dpi: 203, widthDots: 576 },
  { dpi: 300, widthDots: 850 },
]
const everyReceipt = count(0, 1) === 1
const cases = [...wide, ...receipts].flatMap((paper) =>
  carriers.flatMap((carrier, at) =>
    layouts
      .filter((_, layoutAt) => everyReceipt || !receipts.includes(paper) || layoutAt === at)
      .map((layout) => ({ ...paper, carrier, layout, name: carrier.name })),
  ),
)

describe('a label that is sent to a printer', () => {
  it.each(cases)(
    'has two readable codes in the sent bitmap: $name $layout, $widthDots dots at $dpi dpi',
    async ({ carrier, layout, dpi, widthDots }) => {
      const { pdf, trackingCode } = await carrier.drawReturnLabel(
        returnLabelJob({ layout, serial: 4711, sandbox: true }),
      )
      const readings = await readLabelsInThread(pdf, { dpi, widthDots })
      expect(readings).toMatchObject([{ bitmap: { widthDots }, hasUnreadBars: false }])
      const codes = readings[0]?.symbols.map(({ text, symbology }) => ({ text, symbology }))
      expect(codes).toHaveLength(2)
      expect(codes).toEqual(
        expect.arrayContaining([
          { text: trackingCode, symbology: 'QRCode' },
          { text: trackingCode, symbology: 'Code128' },
        ]),
      )
    },
  )

  it('has the same bitmap whether or not its codes are read', async () => {
    const pdf = await drawLabel(labelSpec({ layout: 'sheet' }))
    const paper = { dpi: 203, widthDots: 832 }
    const readings = await readLabelsInThread(pdf, paper)
    expect(readings.map(({ bitmap }) => bitmap)).toEqual(await rasterise(pdf, paper))
  })

  it('fails as a damaged document if its codes are read from a file that is no valid PDF', async () => {
    const noise = new TextEncoder().encode('%PDF-1.7 noise')
    await expect(readLabelsInThread(noise, { dpi: 203, widthDots: 832 })).rejects.toMatchObject({
      failure: { code: 'document.unreadable', params: { cause: 'damaged' } },
    })
  })
})
