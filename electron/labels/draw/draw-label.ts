import { degrees, PDFDocument } from 'pdf-lib'
import {
  type BoxPt,
  type Canvas,
  drawCutLine,
  drawSign,
  drawText,
  embedFonts,
  fillBox,
  type Fonts,
  measureWith,
  type SizePt,
  snapPt,
  withQuarterTurn,
} from './canvas.ts'
import { clip, fitLines, leading } from './fit-text.ts'
import { drawFace } from './label-face.ts'
import type { LabelLayout, LabelSpec } from './label-spec.ts'

const fourBySix: SizePt = { widthPt: 288, heightPt: 432 }
const a6: SizePt = { widthPt: 297.64, heightPt: 419.53 }
const a4: SizePt = { widthPt: 595.28, heightPt: 841.89 }

/** Size of the upright label of a layout. The page may be larger or turned. */
const faceSizes: Readonly<Record<LabelLayout, SizePt>> = {
  '4x6': fourBySix,
  a6,
  sheet: a6,
  rotated: fourBySix,
}

/**
 * Draws the PDF of a return label, which has one page. The layout `rotated` has a portrait media box with `/Rotate 90`.
 * The layout `sheet` has an upright page, on which the label itself is turned. Any text can be printed (see
 * winansi.ts). Throws RangeError if the tracking code is not printable ASCII, or does not fit with modules of at least
 * 0.25 mm. The same spec results in the same bytes.
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

const marginPt = 48
const cutPt = a4.heightPt / 2
const scissorsPath =
  'M18 8 A18 18 0 1 0 18.01 8 Z M18 18 A8 8 0 1 1 17.99 18 Z M18 56 A18 18 0 1 0 18.01 56 Z M18 66 A8 8 0 1 1 17.99 66 Z M30 34 L98 66 L88 72 L26 46 Z M30 66 L98 34 L88 28 L26 54 Z'

/** Returns the place of the turned label on the sheet: in the middle of the upper half. */
function sheetLabelBox(label: SizePt): BoxPt {
  return {
    xPt: snapPt((a4.widthPt - label.heightPt) / 2),
    yPt: snapPt((cutPt - label.widthPt) / 2),
    widthPt: label.heightPt,
    heightPt: label.widthPt,
  }
}

function drawSteps(canvas: Canvas, phrases: SheetPhrases, topPt: number): void {
  const gutter = 18
  const width = (a4.widthPt - 2 * marginPt - 3 * gutter) / 4
  const measure = measureWith(canvas.fonts)
  for (const [index, [title, text]] of phrases.steps.entries()) {
    const xPt = marginPt + index * (width + gutter)
    fillBox(canvas, { xPt, yPt: topPt, widthPt: width, heightPt: 2 })
    drawText(canvas, String(index + 1), xPt, topPt + 42, { sizePt: 36, bold: true })
    drawText(canvas, title, xPt, topPt + 64, { sizePt: 12, bold: true })
    const box = { widthPt: width, heightPt: 90, maxSizePt: 9.5, minSizePt: 8 }
    const fit = fitLines([{ text, bold: false, scale: 1 }], box, measure)
    for (const [row, line] of fit.lines.entries())
      drawText(canvas, line.text, xPt, topPt + 80 + row * fit.sizePt * (leading + 0.14), {
        sizePt: fit.sizePt,
      })
  }
}

function drawFacts(canvas: Canvas, spec: LabelSpec, phrases: SheetPhrases, topPt: number): void {
  const measure = measureWith(canvas.fonts)
  const facts = [
    [phrases.reference, spec.reference],
    [phrases.trackingCode, spec.trackingText],
    [phrases.follow, spec.trackingUrl],
  ] as const
  const rowPt = 22
  for (const [index, [label, value]] of facts.entries()) {
    const yPt = topPt + index * rowPt
    fillBox(canvas, { xPt: marginPt, yPt, widthPt: a4.widthPt - 2 * marginPt, heightPt: 0.5 }, 0.55)
    drawText(canvas, label, marginPt, yPt + 15, { sizePt: 9, gray: 0.3 })
    const text = clip(value, a4.widthPt - 2 * marginPt - 130, 10, true, measure)
    drawText(canvas, text, marginPt + 130, yPt + 15, { sizePt: 10, bold: true })
  }
}

/** Draws the lower half of the sheet: the cutting line, the instructions, and the receipt that the sender keeps. */
function drawReturnSheet(canvas: Canvas, spec: LabelSpec): void {
  const phrases = sheetPhrases(spec.sender.country)
  drawCutLine(canvas, 24, a4.widthPt - 24, cutPt)
  fillBox(canvas, { xPt: 38, yPt: cutPt - 8, widthPt: 28, heightPt: 16 }, 1)
  drawSign(canvas, scissorsPath, 44, cutPt - 7.5, 15, 0.15)
  drawText(canvas, phrases.title, marginPt, cutPt + 54, { sizePt: 20, bold: true })
  drawText(canvas, `${spec.brand.name} · ${spec.service.name}`, marginPt, cutPt + 72, {
    sizePt: 10,
    gray: 0.3,
  })
  drawSteps(canvas, phrases, cutPt + 96)
  drawFacts(canvas, spec, phrases, cutPt + 270)
  const note = spec.sample ? phrases.sampleNote : phrases.note
  drawText(canvas, note, marginPt, a4.heightPt - 40, { sizePt: 8, gray: 0.3 })
}

/** The texts of the A4 sheet in one language. The instructions have four steps, each with a title and a sentence. */
interface SheetPhrases {
  readonly title: string
  readonly steps: readonly (readonly [string, string])[]
  readonly reference: string
  readonly trackingCode: string
  readonly follow: string
  readonly note: string
  readonly sampleNote: string
}

const en: SheetPhrases = {
  title: 'How to send your parcel back',
  steps: [
    ['Pack', 'Put the goods back in their box, with the papers that came with them.'],
    ['Cut', 'Cut along the dashed line. Keep this half: it carries your tracking code.'],
    ['Stick', 'Cover older labels. Stick the label flat on the largest side, no tape across the bars.'],
    ['Hand in', 'Bring the parcel to any parcel point and keep the receipt until you have your refund.'],
  ],
  reference: 'Reference',
  trackingCode: 'Tracking code',
  follow: 'Follow your parcel',
  note: 'One label, one parcel: do not copy it.',
  sampleNote: 'SAMPLE: made in a sandbox, not for shipping.',
}

const nl: SheetPhrases = {
  title: 'Zo stuurt u uw pakket terug',
  steps: [
    ['Inpakken', 'Doe de artikelen terug in de doos, met de papieren die erbij zaten.'],
    ['Knippen', 'Knip langs de stippellijn. Bewaar deze helft: hier staat uw volgcode op.'],
    [
      'Plakken',
      'Dek oude labels af. Plak het label vlak op de grootste kant, zonder tape over de streepjes.',
    ],
    ['Inleveren', 'Breng het pakket naar een pakketpunt en bewaar het bewijs tot u uw geld terug hebt.'],
  ],
  reference: 'Referentie',
  trackingCode: 'Volgcode',
  follow: 'Volg uw pakket',
  note: 'Eén label, één pakket: niet kopiëren.',
  sampleNote: 'SAMPLE: gemaakt in een testomgeving, niet om te versturen.',
}

const de: SheetPhrases = {
  title: 'So senden Sie Ihr Paket zurück',
  steps: [
    ['Einpacken', 'Legen Sie die Ware mit den beiliegenden Papieren zurück in den Karton.'],
    [
      'Schneiden',
      'Schneiden Sie entlang der gestrichelten Linie. Diese Hälfte behalten: Sie trägt Ihre Sendungsnummer.',
    ],
    [
      'Aufkleben',
      'Alte Etiketten abdecken. Das Etikett glatt auf die größte Seite kleben, kein Band über die Striche.',
    ],
    ['Abgeben', 'Geben Sie das Paket an einer Paketstelle ab und behalten Sie den Beleg bis zur Erstattung.'],
  ],
  reference: 'Referenz',
  trackingCode: 'Sendungsnummer',
  follow: 'Paket verfolgen',
  note: 'Ein Etikett, ein Paket: bitte nicht kopieren.',
  sampleNote: 'SAMPLE: in einer Testumgebung erstellt, nicht zum Versand.',
}

const byCountry: ReadonlyMap<string, SheetPhrases> = new Map([
  ['NL', nl],
  ['BE', nl],
  ['DE', de],
])

/** Returns the texts for the country of the sender (ISO 3166-1 alpha-2); English for unknown countries. */
function sheetPhrases(country: string): SheetPhrases {
  return byCountry.get(country.trim().toUpperCase()) ?? en
}
