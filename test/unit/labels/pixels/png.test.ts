import { decode } from 'fast-png'
import fc from 'fast-check'
import { PDFDocument } from 'pdf-lib'
import { describe, expect, it } from 'vitest'
import { bytesPerRow, isBlack } from '#labels/pixels/bitmap.ts'
import { picturesOf, pngOf } from '#labels/pixels/png.ts'
import { count, seed } from '#support/counts.ts'

/** Returns whether a pixel of a one-bit picture is black. */
function isDark({ data, width }: { data: ArrayLike<number>; width: number }, x: number, y: number): boolean {
  return ((data[y * bytesPerRow(width) + (x >> 3)] ?? 0) & (0x80 >> (x & 7))) === 0
}

describe('a PNG picture', () => {
  it('contains every dot of its bitmap as one bit', () => {
    const size = fc.integer({ min: 1, max: 50 })
    const bitmaps = fc.tuple(size, size).chain(([widthDots, heightDots]) => {
      const length = bytesPerRow(widthDots) * heightDots
      return fc
        .uint8Array({ minLength: length, maxLength: length })
        .map((bytes) => ({ widthDots, heightDots, bytes }))
    })
    fc.assert(
      fc.property(bitmaps, (bitmap) => {
        const picture = decode(pngOf(bitmap), { checkCrc: true })
        expect(picture).toMatchObject({
          width: bitmap.widthDots,
          height: bitmap.heightDots,
          depth: 1,
          channels: 1,
        })
        for (let y = 0; y < bitmap.heightDots; y++)
          for (let x = 0; x < bitmap.widthDots; x++) expect(isDark(picture, x, y)).toBe(isBlack(bitmap, x, y))
      }),
      { seed, numRuns: count(40, 2_000) },
    )
  })

  it('is made for each page of a PDF, even for a blank page', async () => {
    const document = await PDFDocument.create()
    document.addPage([288, 432]).drawRectangle({ x: 72, y: 72, width: 72, height: 72 })
    document.addPage([144, 72])
    const [first, second, ...others] = await picturesOf(await document.save(), 203)
    if (!first || !second) throw new Error('not two pages')
    expect(others).toEqual([])
    const picture = decode(first)
    expect(picture).toMatchObject({ width: 812, height: 1218 })
    expect([isDark(picture, 300, 1218 - 300), isDark(picture, 100, 100)]).toEqual([true, false])
    expect(decode(second)).toMatchObject({ width: 406, height: 203 })
  })
})
