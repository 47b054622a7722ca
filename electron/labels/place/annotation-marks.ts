import { PDFArray, PDFDict, PDFName, PDFNumber, type PDFPage, PDFRef, PDFStream } from 'pdf-lib'
import { type Affine, boxUnder } from './affine.ts'

/** One annotation or form field as a mark on its page: a form, and where it goes. */
export interface Mark {
  readonly form: PDFRef
  readonly place: Affine
}

const hiddenFlag = 1 << 1
const noViewFlag = 1 << 5

/**
 * What annotations and form fields show on a page, in their order, as forms to be drawn after the page (ISO 32000-1,
 * 12.5.5). Those without an appearance show nothing here.
 */
export function marksOf(page: PDFPage): Mark[] {
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

/** The normal appearance, of several the one of the current state. */
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
