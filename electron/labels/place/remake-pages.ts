import {
  PDFArray,
  PDFDict,
  PDFDocument,
  PDFName,
  PDFNumber,
  type PDFObject,
  type PDFPage,
  PDFRef,
  PDFStream,
} from 'pdf-lib'
import { type Bitmap, bytesPerRow, type Turn } from '../pixels/bitmap.ts'
import { objectStreams } from '../pixels/pdf-objects.ts'

/** A new page that shows a part of a page of another document. Lengths are in points from the upper left corner. */
export interface PagePart {
  readonly widthPt: number
  readonly heightPt: number
  /** The place of the part's upper left corner on the new page, and the size of the part after turning and scaling. */
  readonly xPt: number
  readonly yPt: number
  readonly partWidthPt: number
  readonly partHeightPt: number
  readonly source: PageSource | Bitmap
}

/** A part of a page, in the orientation in which a viewer shows the page. */
interface PageSource {
  readonly page: number
  /** The place of the part's upper left corner on the original page. */
  readonly fromXPt: number
  readonly fromYPt: number
  readonly turn: Turn
  readonly scale: number
}

/**
 * The clip is larger than the part by this length on each side: half a dot at 203 dpi, so that it removes no ink of the
 * part.
 */
const clipSlackPt = 0.18

/**
 * Creates a document with a page for each of these parts of `pdf`. Drawings stay vector drawings, form fields and
 * annotations become part of the page, and hidden layers stay hidden. Scripts, actions, attachments and encryption are
 * removed. Throws any error of pdf-lib, and RangeError for a document that is too complex for it.
 */
export async function remakePages(pdf: Uint8Array, parts: readonly PagePart[]): Promise<Uint8Array> {
  const document = parts.some(({ source }) => 'page' in source)
    ? await openToEdit(pdf)
    : await PDFDocument.create({ updateMetadata: false })
  const { context, catalog } = document
  drawFieldsWithoutAppearance(document)
  const sources = document.getPages()
  const tree = context.nextRef()
  const leaves = parts.map((part) => {
    const { source } = part
    const content =
      'page' in source
        ? vectorContent(sources[source.page], part, source)
        : pictureContent(document, part, source)
    return context.register(
      context.obj({ Type: 'Page', Parent: tree, MediaBox: [0, 0, part.widthPt, part.heightPt], ...content }),
    )
  })
  context.assign(tree, context.obj({ Type: 'Pages', Kids: leaves, Count: leaves.length }))
  // keeps only the list of layers, because no other entry of the PDF's catalogue affects the print
  for (const key of catalog.keys())
    if (!['Type', 'OCProperties'].some((kept) => key === PDFName.of(kept))) catalog.delete(key)
  catalog.set(PDFName.of('Pages'), tree)
  const { Root } = context.trailerInfo
  context.trailerInfo = Root ? { Root } : {}
  sweep(document)
  return document.save({ useObjectStreams: false, addDefaultPage: false, updateFieldAppearances: false })
}

/**
 * Opens a document for changes. Throws RangeError if its object streams are too large when unpacked, or packed in an
 * unusual way (`objectStreams` returns null), because pdf-lib reads all objects and has no limit.
 */
async function openToEdit(pdf: Uint8Array): Promise<PDFDocument> {
  if (objectStreams(pdf) === null) throw new RangeError('the document has more objects than a label may')
  return PDFDocument.load(pdf, { updateMetadata: false, password: '', parseSpeed: Infinity })
}

/** Draws the values of form fields that have no appearance, because otherwise only a viewer would draw them. */
function drawFieldsWithoutAppearance(document: PDFDocument): void {
  if (!document.catalog.has(PDFName.of('AcroForm'))) return
  try {
    document.getForm().updateFieldAppearances()
  } catch {
    // drawing the value of a form field fails, for example, if the font lacks a character of the value;
    // faithful-pages.ts later compares the page with its source
  }
}

type Entries = Record<string, PDFObject>

function vectorContent(page: PDFPage | undefined, part: PagePart, source: PageSource): Entries {
  if (!page) throw new RangeError('no such page')
  const { context } = page.doc
  const resources = page.node.Resources()?.clone() ?? PDFDict.withContext(context)
  const marks = marksOf(page)
  const forms = context.lookup(resources.get(PDFName.of('XObject')))
  const named = forms instanceof PDFDict ? forms.clone() : PDFDict.withContext(context)
  const draws = marks.map(({ form, place }, at) => {
    const name = `LabelMark${String(at)}`
    named.set(PDFName.of(name), form)
    return `q ${operands(place)} cm /${name} Do Q`
  })
  resources.set(PDFName.of('XObject'), named)
  const x = part.xPt - clipSlackPt
  const y = part.heightPt - part.yPt - part.partHeightPt - clipSlackPt
  const [width, height] = [part.partWidthPt + 2 * clipSlackPt, part.partHeightPt + 2 * clipSlackPt]
  const clip = `${operands([x, y, width, height])} re W n`
  const before = `q ${clip} ${operands(placement(page, part, source))} cm q\n`
  const contents = PDFArray.withContext(context)
  contents.push(context.register(context.stream(before)))
  for (const content of contentsOf(page)) contents.push(content)
  contents.push(context.register(context.stream(`\nQ ${draws.join(' ')} Q`)))
  const group = page.node.get(PDFName.of('Group'))
  return { Resources: resources, Contents: contents, ...(group ? { Group: group } : {}) }
}

function contentsOf(page: PDFPage): PDFObject[] {
  const entry = page.node.get(PDFName.of('Contents'))
  const found = page.doc.context.lookup(entry)
  if (found instanceof PDFArray) return found.asArray()
  return entry && found instanceof PDFStream ? [entry] : []
}

/**
 * Returns the transformation from the coordinates of the original page to the new page. The transformation applies the
 * rotation of the viewer, the crop, the turn, the scale and the offset.
 */
function placement(page: PDFPage, part: PagePart, { fromXPt, fromYPt, turn, scale: by }: PageSource): Affine {
  const unit = page.node.lookup(PDFName.of('UserUnit'))
  const points = scale(Number(unit?.toString() ?? 1) || 1)
  const box = visibleBox(page)
  const steps = [
    shift(-box.x, -box.y),
    flip(box.height),
    turnBox(shownTurn(page), box.width, box.height),
    points,
    shift(-fromXPt, -fromYPt),
    scale(by),
    turn % 180 === 0
      ? turnBox(turn, part.partWidthPt, part.partHeightPt)
      : turnBox(turn, part.partHeightPt, part.partWidthPt),
    shift(part.xPt, part.yPt),
    flip(part.heightPt),
  ]
  return steps.reduce(followedBy)
}

function shownTurn(page: PDFPage): Turn {
  const quarters = Math.round(page.getRotation().angle / 90)
  return ([0, 90, 180, 270] as const)[((quarters % 4) + 4) % 4] ?? 0
}

/** Returns the visible part of a page, in the coordinates that the page has before its rotation. */
function visibleBox(page: PDFPage): { x: number; y: number; width: number; height: number } {
  const [media, crop] = [page.getMediaBox(), page.getCropBox()]
  const side = (from: number, length: number): [number, number] => [
    Math.min(from, from + length),
    Math.max(from, from + length),
  ]
  const [mediaLeft, mediaRight] = side(media.x, media.width)
  const [mediaBottom, mediaTop] = side(media.y, media.height)
  const [cropLeft, cropRight] = side(crop.x, crop.width)
  const [cropBottom, cropTop] = side(crop.y, crop.height)
  const [x, y] = [Math.max(mediaLeft, cropLeft), Math.max(mediaBottom, cropBottom)]
  const [width, height] = [Math.min(mediaRight, cropRight) - x, Math.min(mediaTop, cropTop) - y]
  return width > 0 && height > 0
    ? { x, y, width, height }
    : { x: mediaLeft, y: mediaBottom, width: mediaRight - mediaLeft, height: mediaTop - mediaBottom }
}

function pictureContent({ context }: PDFDocument, part: PagePart, bitmap: Bitmap): Entries {
  const { widthDots, heightDots, bytes } = bitmap
  const picture = context.register(
    context.flateStream(bytes.subarray(0, bytesPerRow(widthDots) * heightDots), {
      Type: 'XObject',
      Subtype: 'Image',
      Width: widthDots,
      Height: heightDots,
      ColorSpace: 'DeviceGray',
      BitsPerComponent: 1,
      Decode: [1, 0],
    }),
  )
  const y = part.heightPt - part.yPt - part.partHeightPt
  const draw = `q ${operands([part.partWidthPt, 0, 0, part.partHeightPt, part.xPt, y])} cm /Label Do Q`
  return {
    Resources: context.obj({ XObject: { Label: picture } }),
    Contents: context.register(context.stream(draw)),
  }
}

function operands(values: readonly number[]): string {
  return values.map((value) => String(Number(value.toFixed(6)))).join(' ')
}

/** Removes objects that no new page needs: old pages, scripts, attachments, and the data of the encryption. */
function sweep({ context }: PDFDocument): void {
  const needed = new Set<PDFRef>()
  const open: (PDFObject | undefined)[] = [context.trailerInfo.Root]
  for (let object = open.pop(); object !== undefined; object = open.pop()) {
    if (object instanceof PDFRef) {
      if (needed.has(object)) continue
      needed.add(object)
      const target = context.lookup(object)
      if (target) open.push(target)
    } else if (object instanceof PDFDict) open.push(...object.values())
    else if (object instanceof PDFArray) open.push(...object.asArray())
    else if (object instanceof PDFStream) open.push(object.dict)
  }
  for (const [ref] of context.enumerateIndirectObjects()) if (!needed.has(ref)) context.delete(ref)
}

/** The drawing of one annotation or form field on its page: a form XObject and its place. */
interface Mark {
  readonly form: PDFRef
  readonly place: Affine
}

const hiddenFlag = 1 << 1
const noViewFlag = 1 << 5

/**
 * Returns the appearances of the annotations and form fields of a page, in their order. A viewer draws these form
 * XObjects after the page (ISO 32000-1, 12.5.5). Hidden annotations, popups and annotations without an appearance are
 * left out.
 */
function marksOf(page: PDFPage): Mark[] {
  const annotations = page.node.Annots()
  if (!annotations) return []
  return annotations.asArray().flatMap((entry) => {
    const annotation = page.doc.context.lookup(entry)
    return annotation instanceof PDFDict ? (markOf(annotation) ?? []) : []
  })
}

function markOf(annotation: PDFDict): Mark | null {
  const flags = numberAt(annotation, 'F') ?? 0
  if ((flags & (hiddenFlag | noViewFlag)) !== 0) return null
  if (annotation.lookup(PDFName.of('Subtype')) === PDFName.of('Popup')) return null
  const form = appearanceOf(annotation)
  const appearance = form && annotation.context.lookup(form)
  const rect = numbers(annotation.lookup(PDFName.of('Rect')), 4)
  if (!form || !(appearance instanceof PDFStream) || !rect) return null
  const box = numbers(appearance.dict.lookup(PDFName.of('BBox')), 4)
  if (!box) return null
  const matrix = numbers(appearance.dict.lookup(PDFName.of('Matrix')), 6) ?? [1, 0, 0, 1, 0, 0]
  const [left, bottom, right, top] = boxUnder(asAffine(matrix), upright(box))
  const [toLeft, toBottom, toRight, toTop] = upright(rect)
  if (right <= left || top <= bottom) return null
  const [across, up] = [(toRight - toLeft) / (right - left), (toTop - toBottom) / (top - bottom)]
  return { form, place: [across, 0, 0, up, toLeft - left * across, toBottom - bottom * up] }
}

/** Returns the normal appearance of an annotation; if there are several, the appearance for the current state. */
function appearanceOf(annotation: PDFDict): PDFRef | null {
  const appearances = annotation.lookup(PDFName.of('AP'))
  if (!(appearances instanceof PDFDict)) return null
  const normal = appearances.get(PDFName.of('N'))
  const found = annotation.context.lookup(normal)
  if (found instanceof PDFStream) return normal instanceof PDFRef ? normal : null
  const state = annotation.lookup(PDFName.of('AS'))
  if (!(found instanceof PDFDict) || !(state instanceof PDFName)) return null
  const chosen = found.get(state)
  return chosen instanceof PDFRef ? chosen : null
}

function numberAt(dictionary: PDFDict, key: string): number | null {
  const value = dictionary.lookup(PDFName.of(key))
  return value instanceof PDFNumber ? value.asNumber() : null
}

function numbers(value: unknown, count: number): number[] | null {
  if (!(value instanceof PDFArray) || value.size() !== count) return null
  const found = Array.from({ length: count }, (_, at) => value.lookup(at))
  return found.every((one) => one instanceof PDFNumber) ? found.map((one) => one.asNumber()) : null
}

function asAffine([a = 1, b = 0, c = 0, d = 1, e = 0, f = 0]: readonly number[]): Affine {
  return [a, b, c, d, e, f]
}

function upright([x = 0, y = 0, x2 = 0, y2 = 0]: readonly number[]): [number, number, number, number] {
  return [Math.min(x, x2), Math.min(y, y2), Math.max(x, x2), Math.max(y, y2)]
}

/** A transformation in the notation of PDF: x' = a x + c y + e, y' = b x + d y + f. */
type Affine = readonly [a: number, b: number, c: number, d: number, e: number, f: number]

/** Returns the transformation that applies `first`, then `second`. */
function followedBy([a, b, c, d, e, f]: Affine, [a2, b2, c2, d2, e2, f2]: Affine): Affine {
  return [
    a2 * a + c2 * b,
    b2 * a + d2 * b,
    a2 * c + c2 * d,
    b2 * c + d2 * d,
    a2 * e + c2 * f + e2,
    b2 * e + d2 * f + f2,
  ]
}

function shift(x: number, y: number): Affine {
  return [1, 0, 0, 1, x, y]
}

function scale(by: number): Affine {
  return [by, 0, 0, by, 0, 0]
}

/**
 * Returns the transformation that turns a box clockwise (y increases downwards). The upper left corner of the box is at
 * 0 before and after the turn. `width` and `height` are its sides before the turn.
 */
function turnBox(turn: 0 | 90 | 180 | 270, width: number, height: number): Affine {
  if (turn === 90) return [0, 1, -1, 0, height, 0]
  if (turn === 180) return [-1, 0, 0, -1, width, height]
  if (turn === 270) return [0, -1, 1, 0, 0, width]
  return [1, 0, 0, 1, 0, 0]
}

/**
 * Returns the transformation that exchanges coordinates with y upwards and coordinates with y downwards, on a page of
 * this height. The transformation is its own inverse.
 */
function flip(height: number): Affine {
  return [1, 0, 0, -1, 0, height]
}

/** Returns the smallest upright box around a transformed box: left, bottom, right, top. */
function boxUnder(
  [a, b, c, d, e, f]: Affine,
  [left, bottom, right, top]: readonly [number, number, number, number],
): [number, number, number, number] {
  const corners = [
    [left, bottom],
    [right, bottom],
    [left, top],
    [right, top],
  ] as const
  const xs = corners.map(([x, y]) => a * x + c * y + e)
  const ys = corners.map(([x, y]) => b * x + d * y + f)
  return [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)]
}
