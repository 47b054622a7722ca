import fc from 'fast-check'
import { degrees, PDFDocument, PDFName, PDFNumber } from 'pdf-lib'
import { describe, expect, it } from 'vitest'
import { type Bitmap, inkBox, isBlack, type Turn } from '#labels/pixels/bitmap.ts'
import { drawLabel } from '#labels/draw/draw-label.ts'
import { findLinearSymbols } from '#labels/read/find-symbols.ts'
import { areAlike } from '#labels/place/faithful-pages.ts'
import { mergeDocuments } from '#labels/place/whole-pages.ts'
import { withDocument } from '#labels/pixels/pdfium.ts'
import { layOnMedia, placeOnMedia, rasterise } from '#labels/place/lay-labels.ts'
import { contentRows } from '#support/label-corpus/contents.ts'
import { labelPage, linearBoxes } from '#support/label-corpus/drawing.ts'
import { count, seed } from '#support/counts.ts'
import { inspectPdf } from '#support/inspect-pdf.ts'
import { labelSpec } from '#support/label-specs.ts'

const dpi = 203
const fourBySix = { widthMm: 101.6, heightMm: 152.4 }
const latin = (bytes: Uint8Array): string => Buffer.from(bytes).toString('latin1')

function inkOf(bitmap: Bitmap): number {
  let dots = 0
  for (let y = 0; y < bitmap.heightDots; y++)
    for (let x = 0; x < bitmap.widthDots; x++) if (isBlack(bitmap, x, y)) dots++
  return dots
}

const native = (pdf: Uint8Array): Promise<Bitmap[]> =>
  withDocument(pdf, async (document) => {
    const pages: Bitmap[] = []
    for (let page = 0; page < document.pageCount; page++) pages.push(await document.render(page, dpi))
    return pages
  })

/** Black boxes on a page with the offset, rotation and scale that PDF allows for pages. */
interface Odd {
  readonly rotate: number
  readonly left: number
  readonly bottom: number
  readonly unit: number
  readonly boxes: readonly (readonly [number, number, number, number])[]
}

const odd: fc.Arbitrary<Odd> = fc.record({
  rotate: fc.constantFrom(0, 90, 180, 270, -90),
  left: fc.integer({ min: -500, max: 500 }),
  bottom: fc.integer({ min: -500, max: 500 }),
  unit: fc.constantFrom(1, 1, 2, 0.5),
  boxes: fc.array(
    fc.tuple(
      fc.integer({ min: 0, max: 140 }),
      fc.integer({ min: 0, max: 240 }),
      fc.integer({ min: 5, max: 60 }),
      fc.integer({ min: 5, max: 60 }),
    ),
    { minLength: 1, maxLength: 8 },
  ),
})

async function drawn({ rotate, left, bottom, unit, boxes }: Odd): Promise<Uint8Array> {
  const document = await PDFDocument.create({ updateMetadata: false })
  const page = document.addPage()
  const to = (points: number): number => points / unit
  page.setMediaBox(left, bottom, to(200), to(300))
  page.setRotation(degrees(rotate))
  for (const [x, y, width, height] of boxes)
    page.drawRectangle({ x: left + to(x), y: bottom + to(y), width: to(width), height: to(height) })
  if (unit !== 1) page.node.set(PDFName.of('UserUnit'), PDFNumber.of(unit))
  return document.save()
}

describe('layLabelsOnMedia()', () => {
  describe('a label placed on media', () => {
    it('is a vector drawing whose ink is as wide and as high as that of the rendered label, to one dot, for any page', async () => {
      await fc.assert(
        fc.asyncProperty(odd, async (page) => {
          const pdf = await drawn(page)
          const placed = await placeOnMedia(pdf, fourBySix)
          expect(latin(placed)).not.toContain('/Label Do')
          const [shown] = await native(placed)
          const [expected] = await rasterise(pdf, { dpi, widthDots: 812 }, { crop: 'ink' })
          const [before, after] = [expected && inkBox(expected), shown && inkBox(shown)]
          if (!before || !after) throw new Error('no ink')
          for (const side of ['width', 'height'] as const)
            expect(Math.abs(after[side] - before[side])).toBeLessThanOrEqual(1)
        }),
        { seed, numRuns: count(25, 400) },
      )
    })

    it('has its own page of the size of the media', async () => {
      const document = await PDFDocument.load(await drawLabel(labelSpec()))
      const [copy] = await document.copyPages(document, [0])
      if (copy) document.addPage(copy)
      const { pages } = await inspectPdf(await placeOnMedia(await document.save(), fourBySix))
      expect(pages).toHaveLength(2)
      for (const page of pages) {
        expect(page.widthPt).toBeCloseTo(288, 3)
        expect(page.heightPt).toBeCloseTo(432, 3)
        expect(page.rotation).toBe(0)
      }
    })

    it('looks unchanged if its page fits the media', async () => {
      const pdf = await drawLabel(labelSpec({ layout: 'sheet' }))
      const [before] = await native(pdf)
      const [after] = await native(await placeOnMedia(pdf, { widthMm: 210, heightMm: 297 }))
      if (!before || !after) throw new Error('no page')
      expect(areAlike(before, after, dpi)).toBe(true)
    })

    it('is refused if it would become too small, and the error contains the needed size of the media', async () => {
      const pdf = await (await labelPage({ widthMm: 100, heightMm: 150, code: 'TB1', moduleMm: 0.25 })).save()
      await expect(placeOnMedia(pdf, { widthMm: 50, heightMm: 200 })).rejects.toMatchObject({
        failure: { code: 'printer.paper_too_narrow', params: { neededMm: 96, printableMm: 50 } },
      })
      await expect(placeOnMedia(pdf, { widthMm: 100, heightMm: 110 })).rejects.toMatchObject({
        failure: { code: 'printer.paper_too_narrow', params: { neededMm: 146, printableMm: 110 } },
      })
    })

    it('becomes a picture with equally readable barcodes if a vector drawing is not possible', async () => {
      // this document has a form field whose value each library draws differently, so its label is placed as a picture
      const pdf = await contentRows.find(({ name }) => name === 'form field without an appearance')?.make()
      if (!pdf) throw new Error('no such row')
      const placed = await placeOnMedia(pdf, fourBySix)
      expect(latin(placed)).toContain('/Label Do')
      const [[before], [after]] = [await rasterise(pdf, { dpi, widthDots: 812 }), await native(placed)]
      if (!before || !after) throw new Error('no label')
      expect(findLinearSymbols(after, dpi).map(({ modules }) => modules)).toEqual(
        findLinearSymbols(before, dpi).map(({ modules }) => modules),
      )
    })

    it('contains no scripts, form fields or attached files of the original PDF', async () => {
      const document = await labelPage({ widthMm: 100, heightMm: 150, code: 'TB123456785NL' })
      document.addJavaScript('start', 'app.alert(1)')
      await document.attach(new Uint8Array(100), 'calc.exe')
      document.getForm().createTextField('name').addToPage(document.getPage(0), { x: 10, y: 200 })
      document.encrypt({ ownerPassword: 'kept', permissions: {} })
      const text = latin(await placeOnMedia(await document.save(), fourBySix))
      expect(text).not.toMatch(/JavaScript|EmbeddedFile|AcroForm|\/Annots|\/Encrypt|calc/)
    })
  })

  describe('the rotation and the crop that the operator chose', () => {
    const paper = { dpi, widthDots: 812 }
    /**
     * Returns a landscape page with a long mark in the upper left corner and a short mark in the lower right corner.
     */
    async function marks(): Promise<Uint8Array> {
      const document = await PDFDocument.create()
      const page = document.addPage([200, 100])
      page.drawRectangle({ x: 20, y: 70, width: 40, height: 10 })
      page.drawRectangle({ x: 170, y: 10, width: 10, height: 10 })
      return document.save()
    }

    it.each([
      [0, 160, 70],
      [90, 70, 160],
      [180, 160, 70],
      [270, 70, 160],
    ] as const)('rotate the label by %i degrees and crop it to its ink', async (turn, widthPt, heightPt) => {
      const pdf = await marks()
      const [label] = await rasterise(pdf, paper, { turn, crop: 'ink' })
      const ink = label && inkBox(label)
      if (!ink) throw new Error('no ink')
      expect(ink.width).toBeCloseTo((widthPt * dpi) / 72, -1)
      expect(ink.height).toBeCloseTo((heightPt * dpi) / 72, -1)
      // whether the longer of the two black rectangles on the page covers this point; x and y are eighths of the width
      // and height of the box of all ink, from its upper left corner
      const isUpper = (x: number, y: number): boolean =>
        isBlack(label, ink.x + Math.round((x * ink.width) / 8), ink.y + Math.round((y * ink.height) / 8))
      const corners = { 0: [1, 0.2], 90: [7.8, 1], 180: [7, 7.8], 270: [0.2, 7] } as const
      const [x, y] = corners[turn]
      expect(isUpper(x, y)).toBe(true)
      const [placed] = await native(await placeOnMedia(pdf, fourBySix, { turn, crop: 'ink' }))
      const after = placed && inkBox(placed)
      expect(after).toMatchObject({ width: ink.width, height: ink.height })
    })

    it('keep the whole page if the crop is `page`, and the ink with 2 mm of white above and below if the crop is `ink`', async () => {
      const pdf = await marks()
      const [page] = await rasterise(pdf, paper, { crop: 'page' })
      expect(page?.heightDots).toBe(Math.ceil((100 * dpi) / 72))
      const [ink] = await rasterise(pdf, paper, { crop: 'ink' })
      // the bitmap has 2 mm of white above and below the ink
      expect(Math.abs((ink?.heightDots ?? 0) - (70 * dpi) / 72 - 2 * 16)).toBeLessThan(2)
      const [turned] = await rasterise(pdf, paper, { crop: 'page', turn: 90 })
      expect(turned?.heightDots).toBe(Math.ceil((200 * dpi) / 72))
    })

    it('are refused if the label does not fit the paper in the chosen rotation', async () => {
      const pdf = await marks()
      await expect(rasterise(pdf, { dpi, widthDots: 300 }, { turn: 0 })).rejects.toMatchObject({
        failure: { code: 'printer.paper_too_narrow' },
      })
      expect(await rasterise(pdf, { dpi, widthDots: 300 })).toHaveLength(1)
    })
  })

  describe('the document that joins several labels', () => {
    it('contains all pages unchanged and in the given order', async () => {
      const layouts = ['4x6', 'sheet', 'rotated', 'a6'] as const
      const pdfs = await Promise.all(
        layouts.map((layout, at) => drawLabel(labelSpec({ layout, trackingCode: `TB${String(at)}` }))),
      )
      const locked = await labelPage({ widthMm: 62, heightMm: 100, code: 'LOCKED' })
      locked.encrypt({ ownerPassword: 'kept', permissions: {} })
      pdfs.push(await locked.save())
      const before = (await Promise.all(pdfs.map(native))).flat()
      const merged = await native(await mergeDocuments(pdfs))
      expect(merged).toHaveLength(before.length)
      for (const [at, page] of merged.entries()) {
        const source = before[at]
        expect(source && areAlike(source, page, dpi)).toBe(true)
      }
    })

    it('is not made if one of the given files is not a PDF', async () => {
      const good = await drawLabel(labelSpec())
      await expect(mergeDocuments([good, new TextEncoder().encode('<html>')])).rejects.toMatchObject({
        failure: { code: 'document.not_a_pdf' },
      })
    })
  })

  describe('a placed label', () => {
    it('has all its ink in every rotation at the original size', async () => {
      const options = fc.record({
        turn: fc.constantFrom<Turn | 'auto'>('auto', 0, 90, 180, 270),
        crop: fc.constantFrom<'auto' | 'page' | 'ink'>('auto', 'page', 'ink'),
      })
      await fc.assert(
        fc.asyncProperty(odd, options, async (page, wish) => {
          const pdf = await drawn(page)
          const [before] = await native(pdf)
          const [label] = await rasterise(pdf, { dpi, widthDots: 850 }, wish)
          if (!before || !label) throw new Error('no label')
          expect(inkOf(label)).toBe(inkOf(before))
        }),
        { seed, numRuns: count(40, 600) },
      )
    })

    it('has barcodes with modules of at least 0.23 mm (203 dpi) or 0.19 mm (300 dpi), unless those of the original label are narrower', async () => {
      const module = fc.integer({ min: 20, max: 60 }).map((hundredths) => hundredths / 100)
      const paper = fc.constantFrom(
        ...[203, 300].flatMap((one) => [52, 62, 72, 80, 104].map((mm) => ({ dpi: one, mm }))),
      )
      await fc.assert(
        fc.asyncProperty(module, fc.integer({ min: 60, max: 110 }), paper, async (moduleMm, widthMm, on) => {
          const pdf = await (await labelPage({ widthMm, heightMm: 150, code: 'TB1234', moduleMm })).save()
          const room = { dpi: on.dpi, widthDots: Math.round((on.mm * on.dpi) / 25.4) }
          const labels = await rasterise(pdf, room).catch(() => [])
          const least = Math.min(moduleMm, on.dpi < 250 ? 0.23 : 0.19)
          const last = linearBoxes('code128', 'TB1234', 1).at(-1)
          const modules = (last?.xMm ?? 0) + (last?.widthMm ?? 0)
          for (const label of labels) {
            const lengths = findLinearSymbols(label, on.dpi).map(({ box }) => Math.max(box.width, box.height))
            const symbolMm = (Math.max(...lengths) * 25.4) / on.dpi
            expect(symbolMm / modules).toBeGreaterThan(least - 0.005)
          }
        }),
        { seed, numRuns: count(25, 400) },
      )
    })
  })

  it('layLabelsOnMedia() returns how it placed the label of each page', async () => {
    const document = await PDFDocument.create()
    document.addPage([288, 432]).drawRectangle({ x: 20, y: 20, width: 100, height: 200 })
    document.addPage([432, 288]).drawRectangle({ x: 20, y: 20, width: 380, height: 200 })
    const { pdf, laid } = await layOnMedia(await document.save(), fourBySix, {})
    expect(laid).toEqual([
      { turn: 0, part: 'page' },
      { turn: 90, part: 'ink' },
    ])
    expect(await native(pdf)).toHaveLength(2)
  })
})
