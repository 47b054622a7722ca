import { describe, expect, it } from 'vitest'
import { rasterise } from '#labels/place/lay-labels.ts'
import { rasteriseInThread } from '#labels/raster-in-thread.ts'
import { drawLabel } from '#labels/draw/draw-label.ts'
import { carriers } from '#middleware/warehouse/carriers/carriers.ts'
import type { LabelLayout } from '#middleware/warehouse/world.ts'
import { count } from '#support/counts.ts'
import { canDecodeLabels, readBitmap } from '#support/label-raster.ts'
import { labelSpec } from '#support/label-specs.ts'
import { returnLabelJob } from '#support/return-label-jobs.ts'

const layouts: readonly LabelLayout[] = ['4x6', 'a6', 'sheet', 'rotated']
const papers = [
  { paperMm: 104, dpi: 203, widthDots: 832 },
  { paperMm: 80, dpi: 203, widthDots: 576 },
  { paperMm: 104, dpi: 300, widthDots: 1228 },
  { paperMm: 80, dpi: 300, widthDots: 850 },
] as const
const ready = await canDecodeLabels()
if (!ready) console.warn('printed labels are not decoded: zbarimg (zbar-tools) is missing')

// Each sheet at 300 dpi takes a second, so by default each carrier is tested with only one layout at 300 dpi.
const everyCarrier = count(0, 1) === 1
const cases = papers.flatMap((paper) =>
  carriers.flatMap((carrier, at) =>
    layouts
      .filter((_, layoutAt) => paper.dpi === 203 || everyCarrier || layoutAt === at)
      .map((layout) => ({ ...paper, carrier, layout, name: carrier.name })),
  ),
)

describe.skipIf(!ready)('a label rasterised for a printer', () => {
  it.each(cases)(
    'has two codes that decode to its tracking code: $name $layout on $paperMm mm at $dpi dpi',
    async ({ carrier, layout, dpi, widthDots }) => {
      const drawn = await carrier.drawReturnLabel(returnLabelJob({ layout, serial: 4711, sandbox: true }))
      const [label, ...others] = await rasterise(drawn.pdf, { dpi, widthDots })
      if (!label) throw new Error('no label')
      expect(others).toEqual([])
      const codes = await readBitmap(label)
      expect(codes.map((code) => code.text)).toEqual([drawn.trackingCode, drawn.trackingCode])
      expect(new Set(codes.map((code) => code.symbology))).toEqual(new Set(['CODE-128', 'QR-Code']))
    },
  )
})

describe('the thread that rasterises labels', () => {
  const paper = { dpi: 203, widthDots: 832 }
  const text = (value: string): Uint8Array => new TextEncoder().encode(value)

  it('returns the same bitmaps as rasterise() in the calling thread, also for several calls at the same time', async () => {
    const pdfs = await Promise.all(layouts.map((layout) => drawLabel(labelSpec({ layout }))))
    const here = await Promise.all(pdfs.map((pdf) => rasterise(pdf, paper)))
    expect(await Promise.all(pdfs.map((pdf) => rasteriseInThread(pdf, paper)))).toEqual(here)
  })

  it('rejects a document with the error code of its fault, and continues with the next document', async () => {
    const good = await drawLabel(labelSpec())
    const [html, noise, label] = await Promise.allSettled([
      rasteriseInThread(text('<html>'), paper),
      rasteriseInThread(text('%PDF-1.7 noise'), paper),
      rasteriseInThread(good, paper),
    ])
    expect(html).toMatchObject({ reason: { failure: { code: 'document.not_a_pdf' } } })
    expect(noise).toMatchObject({
      reason: { failure: { code: 'document.unreadable', params: { cause: 'damaged' } } },
    })
    expect(label.status).toBe('fulfilled')
  })

  it('stops a document that takes too long, and rasterises the next document in a new thread', async () => {
    const pdf = await drawLabel(labelSpec())
    await expect(rasteriseInThread(pdf, paper, {}, { timeoutMs: 0 })).rejects.toMatchObject({
      failure: { code: 'document.unreadable', params: { cause: 'timeout' } },
    })
    expect(await rasteriseInThread(pdf, paper)).toHaveLength(1)
  })
})
