import { degrees, grayscale, type PDFPage } from 'pdf-lib'
import { drawFace, drawLines, drawTurned, type FaceDesign, newPage, ptPerMm } from './drawing.ts'
import { code, face, other } from './pages.ts'
import type { CorpusRow } from './row.ts'

const narrow = { code: 'printer.paper_too_narrow' } as const

/** Returns an A4 sheet as the bytes of a PDF. */
async function sheet(
  draw: (page: PDFPage) => Promise<void>,
  rotate = 0,
  widthMm = 210,
  heightMm = 297,
): Promise<Uint8Array> {
  const { document, page } = await newPage(widthMm, heightMm)
  await draw(page)
  page.setRotation(degrees(rotate))
  return document.save()
}

/**
 * Returns a function that draws an A4 sheet: a label whose lower left corner is at this point, and instructions below
 * the label if `yMm` is more than 60.
 */
const placed =
  (turn: 0 | 90 | 180 | 270, xMm: number, yMm: number, rotate = 0, changes: Partial<FaceDesign> = {}) =>
  (): Promise<Uint8Array> =>
    sheet(async (page) => {
      await drawTurned(page, face(changes), turn, xMm, yMm)
      if (yMm > 60) await drawLines(page, 6, 20, 45)
    }, rotate)

/** Returns a sheet with numbered labels in rows and columns. The numbers are in reading order. */
const grid =
  (columns: number, rows: number, design: Partial<FaceDesign>, gapMm: number, marginMm: number) =>
  (): Promise<Uint8Array> =>
    sheet(async (page) => {
      const { widthMm, heightMm } = face(design)
      for (let at = 0; at < columns * rows; at++) {
        const x = marginMm + (at % columns) * (widthMm + gapMm)
        const top = 297 - marginMm - Math.floor(at / columns) * (heightMm + gapMm)
        await drawFace(page, face({ ...design, code: `L${String(at + 1)}-4711` }), x, top - heightMm)
      }
    })

const numbered = (count: number): string[][] =>
  Array.from({ length: count }, (_, at) => [`L${String(at + 1)}-4711`])

function cutLine(page: PDFPage, yMm: number): void {
  page.drawLine({
    start: { x: 0, y: yMm * ptPerMm },
    end: { x: 210 * ptPerMm, y: yMm * ptPerMm },
    thickness: 0.8,
    dashArray: [5, 4],
    color: grayscale(0.25),
  })
}

/** Test documents of electron/labels/CORPUS.md: sheets with a label and other content, sheets with several labels. */
export const sheetRows: readonly CorpusRow[] = [
  {
    name: 'A4, upper half, label turned',
    how: 'instructions below',
    make: placed(90, 30, 170),
    prints: [[code]],
  },
  {
    name: 'A4, upper half, turned the other way',
    how: 'instructions below',
    make: placed(270, 30, 170),
    prints: [[code]],
  },
  {
    name: 'A4, first quarter',
    how: 'upright, instructions below',
    make: placed(0, 2, 145),
    prints: [[code]],
  },
  { name: 'A4, last quarter', how: 'upright, nothing else', make: placed(0, 108, 2), prints: [[code]] },
  {
    name: 'A4, label upside down',
    how: 'drawn at 180 degrees',
    make: placed(180, 60, 130),
    prints: [[code]],
  },
  {
    name: 'A4 by /Rotate 90',
    how: 'label upright on the page',
    make: placed(0, 50, 130, 90),
    prints: [[code]],
  },
  {
    name: 'A4 by /Rotate 180',
    how: 'label upright on the page',
    make: placed(0, 50, 130, 180),
    prints: [[code]],
  },
  {
    name: 'A4 by /Rotate 270, label turned too',
    how: 'both turns at once',
    make: placed(90, 30, 170, 270),
    prints: [[code]],
  },
  {
    name: 'Letter, upper half',
    how: 'instructions right below the fold',
    make: () =>
      sheet(
        async (page) => {
          await drawTurned(page, face(), 90, 33, 160)
          await drawLines(page, 8, 20, 130)
        },
        0,
        215.9,
        279.4,
      ),
    prints: [[code]],
  },
  {
    name: 'A4, instructions 6 mm below the label',
    how: 'wider than the label, and close to it',
    make: () =>
      sheet(async (page) => {
        await drawTurned(page, face(), 90, 30, 170)
        await drawLines(
          page,
          8,
          10,
          164,
          'Cut along the line, stick the label on the parcel, hand it in at any shop near you. Keep the receipt: it is your proof of posting.',
        )
      }),
    prints: [[code]],
  },
  {
    name: 'A4, letterhead above the label',
    how: 'black band 5 mm above, from edge to edge',
    make: () =>
      sheet(async (page) => {
        page.drawRectangle({ x: 0, y: 280 * ptPerMm, width: 210 * ptPerMm, height: 17 * ptPerMm })
        await drawTurned(page, face(), 90, 30, 177)
      }),
    prints: [[code]],
  },
  {
    name: 'A4, label without a frame',
    how: '15 mm of white between address and barcode',
    make: () =>
      sheet(async (page) => {
        await drawFace(page, face({ heightMm: 58, isFramed: false }), 20, 200)
        await drawLines(page, 6, 10, 150)
      }),
    prints: [[code]],
  },
  {
    name: 'A4, two barcodes of one label far apart',
    how: 'no frame, 17 mm of white between them: one label',
    make: () =>
      sheet(async (page) => {
        await drawFace(
          page,
          face({ isFramed: false, heightMm: 96, barHeightMm: 20, middleCode: other }),
          20,
          150,
        )
        await drawLines(page, 4, 10, 100)
      }),
    prints: [[code, other]],
  },
  {
    name: 'A4, label with a QR code alone',
    how: 'no linear barcode to find',
    make: placed(90, 30, 170, 0, { code: null, matrix: { kind: 'qrcode', text: code } }),
    prints: [[code]],
    on: { '80 mm, 203 dpi': narrow, '80 mm, 300 dpi': narrow },
  },
  {
    name: 'A4, two labels one above the other',
    how: '10 mm apart',
    make: grid(1, 2, { widthMm: 98, heightMm: 130 }, 10, 10),
    prints: numbered(2),
  },
  {
    name: 'A4, two labels side by side',
    how: '6 mm from frame to frame',
    make: grid(2, 1, {}, 2, 4),
    prints: numbered(2),
  },
  {
    name: 'A4, four labels',
    how: 'A6 without margins, 4 mm from frame to frame',
    make: grid(2, 2, { widthMm: 105, heightMm: 148.5 }, 0, 0),
    prints: numbered(4),
  },
  {
    name: 'A4, eight labels',
    how: '99x68 mm, 2 mm between columns, none between rows',
    make: grid(2, 4, { widthMm: 99, heightMm: 68 }, 2, 5),
    prints: numbered(8),
  },
  {
    name: 'A4, two labels with a cut line',
    how: 'halves of the sheet, the line 5 mm from either frame',
    make: () =>
      sheet(async (page) => {
        await drawTurned(page, face(), 90, 30, 151.5)
        cutLine(page, 148.5)
        await drawTurned(page, face({ code: other }), 90, 30, 45.5)
      }),
    prints: [[code], [other]],
  },
  {
    name: 'A4, two labels of two sizes',
    how: 'parcel label and a smaller customs label',
    make: () =>
      sheet(async (page) => {
        await drawFace(page, face(), 5, 140)
        await drawFace(page, face({ widthMm: 80, heightMm: 60, code: other, moduleMm: 0.3 }), 120, 225)
      }),
    prints: [[code], [other]],
  },
  {
    name: 'A4 landscape, two labels',
    how: 'side by side, each on half of the sheet',
    make: () =>
      sheet(
        async (page) => {
          await drawFace(page, face({ heightMm: 180 }), 20, 15)
          await drawFace(page, face({ heightMm: 180, code: other }), 170, 15)
        },
        0,
        297,
        210,
      ),
    prints: [[code], [other]],
  },
]
