import bwipjs from 'bwip-js/node'
import { degrees, grayscale, PDFDocument, type PDFPage, StandardFonts, type Color } from 'pdf-lib'

export const ptPerMm = 72 / 25.4

/** The label of a fictional carrier. Lengths are in millimetres. */
export interface FaceDesign {
  readonly widthMm: number
  readonly heightMm: number
  /** The text of a linear code at the bottom, or null. */
  readonly code: string | null
  readonly symbology?: 'code128' | 'code39' | 'interleaved2of5' | 'ean13'
  readonly moduleMm?: number
  readonly barHeightMm?: number
  readonly isFramed?: boolean
  /** A matrix code in the upper right corner, with its module size. */
  readonly matrix?: { readonly kind: 'qrcode' | 'datamatrix' | 'azteccode'; readonly text: string }
  readonly matrixModuleMm?: number
  /** The text of a second linear code in the middle of the label. */
  readonly middleCode?: string
  readonly ink?: Color
}

interface Symbol {
  readonly sbs?: number[]
  readonly pixs?: number[]
  readonly pixx?: number
}

function symbolOf(bcid: string, text: string): Symbol {
  const made: unknown = bwipjs.raw({ bcid, text })[0]
  if (typeof made !== 'object' || made === null) throw new Error(`no ${bcid} of ${text}`)
  return made
}

/** Returns the filled boxes of a linear code, in millimetres from its lower left corner. */
export function linearBoxes(
  bcid: string,
  text: string,
  moduleMm: number,
): { xMm: number; widthMm: number }[] {
  const boxes: { xMm: number; widthMm: number }[] = []
  let at = 0
  for (const [index, run] of (symbolOf(bcid, text).sbs ?? []).entries()) {
    if (index % 2 === 0) boxes.push({ xMm: at * moduleMm, widthMm: run * moduleMm })
    at += run
  }
  return boxes
}

/** Returns the rows of dark modules of a matrix code, from the top. */
export function matrixRows(bcid: string, text: string): boolean[][] {
  const { pixs = [], pixx = 1 } = symbolOf(bcid, text)
  return Array.from({ length: pixs.length / pixx }, (_, row) =>
    pixs.slice(row * pixx, (row + 1) * pixx).map((pixel) => pixel === 1),
  )
}

/** Draws a label upright on a page with its lower left corner at this position in millimetres. */
export async function drawFace(page: PDFPage, face: FaceDesign, xMm = 0, yMm = 0): Promise<void> {
  const { widthMm, heightMm, isFramed = true, ink = grayscale(0) } = face
  const font = await page.doc.embedFont(StandardFonts.Helvetica)
  const box = (x: number, y: number, width: number, height: number): void => {
    page.drawRectangle({
      x: (xMm + x) * ptPerMm,
      y: (yMm + y) * ptPerMm,
      width: width * ptPerMm,
      height: height * ptPerMm,
      color: ink,
    })
  }
  const text = (value: string, x: number, y: number, size: number): void => {
    page.drawText(value, { x: (xMm + x) * ptPerMm, y: (yMm + y) * ptPerMm, size, font, color: ink })
  }
  if (isFramed) {
    const [inset, line] = [2, 0.5]
    box(inset, inset, widthMm - 2 * inset, line)
    box(inset, heightMm - inset - line, widthMm - 2 * inset, line)
    box(inset, inset, line, heightMm - 2 * inset)
    box(widthMm - inset - line, inset, line, heightMm - 2 * inset)
  }
  const size = Math.min(12, heightMm / 6)
  for (const [at, line] of ['RETURN', 'Lagerweg 8', '22525 HAMBURG'].entries())
    text(line, 6, heightMm - 10 - at * size * 0.45, size)
  const module = face.moduleMm ?? 0.375
  const barHeight = face.barHeightMm ?? Math.min(25, heightMm / 4)
  const bars = (code: string, y: number): void => {
    const boxes = linearBoxes(face.symbology ?? 'code128', code, module)
    const last = boxes.at(-1)
    const left = (widthMm - ((last?.xMm ?? 0) + (last?.widthMm ?? 0))) / 2
    for (const bar of boxes) box(left + bar.xMm, y, bar.widthMm, barHeight)
    text(code, left, y - 3, 7)
  }
  if (face.code !== null) bars(face.code, 9)
  if (face.middleCode !== undefined) bars(face.middleCode, 9 + 2 * barHeight)
  if (face.matrix) {
    const side = face.matrixModuleMm ?? 0.75
    const rows = matrixRows(face.matrix.kind, face.matrix.text)
    const left = widthMm - 6 - (rows[0]?.length ?? 0) * side
    for (const [y, row] of rows.entries())
      for (const [x, dark] of row.entries())
        if (dark) box(left + x * side, heightMm - 6 - (y + 1) * side, side, side)
  }
}

/** Creates a document with one page of this size in millimetres and without a creation date. */
export async function newPage(
  widthMm: number,
  heightMm: number,
): Promise<{ document: PDFDocument; page: PDFPage }> {
  const document = await PDFDocument.create({ updateMetadata: false })
  return { document, page: document.addPage([widthMm * ptPerMm, heightMm * ptPerMm]) }
}

/** Returns a label as a document with a page of its size. */
export async function labelPage(face: FaceDesign): Promise<PDFDocument> {
  const { document, page } = await newPage(face.widthMm, face.heightMm)
  await drawFace(page, face)
  return document
}

/**
 * Draws a label turned clockwise on a page as one picture, with the lower left corner of its box at this position in
 * millimetres.
 */
export async function drawTurned(
  page: PDFPage,
  face: FaceDesign,
  turn: 0 | 90 | 180 | 270,
  xMm: number,
  yMm: number,
): Promise<void> {
  const [embedded] = await page.doc.embedPdf(await (await labelPage(face)).save(), [0])
  if (!embedded) throw new Error('no page to embed')
  const [x, y] = [xMm * ptPerMm, yMm * ptPerMm]
  const { width, height } = embedded
  const corner = {
    0: { x, y },
    90: { x, y: y + width },
    180: { x: x + width, y: y + height },
    270: { x: x + height, y },
  }[turn]
  page.drawPage(embedded, { ...corner, rotate: degrees(-turn) })
}

/** Draws lines of small text on a part of a page, as they occur on instructions and packing slips. */
export async function drawLines(
  page: PDFPage,
  lines: number,
  xMm: number,
  topMm: number,
  text = 'Cut along the line, stick the label on the parcel, hand it in at any shop. Keep the receipt.',
): Promise<void> {
  const font = await page.doc.embedFont(StandardFonts.Helvetica)
  for (let line = 0; line < lines; line++)
    page.drawText(`${String(line + 1)}. ${text}`, {
      x: xMm * ptPerMm,
      y: (topMm - 4 * line) * ptPerMm,
      size: 9,
      font,
    })
}
