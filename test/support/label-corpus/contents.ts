import { encode } from 'fast-png'
import {
  cmyk,
  grayscale,
  PDFArray,
  PDFDict,
  type PDFDocument,
  PDFName,
  PDFNumber,
  type PDFPage,
  PDFString,
  rgb,
} from 'pdf-lib'
import { type FaceDesign, labelPage, newPage, ptPerMm } from './drawing.ts'
import { code, face, other, saved } from './pages.ts'
import type { CorpusRow } from './row.ts'
import { randomFrom } from '../random.ts'
import { rasterise } from '#labels/place/lay-labels.ts'

const narrow = { code: 'printer.paper_too_narrow' } as const

/** Returns a label on a page of 100 by 150 mm, after `change` was applied to it. */
async function label(
  change: (document: PDFDocument, page: PDFPage) => Promise<void> | void,
  design: Partial<FaceDesign> = {},
): Promise<Uint8Array> {
  const document = await labelPage(face(design))
  await change(document, document.getPage(0))
  return document.save()
}

/** Returns a label with a filled text field between the address and the barcode. */
async function formField(keepsAppearance: boolean): Promise<Uint8Array> {
  return label((document, page) => {
    const field = document.getForm().createTextField('reference')
    field.setText('REFERENCE 4711')
    field.addToPage(page, { x: 20, y: 220, width: 200, height: 40, borderWidth: 2 })
    if (keepsAppearance) return
    document.getForm().updateFieldAppearances()
    for (const widget of field.acroField.getWidgets()) widget.dict.delete(PDFName.of('AP'))
    document.getForm().acroForm.dict.set(PDFName.of('NeedAppearances'), document.context.obj(true))
  })
}

/** Returns a plain label with the barcode as the appearance of an annotation of `subtype`. */
async function annotation(
  subtype: string,
  entries: Record<string, string | number> = {},
): Promise<Uint8Array> {
  return label(
    async (document, page) => {
      const [barcode] = await document.embedPdf(
        await (await labelPage(face({ heightMm: 60, isFramed: false }))).save(),
        [0],
      )
      if (!barcode) throw new Error('no appearance')
      await document.flush()
      await barcode.embed()
      const dictionary = document.context.obj({
        Type: 'Annot',
        Subtype: subtype,
        F: 4,
        Rect: [0, 60, 100 * ptPerMm, 60 + 60 * ptPerMm],
        AP: { N: barcode.ref },
        ...entries,
      })
      const annotations = PDFArray.withContext(document.context)
      annotations.push(document.context.register(dictionary))
      page.node.set(PDFName.of('Annots'), annotations)
      if (subtype !== 'Widget') return
      dictionary.set(PDFName.of('T'), PDFString.of('barcode'))
      document.catalog.set(PDFName.of('AcroForm'), document.context.obj({ Fields: annotations }))
    },
    { code: null },
  )
}

/** Returns a label as from a document scanner: grey paper, specks, soft edges. */
async function scanned(dpi: number, noise: number): Promise<Uint8Array> {
  const [bitmap] = await rasterise(await saved(), { dpi, widthDots: Math.round((100 * dpi) / 25.4) })
  if (!bitmap) throw new Error('no label')
  const { widthDots: width, heightDots: height, bytes } = bitmap
  const random = randomFrom(4711)
  const rowBytes = (width + 7) >> 3
  const data = new Uint8Array(width * height)
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const black = ((bytes[y * rowBytes + (x >> 3)] ?? 0) & (0x80 >> (x & 7))) !== 0
      const grey = (black ? 20 : 235) + Math.round((random() - 0.5) * noise)
      data[y * width + x] = Math.max(0, Math.min(255, grey))
    }
  const { document, page } = await newPage(100, 150)
  const picture = await document.embedPng(encode({ width, height, data, channels: 1, depth: 8 }))
  page.drawImage(picture, { x: 0, y: 0, width: page.getWidth(), height: page.getHeight() })
  return document.save()
}

/**
 * Returns a page whose boxes do not begin at 0: the corner of the label is at `x`, `y` in a larger media box, with an
 * optional crop box around the label.
 */
async function boxes(x: number, y: number, isCropped: boolean, unit = 1): Promise<Uint8Array> {
  const { document, page } = await newPage(100, 150)
  const [width, height] = [(100 * ptPerMm) / unit, (150 * ptPerMm) / unit]
  const [inner] = await document.embedPdf(await saved(), [0])
  if (!inner) throw new Error('no page to embed')
  page.drawPage(inner, { x, y, xScale: 1 / unit, yScale: 1 / unit })
  const room = isCropped ? 150 : 0
  page.setMediaBox(x - room, y - room, width + 2 * room, height + 2 * room)
  if (isCropped) {
    page.drawRectangle({ x: x - room, y: y - room, width: room - 5, height: height + 2 * room })
    page.setCropBox(x, y, width, height)
  }
  if (unit !== 1) page.node.set(PDFName.of('UserUnit'), PDFNumber.of(unit))
  return document.save()
}

/** Returns a label that is covered by a black box. The box is on a layer that viewers hide. */
async function hiddenLayer(): Promise<Uint8Array> {
  return label((document, page) => {
    const { context } = document
    const layer = context.register(context.obj({ Type: 'OCG', Name: PDFString.of('void') }))
    const resources = page.node.Resources() ?? PDFDict.withContext(context)
    resources.set(PDFName.of('Properties'), context.obj({ Void: layer }))
    document.catalog.set(
      PDFName.of('OCProperties'),
      context.obj({ OCGs: [layer], D: { OFF: [layer], Order: [layer] } }),
    )
    const stream = context.stream('/OC /Void BDC 0 g 0 0 400 400 re f EMC')
    page.node.addContentStream(context.register(stream))
  })
}

/** Returns a label under a partly transparent white layer with a grey watermark. */
const washed = (): Promise<Uint8Array> =>
  label((_, page) => {
    page.drawRectangle({ x: 0, y: 0, width: 300, height: 430, color: grayscale(1), opacity: 0.3 })
    page.drawRectangle({ x: 10, y: 10, width: 260, height: 260, color: grayscale(0.5), opacity: 0.2 })
  })

/** Rows of the corpus: different ways to draw a label. */
export const contentRows: readonly CorpusRow[] = [
  { name: 'form field', how: 'its value must print', make: () => formField(true), prints: [[code]] },
  {
    name: 'form field without an appearance',
    how: 'NeedAppearances: the reader draws the value',
    make: () => formField(false),
    prints: [[code]],
  },
  { name: 'barcode in an annotation', how: 'a stamp', make: () => annotation('Stamp'), prints: [[code]] },
  {
    name: 'barcode in a form field',
    how: 'the appearance of a button',
    make: () => annotation('Widget', { FT: 'Btn', Ff: 65_536 }),
    prints: [[code]],
  },
  {
    name: 'scan, 200 dpi',
    how: 'grey picture with noise, no vector',
    make: () => scanned(200, 60),
    prints: [[code]],
    on: { '80 mm, 203 dpi': narrow },
  },
  {
    name: 'picture, 300 dpi',
    how: 'black and white picture, no vector',
    make: () => scanned(300, 0),
    prints: [[code]],
    on: { '80 mm, 203 dpi': narrow },
  },
  {
    name: 'tiny modules',
    how: '0.19 mm: its size kept, and no finer than the paper’s dots',
    make: () => saved({ moduleMm: 0.19, widthMm: 70, heightMm: 100 }),
    prints: [[code]],
    on: { '104 mm, 203 dpi': [[]], '80 mm, 203 dpi': [[]], '58 mm, 203 dpi': narrow },
  },
  {
    name: 'fine modules on a wide label',
    how: '0.25 mm: smaller would not be read',
    make: () => saved({ moduleMm: 0.25 }),
    prints: [[code]],
    on: { '80 mm, 203 dpi': narrow, '80 mm, 300 dpi': narrow },
  },
  {
    name: 'Code 39',
    how: 'wide and narrow bars',
    make: () => saved({ symbology: 'code39', code: 'TB4711' }),
    prints: [['TB4711']],
  },
  {
    name: 'Interleaved 2 of 5',
    how: 'digits in pairs',
    make: () => saved({ symbology: 'interleaved2of5', code: '0123456789' }),
    prints: [['0123456789']],
  },
  {
    name: 'EAN-13',
    how: 'bars of four widths',
    make: () => saved({ symbology: 'ean13', code: '4012345678901' }),
    prints: [['4012345678901']],
  },
  {
    name: 'Data Matrix beside Code 128',
    how: 'two codes',
    make: () => saved({ matrix: { kind: 'datamatrix', text: other } }),
    prints: [[code, other]],
  },
  {
    name: 'Aztec beside Code 128',
    how: 'two codes',
    make: () => saved({ matrix: { kind: 'azteccode', text: other } }),
    prints: [[code, other]],
  },
  {
    name: 'CMYK black',
    how: 'four inks at once',
    make: () => saved({ ink: cmyk(0.6, 0.5, 0.5, 0.9) }),
    prints: [[code]],
  },
  { name: 'grey bars', how: '60 % black', make: () => saved({ ink: grayscale(0.4) }), prints: [[code]] },
  {
    name: 'dark blue bars',
    how: 'a brand’s colour',
    make: () => saved({ ink: rgb(0, 0.1, 0.5) }),
    prints: [[code]],
  },
  {
    name: 'transparency',
    how: 'white wash and grey watermark over the bars',
    make: washed,
    prints: [[code]],
  },
  { name: 'hidden layer', how: 'VOID over everything, switched off', make: hiddenLayer, prints: [[code]] },
  {
    name: 'CropBox in a larger MediaBox',
    how: 'black beyond the crop',
    make: () => boxes(160, 160, true),
    prints: [[code]],
  },
  {
    name: 'MediaBox with a negative corner',
    how: 'from -300, -200',
    make: () => boxes(-300, -200, false),
    prints: [[code]],
  },
  {
    name: 'MediaBox far from nought',
    how: 'from 1000, 2000',
    make: () => boxes(1_000, 2_000, false),
    prints: [[code]],
  },
  {
    name: 'UserUnit 2',
    how: 'half the points, each twice as long',
    make: () => boxes(0, 0, false, 2),
    prints: [[code]],
  },
]
