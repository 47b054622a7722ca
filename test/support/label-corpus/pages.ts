import { degrees, PDFDocument } from 'pdf-lib'
import { drawLabel } from '#labels/draw/draw-label.ts'
import { drawFace, drawLines, drawTurned, type FaceDesign, labelPage, newPage, ptPerMm } from './drawing.ts'
import type { CorpusRow } from './row.ts'
import { labelSpec } from '../label-specs.ts'

export const code = 'TB123456785NL'
export const other = 'TB987654321NL'
const narrow = { code: 'printer.paper_too_narrow' } as const

/** A label of 100 by 150 mm with modules of 0.375 mm. */
export const face = (changes: Partial<FaceDesign> = {}): FaceDesign => ({
  widthMm: 100,
  heightMm: 150,
  code,
  ...changes,
})

/** Returns a document with one label, as bytes. */
export const saved = async (changes: Partial<FaceDesign> = {}): Promise<Uint8Array> =>
  (await labelPage(face(changes))).save()

const own =
  (layout: '4x6' | 'a6' | 'sheet' | 'rotated'): (() => Promise<Uint8Array>) =>
  () =>
    drawLabel(labelSpec({ layout, trackingCode: code }))

/** Returns a page on which the label is turned by `lies` degrees, with this /Rotate entry. */
async function turnedPage(rotate: number, lies: 0 | 90 | 180 | 270): Promise<Uint8Array> {
  const upright = lies === 0 || lies === 180
  const { document, page } = await newPage(upright ? 100 : 150, upright ? 150 : 100)
  await drawTurned(page, face(), lies, 0, 0)
  page.setRotation(degrees(rotate))
  return document.save()
}

type Draw = (document: PDFDocument) => Promise<void>

/** Returns a document with several pages of labels and other content. */
async function pages(...draws: readonly Draw[]): Promise<Uint8Array> {
  const document = await PDFDocument.create({ updateMetadata: false })
  for (const draw of draws) await draw(document)
  return document.save()
}

const labelOn =
  (text: string): Draw =>
  async (document) =>
    drawFace(document.addPage([100 * ptPerMm, 150 * ptPerMm]), face({ code: text }))
const blank: Draw = (document) =>
  Promise.resolve(document.addPage([100 * ptPerMm, 150 * ptPerMm])).then(() => undefined)
/** Adds a packing slip: lines of text from edge to edge, with or without the barcode of the order above them. */
const slip =
  (order: string | null): Draw =>
  async (document) => {
    const page = document.addPage([210 * ptPerMm, 297 * ptPerMm])
    await drawLines(
      page,
      60,
      15,
      262,
      '2x  Shirt, organic cotton, blue, XL      4012345678901   shelf A-03-02, lot 2026-117, EUR 39.95, tax 21 %',
    )
    if (order !== null)
      await drawFace(
        page,
        face({ widthMm: 90, heightMm: 40, code: order, isFramed: false, barHeightMm: 12 }),
        110,
        252,
      )
  }

/** Rows of the corpus: documents of one or several pages, with at most one label on each page. */
export const pageRows: readonly CorpusRow[] = [
  {
    name: '4x6 inch',
    how: 'our own layout',
    make: own('4x6'),
    prints: [[code]],
    on: { '58 mm, 203 dpi': narrow },
  },
  {
    name: 'A6',
    how: 'our own layout',
    make: own('a6'),
    prints: [[code]],
    on: { '58 mm, 203 dpi': narrow },
  },
  {
    name: '4x6 inch by /Rotate',
    how: 'our own layout on its side',
    make: own('rotated'),
    prints: [[code]],
  },
  {
    name: 'sheet with cut line',
    how: 'our own layout, label turned in the upper half',
    make: own('sheet'),
    prints: [[code]],
  },
  {
    name: '100x150 mm',
    how: 'frame 2 mm inside the page',
    make: () => saved(),
    prints: [[code]],
    on: { '58 mm, 203 dpi': narrow },
  },
  {
    name: '100x200 mm',
    how: 'longer than 6 inch',
    make: () => saved({ heightMm: 200 }),
    prints: [[code]],
  },
  {
    name: '62x100 mm',
    how: 'continuous roll',
    make: () => saved({ widthMm: 62, heightMm: 100, moduleMm: 0.25 }),
    prints: [[code]],
  },
  {
    name: '46x60 mm',
    how: 'fits a receipt printer',
    make: () => saved({ widthMm: 46, heightMm: 60, code: '12345678', moduleMm: 0.375 }),
    prints: [['12345678']],
    on: { '58 mm, 203 dpi': [['12345678']] },
  },
  {
    name: 'A5 landscape',
    how: 'label of 206x144 mm, to be made smaller',
    make: () => saved({ widthMm: 210, heightMm: 148, moduleMm: 0.5 }),
    prints: [[code]],
    on: { '80 mm, 203 dpi': narrow, '80 mm, 300 dpi': narrow },
  },
  { name: 'page /Rotate 90', how: 'drawn upright', make: () => turnedPage(90, 0), prints: [[code]] },
  { name: 'page /Rotate 180', how: 'drawn upright', make: () => turnedPage(180, 0), prints: [[code]] },
  {
    name: 'page /Rotate 270',
    how: 'drawn on its side, so upright in a viewer',
    make: () => turnedPage(270, 90),
    prints: [[code]],
  },
  { name: 'page /Rotate -90', how: 'a negative turn', make: () => turnedPage(-90, 270), prints: [[code]] },
  { name: 'landscape page', how: 'label drawn on its side', make: () => turnedPage(0, 90), prints: [[code]] },
  {
    name: 'two labels, two pages',
    how: 'a batch of the carrier',
    make: () => pages(labelOn(code), labelOn(other)),
    prints: [[code], [other]],
  },
  {
    name: 'label, then a blank page',
    how: 'a duplex habit',
    make: () => pages(labelOn(code), blank),
    prints: [[code]],
  },
  {
    name: 'label, then instructions',
    how: 'A4 page of text, no barcode',
    make: () => pages(labelOn(code), slip(null)),
    prints: [[code]],
  },
  {
    name: 'packing slip with barcode, then label',
    how: 'A4 page that does not fit: never left out unasked',
    make: () => pages(slip('ORD-2026-1'), labelOn(code)),
    prints: narrow,
  },
  {
    name: 'packing slip alone',
    how: 'A4 page of text with the order’s barcode',
    make: () => pages(slip('ORD-2026-1')),
    prints: narrow,
  },
  {
    name: 'blank page',
    how: 'nothing on it',
    make: () => pages(blank),
    prints: { code: 'document.unreadable', cause: 'blank' },
  },
]
