import { PDFDocument } from 'pdf-lib'
import { CataloguedError } from '#shared/errors/result.ts'
import {
  planPages,
  type PlacedCell,
  type SheetFormat,
  type SheetKind,
  type SheetRoom,
} from '#shared/domain/sheet-layout.ts'
import { type Canvas, drawText, embedFonts, fillBox, measureWith } from '../draw/canvas.ts'
import { clip } from '../draw/fit-text.ts'
import type { BoxPt } from '../draw/page-geometry.ts'
import { type CellDrawing, cellDrawings, NoRoom, type SheetEntry } from './sheet-cells.ts'

export interface SheetSpec {
  readonly kind: SheetKind
  readonly format: SheetFormat
  readonly room: SheetRoom
  /** Of the printer; bars are whole dots. */
  readonly dpi: number
  /** Over each page of a kind that has a head. */
  readonly title: string
  readonly lead: string
  readonly groups: readonly { readonly heading: string; readonly entries: readonly SheetEntry[] }[]
  /** Stamped into the file: the same spec makes the same bytes. */
  readonly date: Date
}

const ptPerMm = 72 / 25.4

/**
 * A sheet of barcodes as PDF: the commands, location labels, badges. Throws CataloguedError `printer.sheet_too_large`
 * {side, neededMm, printableMm} where a barcode has no room in the width or the height of the paper.
 */
export async function drawBarcodeSheet(spec: SheetSpec): Promise<Uint8Array> {
  const { date } = spec
  const document = await PDFDocument.create({ updateMetadata: false })
  document.setTitle(spec.title)
  document.setProducer('Scandesk')
  document.setCreationDate(date)
  document.setModificationDate(date)
  const fonts = await embedFonts(document)
  const { plan, pages } = planPages(spec)
  for (const [number, { widthMm, heightMm, cells }] of pages.entries()) {
    const page = document.addPage([widthMm * ptPerMm, heightMm * ptPerMm])
    const canvas = { page, fonts, heightPt: heightMm * ptPerMm }
    const counted = pages.length > 1 ? `${String(number + 1)} / ${String(pages.length)}` : ''
    if (plan.headMm > 0) drawHead(canvas, spec, plan.marginMm, counted)
    for (const cell of cells) drawCell(canvas, spec, cell, heightMm)
  }
  return document.save()
}

function drawHead(canvas: Canvas, { title, lead, room }: SheetSpec, marginMm: number, counted: string): void {
  const measure = measureWith(canvas.fonts)
  const leftPt = marginMm * ptPerMm
  const rightPt = (room.widthMm - marginMm) * ptPerMm
  const widthPt = rightPt - leftPt
  drawText(canvas, clip(title, widthPt - 60, 22, true, measure), leftPt, leftPt + 20, {
    sizePt: 22,
    bold: true,
  })
  drawText(canvas, counted, rightPt, leftPt + 20, { sizePt: 10, align: 'right', gray: 0.3 })
  drawText(canvas, clip(lead, widthPt, 10, false, measure), leftPt, leftPt + 38, { sizePt: 10, gray: 0.25 })
  fillBox(canvas, { xPt: leftPt, yPt: leftPt + 47, widthPt, heightPt: 1.5 })
}

function drawCell(
  canvas: Canvas,
  spec: SheetSpec,
  { group, index, ...cell }: PlacedCell,
  pageMm: number,
): void {
  // cells of some kinds have one height everywhere: a label may be too low for the first one
  const missingMm = cell.yMm + cell.heightMm - pageMm
  if (missingMm > 0) throw tooLarge('height', missingMm, pageMm)
  const box: BoxPt = {
    xPt: cell.xMm * ptPerMm,
    yPt: cell.yMm * ptPerMm,
    widthPt: cell.widthMm * ptPerMm,
    heightPt: cell.heightMm * ptPerMm,
  }
  const { heading, entries } = spec.groups[group] ?? { heading: '', entries: [] }
  if (index === null) {
    const text = clip(heading, box.widthPt, 10, true, measureWith(canvas.fonts))
    drawText(canvas, text, box.xPt, box.yPt + box.heightPt - 7, { sizePt: 10, bold: true, gray: 0.3 })
    return
  }
  const entry = entries[index]
  if (entry) drawEntry(canvas, spec, box, entry, pageMm)
}

function drawEntry(canvas: Canvas, spec: SheetSpec, box: BoxPt, entry: SheetEntry, pageMm: number): void {
  const draw: CellDrawing = cellDrawings[spec.kind]
  try {
    draw(canvas, box, entry, { dot: 72 / spec.dpi, isAlone: spec.format === 'label' })
  } catch (error) {
    if (!(error instanceof NoRoom)) throw error
    const missingMm = error.missingPt / ptPerMm
    throw tooLarge(error.side, missingMm, error.side === 'height' ? pageMm : spec.room.widthMm)
  }
}

function tooLarge(side: NoRoom['side'], missingMm: number, printableMm: number): CataloguedError {
  const neededMm = Math.ceil(printableMm + missingMm)
  return new CataloguedError('printer.sheet_too_large', {
    side,
    neededMm,
    printableMm: Math.floor(printableMm),
  })
}
