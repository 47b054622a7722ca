import { describe, expect, it } from 'vitest'
import { type Bitmap, crop, erased, turned } from '#labels/pixels/bitmap.ts'
import { findQrMarks, findLinearSymbols } from '#labels/read/find-symbols.ts'
import { areAlike } from '#labels/place/faithful-pages.ts'
import { rasterise } from '#labels/place/lay-labels.ts'
import { labelPage } from '#support/label-corpus/drawing.ts'

const dpi = 203
const code = 'TB123456785NL'

async function label(matrix: 'qrcode' | 'datamatrix' | null = null): Promise<Bitmap> {
  const face = { widthMm: 100, heightMm: 150, code }
  const pdf = await (
    await labelPage(matrix ? { ...face, matrix: { kind: matrix, text: code } } : face)
  ).save()
  const [bitmap] = await rasterise(pdf, { dpi, widthDots: 832 })
  if (!bitmap) throw new Error('no label')
  return bitmap
}

const moved = (bitmap: Bitmap, x: number, y: number): Bitmap =>
  crop(bitmap, { x, y, width: bitmap.widthDots, height: bitmap.heightDots })

describe('the comparison of two renderings of a label', () => {
  it('accepts an equal rendering, even if it is moved by one dot along the bars', async () => {
    const one = await label()
    expect(areAlike(one, one, dpi)).toBe(true)
    expect(areAlike(one, moved(one, 0, 1), dpi)).toBe(true)
  })

  it('refuses a rendering with missing, added or moved ink', async () => {
    const one = await label()
    const [symbol] = findLinearSymbols(one, dpi)
    if (!symbol) throw new Error('no barcode')
    const { box } = symbol
    const blank = erased(one, [{ x: 0, y: 0, width: one.widthDots, height: one.heightDots }])
    for (const other of [
      blank,
      erased(one, [box]),
      // a bar of the barcode is missing
      erased(one, [{ ...box, x: box.x - 1, width: 7 }]),
      // the address is missing
      erased(one, [{ x: 20, y: 20, width: 400, height: 200 }]),
      moved(one, 3, 0),
      // a shift of one dot is negligible for a line, but is a third of the width of a bar
      moved(one, 1, 0),
    ]) {
      expect(areAlike(one, other, dpi)).toBe(false)
      expect(areAlike(other, one, dpi)).toBe(false)
    }
  })
})

describe('the detection of QR codes', () => {
  it.each([0, 90, 180, 270] as const)(
    'finds the three corner marks of a QR code on a page that is rotated by %i degrees',
    async (turn) => {
      const marks = findQrMarks(turned(await label('qrcode'), turn), dpi)
      expect(marks).toHaveLength(3)
      // each corner mark is as wide as seven modules of 0.75 mm
      for (const { width } of marks) expect(Math.abs(width - 42)).toBeLessThanOrEqual(2)
    },
  )

  it('finds no corner marks in bars, text or a Data Matrix code', async () => {
    expect(findQrMarks(await label(), dpi)).toEqual([])
    expect(findQrMarks(await label('datamatrix'), dpi)).toEqual([])
  })
})
