import { degrees, PDFDocument } from 'pdf-lib'
import { embedFonts, withQuarterTurn, type Fonts } from './canvas.ts'
import { drawFace } from './label-face.ts'
import type { LabelSpec } from './label-spec.ts'
import { a4, faceSizes, type SizePt } from './page-geometry.ts'
import { drawReturnSheet, sheetLabelBox } from './return-sheet.ts'

function drawUpright(document: PDFDocument, fonts: Fonts, spec: LabelSpec, size: SizePt): void {
  const page = document.addPage([size.widthPt, size.heightPt])
  drawFace({ page, fonts, heightPt: size.heightPt }, spec, size)
}

function drawSheet(document: PDFDocument, fonts: Fonts, spec: LabelSpec, size: SizePt): void {
  const page = document.addPage([a4.widthPt, a4.heightPt])
  const canvas = { page, fonts, heightPt: a4.heightPt }
  withQuarterTurn(canvas, sheetLabelBox(size), (turned) => {
    drawFace(turned, spec, size)
  })
  drawReturnSheet(canvas, spec)
}

/**
 * The PDF of a return label, one page. `rotated` keeps a portrait media box and says `/Rotate 90`; `sheet` turns the
 * label itself and leaves the page upright. Any text prints (see winansi.ts); a tracking code that is no printable
 * ASCII or fits no symbol of at least 0.25 mm throws RangeError. The same spec gives the same bytes.
 */
export async function drawLabel(spec: LabelSpec): Promise<Uint8Array> {
  const document = await PDFDocument.create({ updateMetadata: false })
  document.setTitle(`Return label ${spec.trackingCode}`)
  document.setAuthor(spec.brand.name)
  document.setProducer('Scandesk')
  document.setCreationDate(spec.date)
  document.setModificationDate(spec.date)
  const fonts = await embedFonts(document)
  const size = faceSizes[spec.layout]
  if (spec.layout === 'sheet') drawSheet(document, fonts, spec, size)
  else drawUpright(document, fonts, spec, size)
  if (spec.layout === 'rotated') document.getPage(0).setRotation(degrees(90))
  return document.save()
}
