import { degrees, PDFDocument, rgb } from 'pdf-lib'
import { describe, expect, it } from 'vitest'
import {
  type Bitmap,
  blankBitmap,
  crop,
  type DotBox,
  isBlack,
  overlaid,
  overlap,
} from '#labels/pixels/bitmap.ts'
import { markLabel, markPdf } from '#labels/mark/copy-mark.ts'
import { drawLabel } from '#labels/draw/draw-label.ts'
import { withDocument } from '#labels/pixels/pdfium.ts'
import { markPdfInThread, readLabelsInThread } from '#labels/raster-in-thread.ts'
import { type LabelReading, readLabel } from '#labels/read/read-label.ts'
import { carriers } from '#middleware/warehouse/carriers/carriers.ts'
import type { LabelLayout } from '#middleware/warehouse/world.ts'
import { sheetRows } from '#support/label-corpus/sheets.ts'
import { count } from '#support/counts.ts'
import { drawSymbol, paint, symbolAlone } from '#support/drawn-symbols.ts'
import { labelSpec, longestAddress } from '#support/label-specs.ts'
import { returnLabelJob } from '#support/return-label-jobs.ts'

const mark = { word: 'KOPIE', line: '2026-11-21 18:04, papier op tijdens het printen' }
const layouts: readonly LabelLayout[] = ['4x6', 'a6', 'sheet', 'rotated']
const papers = [
  { dpi: 203, widthDots: 832 },
  { dpi: 300, widthDots: 1228 },
]
const cases = papers.flatMap((paper) =>
  carriers.flatMap((carrier, at) =>
    layouts.map((layout, layoutAt) => ({
      ...paper,
      carrier,
      layout,
      name: carrier.name,
      // It takes a second to mark a PDF as a copy, so by default only one layout of each carrier is tested as a PDF, at
      // 203 dpi.
      isPdfMarked: count(0, 1) === 1 || (paper.dpi === 203 && layoutAt === at),
    })),
  ),
)

/**
 * Returns the number of dots that differ between two bitmaps, how many of them are black in the second bitmap, and the
 * smallest box that contains the different dots.
 */
function difference(before: Bitmap, after: Bitmap): { dots: number; blackened: number; box: DotBox } {
  expect(after).toMatchObject({ widthDots: before.widthDots, heightDots: before.heightDots })
  let [dots, blackened, left, top, right, bottom] = [0, 0, Infinity, Infinity, -1, -1]
  for (let y = 0; y < before.heightDots; y++) {
    for (let x = 0; x < before.widthDots; x++) {
      if (isBlack(before, x, y) === isBlack(after, x, y)) continue
      dots++
      if (isBlack(after, x, y)) blackened++
      ;[left, top] = [Math.min(left, x), Math.min(top, y)]
      ;[right, bottom] = [Math.max(right, x), Math.max(bottom, y)]
    }
  }
  return { dots, blackened, box: { x: left, y: top, width: right - left + 1, height: bottom - top + 1 } }
}

function inkOf(bitmap: Bitmap | undefined): number {
  return (bitmap?.bytes ?? new Uint8Array()).reduce(
    (sum, byte) => sum + byte.toString(2).replaceAll('0', '').length,
    0,
  )
}

function areSame(one: Bitmap, other: Bitmap): boolean {
  return Buffer.from(one.bytes).equals(other.bytes)
}

function says(label: LabelReading | undefined): string[] {
  return (label?.symbols ?? []).map(({ symbology, text }) => `${symbology} ${text}`).sort()
}

/** Expects that the mark of a copy covers no ink of the label and no quiet zone of a barcode. */
function expectClear(before: LabelReading, after: LabelReading | undefined, dpi: number): void {
  if (!after) throw new Error('no label')
  const { dots, blackened, box } = difference(before.bitmap, after.bitmap)
  expect(blackened).toBe(dots)
  // The mark of a copy must be higher than 11 points and, because it contains a word, longer than 30 points.
  expect(Math.min(box.width, box.height)).toBeGreaterThan((11 / 72) * dpi)
  expect(Math.max(box.width, box.height)).toBeGreaterThan((30 / 72) * dpi)
  for (const { quietBox } of before.symbols) expect(overlap(box, quietBox)).toBe(false)
}

async function page(pdf: Uint8Array, at = 0): Promise<LabelReading> {
  return readLabel(await withDocument(pdf, (document) => document.render(at, 203)), 203)
}

describe('a copy of a label', () => {
  it.each(cases)(
    'has its mark on white space, and its codes still decode: $name $layout at $dpi dpi',
    async ({ carrier, layout, dpi, widthDots, isPdfMarked }) => {
      const { pdf, trackingCode } = await carrier.drawReturnLabel(returnLabelJob({ layout, serial: 4711 }))
      const paper = { dpi, widthDots }
      const [before] = await readLabelsInThread(pdf, paper)
      const [after, ...others] = await readLabelsInThread(pdf, paper, { copyMark: mark })
      if (!before) throw new Error('no label')
      expect(others).toEqual([])
      expect(says(before)).toEqual([`Code128 ${trackingCode}`, `QRCode ${trackingCode}`])
      expect(says(after)).toEqual(says(before))
      expectClear(before, after, dpi)
      if (!isPdfMarked) return
      const copy = await markPdfInThread(pdf, mark)
      expectClear(await page(pdf), await page(copy), 203)
      // The mark of the copy must be inside the part of the page that the desk cuts out as the label.
      const [cut] = await readLabelsInThread(copy, paper)
      expect(says(cut)).toEqual(says(before))
      expect(difference(before.bitmap, cut?.bitmap ?? before.bitmap).dots).toBeGreaterThan(500)
    },
  )

  const sheets = sheetRows.filter(({ prints }) => Array.isArray(prints) && prints.length > 1)
  it.each(sheets)(
    'has a mark on each label of its sheet, outside every quiet zone: $name',
    async ({ make }) => {
      const pdf = await make()
      const paper = { dpi: 203, widthDots: 832 }
      const copy = await markPdfInThread(pdf, mark)
      const [whole, after] = [await page(pdf), await page(copy)]
      expect(says(after)).toEqual(says(whole))
      for (const { quietBox } of whole.symbols)
        expect(areSame(crop(whole.bitmap, quietBox), crop(after.bitmap, quietBox))).toBe(true)
      const before = await readLabelsInThread(pdf, paper)
      const cut = await readLabelsInThread(copy, paper)
      expect(before.length).toBeGreaterThan(1)
      expect(cut.map((label) => says(label))).toEqual(before.map((label) => says(label)))
      for (const [at, label] of before.entries())
        expect(inkOf(cut[at]?.bitmap) - inkOf(label.bitmap)).toBeGreaterThan(200)
    },
  )

  it('is marked although the longest addresses leave little white space', async () => {
    const spec = labelSpec({ sender: longestAddress, recipient: longestAddress, sample: true })
    const pdf = await drawLabel(spec)
    const before = await page(pdf)
    expect(says(await markLabel(before, 203, mark))).toEqual(says(before))
    expect(says(await page(await markPdf(pdf, mark)))).toEqual(says(before))
  })

  it.each([203, 300])(
    'has its mark in a band at the edge, outside the barcodes, even if the label is black around its barcodes: %i dpi',
    async (dpi) => {
      const ink = blankBitmap(4 * dpi, 6 * dpi)
      paint(ink, { x: 0, y: 0, width: 4 * dpi, height: 6 * dpi }, true)
      const moduleDots = dpi === 203 ? 3 : 5
      const linear = symbolAlone({ bcid: 'code128', text: 'TB123456785NL', moduleDots, barDots: dpi }, 0, 12)
      const matrix = symbolAlone({ bcid: 'qrcode', text: 'TB123456785NL', moduleDots: 2 * moduleDots }, 0, 5)
      const bitmap = overlaid(overlaid(ink, linear, { x: dpi / 2, y: 4 * dpi }), matrix, { x: dpi, y: dpi })
      const before = await readLabel(bitmap, dpi)
      expect(says(before)).toEqual(['Code128 TB123456785NL', 'QRCode TB123456785NL'])
      const after = await markLabel(before, dpi, mark)
      expect(says(after)).toEqual(says(before))
      const { box } = difference(before.bitmap, after.bitmap)
      for (const { quietBox } of before.symbols) expect(overlap(box, quietBox)).toBe(false)
      const { x, y, width, height } = box
      expect(Math.min(x, y, 4 * dpi - x - width, 6 * dpi - y - height)).toBeLessThan(dpi / 4)
    },
  )

  it('has its mark outside a barcode that cannot be decoded', async () => {
    const bitmap = blankBitmap(832, 400)
    // The end of the barcode is missing, because the edge of the label cuts it off.
    drawSymbol(
      bitmap,
      { x: 500, y: 100 },
      { bcid: 'code128', text: 'TB123456785NL', moduleDots: 3, barDots: 200 },
    )
    const before = await readLabel(bitmap, 203)
    expect(before).toMatchObject({ symbols: [], hasUnreadBars: true })
    const { box } = difference(bitmap, (await markLabel(before, 203, mark)).bitmap)
    expect(overlap(box, { x: 470, y: 70, width: 362, height: 260 })).toBe(false)
  })

  it('is not made if the barcodes of the label leave no space for the mark', async () => {
    const bitmap = blankBitmap(528, 60)
    drawSymbol(
      bitmap,
      { x: 30, y: 0 },
      { bcid: 'code128', text: 'TB123456785NL', moduleDots: 3, barDots: 60 },
    )
    await expect(markLabel(await readLabel(bitmap, 203), 203, mark)).rejects.toMatchObject({
      failure: { code: 'document.unreadable', params: { cause: 'copy_mark' } },
    })
  })
})

describe('a copy of a PDF', () => {
  it.each([0, 90, 180, 270])(
    'has the mark upright on a page that is cropped and turned by %i°',
    async (angle) => {
      const document = await PDFDocument.load(await drawLabel(labelSpec()))
      const label = document.getPage(0)
      label.setMediaBox(-50, -30, 400, 500)
      label.setCropBox(0, 0, 288, 432)
      label.setRotation(degrees(angle))
      const pdf = await document.save()
      const before = await page(pdf)
      const after = await page(await markPdf(pdf, mark))
      expectClear(before, after, 203)
      expect(says(after)).toEqual(says(before))
    },
  )

  it('has the mark on every page that is not blank, and keeps the form fields and their values', async () => {
    const document = await PDFDocument.load(await drawLabel(labelSpec()))
    document.addPage([288, 432])
    const third = document.addPage([288, 432])
    third.drawRectangle({ x: 20, y: 20, width: 248, height: 200, color: rgb(0, 0, 0) })
    const field = document.getForm().createTextField('remark')
    field.setText('Fragile')
    field.addToPage(document.getPage(0), { x: 30, y: 240, width: 80, height: 20 })
    const pdf = await document.save()
    const copy = await markPdf(pdf, mark)
    expectClear(await page(pdf, 0), await page(copy, 0), 203)
    expect(difference((await page(pdf, 1)).bitmap, (await page(copy, 1)).bitmap).dots).toBe(0)
    expectClear(await page(pdf, 2), await page(copy, 2), 203)
    const form = (await PDFDocument.load(copy)).getForm()
    expect(form.getTextField('remark').getText()).toBe('Fragile')
  })

  it('is refused with `document.not_a_pdf` if the file is not a PDF, and with `document.unreadable` if it needs a password', async () => {
    const text = new TextEncoder().encode('<html>')
    await expect(markPdfInThread(text, mark)).rejects.toMatchObject({
      failure: { code: 'document.not_a_pdf' },
    })
    const document = await PDFDocument.load(await drawLabel(labelSpec()))
    document.encrypt({ userPassword: 'secret', ownerPassword: 'secret', permissions: {} })
    await expect(markPdfInThread(await document.save(), mark)).rejects.toMatchObject({
      failure: { code: 'document.unreadable', params: { cause: 'password' } },
    })
  })

  it('can be made even if the PDF is encrypted, provided that it can be read without a password', async () => {
    const document = await PDFDocument.load(await drawLabel(labelSpec()))
    document.encrypt({ userPassword: '', ownerPassword: 'secret', permissions: { modifying: false } })
    const pdf = await document.save()
    expectClear(await page(pdf), await page(await markPdf(pdf, mark)), 203)
  })
})
