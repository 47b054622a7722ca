import fc from 'fast-check'
import { PDFDocument } from 'pdf-lib'
import { describe, expect, it } from 'vitest'
import { type Bitmap, blankBitmap, crop, type DotBox, inkBox, isBlack } from '#labels/pixels/bitmap.ts'
import { withDocument } from '#labels/pixels/pdfium.ts'
import { layPages } from '#labels/place/whole-pages.ts'
import { type Offset, offsetPlace } from '#labels/place/printable-area.ts'
import { placeOnMedia, rasterise } from '#labels/place/lay-labels.ts'
import { CataloguedError } from '#shared/errors/result.ts'
import { count, seed } from '#support/counts.ts'

const dpi = 203
const tooNarrow = 'printer.paper_too_narrow'

function inkOf(bitmap: Bitmap): number {
  let dots = 0
  for (let y = 0; y < bitmap.heightDots; y++)
    for (let x = 0; x < bitmap.widthDots; x++) if (isBlack(bitmap, x, y)) dots++
  return dots
}

/** The result of `make`, or the code of its refusal. */
async function attempt<T>(make: () => T | Promise<T>): Promise<T | string> {
  try {
    return await make()
  } catch (error) {
    if (error instanceof CataloguedError) return error.failure.code
    throw error
  }
}

const offset: fc.Arbitrary<Offset> = fc.record({
  xMm: fc.integer({ min: -40, max: 40 }).map((half) => half / 2),
  yMm: fc.integer({ min: -40, max: 40 }).map((half) => half / 2),
})
const toDots = (mm: number): number => Math.round((mm * dpi) / 25.4)

describe('the offset of a printer', () => {
  it('is refused if it would move ink off the paper', async () => {
    const label = fc.record({
      width: fc.integer({ min: 1, max: 90 }),
      height: fc.integer({ min: 1, max: 90 }),
      dots: fc.array(fc.tuple(fc.nat(89), fc.nat(89)), { maxLength: 12 }),
      spare: fc.tuple(fc.nat(60), fc.nat(60)),
      isRoll: fc.boolean(),
      offset: fc.record({ xMm: fc.integer({ min: -9, max: 9 }), yMm: fc.integer({ min: -9, max: 9 }) }),
    })
    await fc.assert(
      fc.asyncProperty(label, async (one) => {
        const bitmap = blankBitmap(one.width, one.height)
        for (const [x, y] of one.dots) {
          const at = (y % one.height) * ((one.width + 7) >> 3) + ((x % one.width) >> 3)
          bitmap.bytes[at] = (bitmap.bytes[at] ?? 0) | (0x80 >> ((x % one.width) & 7))
        }
        const [spareX, spareY] = one.spare
        const most = { widthDots: one.width + spareX, heightDots: one.height + spareY }
        const paper = { dpi, ...most, heightDots: one.isRoll ? Infinity : most.heightDots }
        const from = { x: spareX >> 1, y: spareY >> 1 }
        const moved = { x: from.x + toDots(one.offset.xMm), y: from.y + toDots(one.offset.yMm) }
        const place = await attempt(() => offsetPlace(bitmap, from, paper, one.offset))
        const long = one.isRoll ? moved.y + one.height + 200 : most.heightDots
        const shown = crop(bitmap, { x: -moved.x, y: -moved.y, width: most.widthDots, height: long })
        const isWhole = inkOf(shown) === inkOf(bitmap)
        expect(place).toEqual(isWhole ? moved : tooNarrow)
      }),
      { seed, numRuns: count(300, 5_000) },
    )
  })

  /** A page of 4x6 inches with black boxes, which are given in points from the upper left corner. */
  async function page(boxes: readonly DotBox[]): Promise<Uint8Array> {
    const document = await PDFDocument.create()
    const drawn = document.addPage([288, 432])
    for (const { x, y, width, height } of boxes)
      drawn.drawRectangle({ x, y: 432 - y - height, width, height })
    return document.save()
  }
  const boxes = fc.array(
    fc.record({
      x: fc.integer({ min: 0, max: 200 }),
      y: fc.integer({ min: 0, max: 340 }),
      width: fc.integer({ min: 8, max: 80 }),
      height: fc.integer({ min: 8, max: 80 }),
    }),
    { minLength: 1, maxLength: 4 },
  )

  /** Returns whether each black dot of one bitmap has a black dot of the other within `slack` dots, and vice versa. */
  function isNear(one: Bitmap, other: Bitmap, slack: number): boolean {
    const hasNear = (bitmap: Bitmap, x: number, y: number): boolean => {
      for (let dy = -slack; dy <= slack; dy++)
        for (let dx = -slack; dx <= slack; dx++) if (isBlackOn(bitmap, x + dx, y + dy)) return true
      return false
    }
    for (let y = 0; y < one.heightDots; y++) {
      for (let x = 0; x < one.widthDots; x++) {
        if (isBlack(one, x, y) && !hasNear(other, x, y)) return false
        if (isBlack(other, x, y) && !hasNear(one, x, y)) return false
      }
    }
    return true
  }
  function isBlackOn(bitmap: Bitmap, x: number, y: number): boolean {
    const isOn = x >= 0 && y >= 0 && x < bitmap.widthDots && y < bitmap.heightDots
    return isOn && isBlack(bitmap, x, y)
  }

  /**
   * Compares a paper that was moved by the offset with the same paper without an offset. The moved paper must differ by
   * exactly the offset, or be refused if ink would be lost. Vector drawings are moved by millimetres and not by whole
   * dots, so the position of an edge may differ by one dot (`slack`).
   */
  function isMoved(plain: Bitmap, wanted: Offset, moved: Bitmap | string, slack: 0 | 1): void {
    const whole = { width: plain.widthDots, height: plain.heightDots }
    const shown = crop(plain, { x: -toDots(wanted.xMm), y: -toDots(wanted.yMm), ...whole })
    const ink = inkBox(plain) ?? { x: 0, y: 0, width: 0, height: 0 }
    const x = ink.x + toDots(wanted.xMm)
    const y = ink.y + toDots(wanted.yMm)
    const over = Math.max(-x, -y, x + ink.width - whole.width, y + ink.height - whole.height)
    const mayBeEither = slack > 0 && over >= 0 && over <= slack
    if (over > slack || (mayBeEither && typeof moved === 'string')) expect(moved).toBe(tooNarrow)
    else if (slack === 0) expect(moved).toEqual(shown)
    else expect(typeof moved !== 'string' && isNear(moved, shown, slack)).toBe(true)
  }

  function only(pages: Bitmap[] | string): Bitmap | string {
    return typeof pages === 'string' ? pages : (pages[0] ?? 'no page')
  }
  const native = (pdf: Uint8Array): Promise<Bitmap[]> =>
    withDocument(pdf, async (document) => [await document.render(0, dpi)])

  it.each([
    [
      'that is printed on a roll',
      0,
      (pdf: Uint8Array, by?: Offset) => rasterise(pdf, { dpi, widthDots: 832 }, by ? { offset: by } : {}),
    ],
    [
      'that is printed on media as a vector drawing',
      1,
      async (pdf: Uint8Array, by?: Offset) => {
        const media = { widthMm: 101.6, heightMm: 152.4 }
        return native(await placeOnMedia(pdf, media, { dpi, ...(by ? { offset: by } : {}) }))
      },
    ],
    [
      'that is printed on paper of its own size',
      1,
      async (pdf: Uint8Array, by?: Offset) => native(by ? await layPages(pdf, { turn: 0, offset: by }) : pdf),
    ],
  ] as const)('moves a label %s', async (_, slack, print) => {
    await fc.assert(
      fc.asyncProperty(boxes, offset, async (drawn, wanted) => {
        const pdf = await page(drawn)
        const plain = only(await print(pdf))
        if (typeof plain === 'string') throw new Error(plain)
        isMoved(plain, wanted, only(await attempt(() => print(pdf, wanted))), slack)
      }),
      { seed, numRuns: count(6, 120) },
    )
  })

  it('makes the paper of a cropped label longer, and is refused if ink would be cut off', async () => {
    const pdf = await page([{ x: 20, y: 20, width: 60, height: 60 }])
    const paper = { dpi, widthDots: 384 }
    const [plain] = await rasterise(pdf, paper, { crop: 'ink' })
    const [moved] = await rasterise(pdf, paper, { crop: 'ink', offset: { xMm: 5, yMm: 10 } })
    if (!plain || !moved) throw new Error('no label')
    expect(moved.heightDots).toBe(plain.heightDots + toDots(10))
    const ink = inkBox(plain)
    expect(inkBox(moved)).toEqual(ink && { ...ink, x: ink.x + toDots(5), y: ink.y + toDots(10) })
    const over = rasterise(pdf, paper, { crop: 'ink', offset: { xMm: 20, yMm: 0 } })
    await expect(over).rejects.toMatchObject({ failure: { code: tooNarrow, params: { printableMm: 49 } } })
  })

  it('is applied to a whole page after the page was rotated', async () => {
    const pdf = await page([{ x: 0, y: 0, width: 72, height: 36 }])
    const laid = await layPages(pdf, { turn: 90, offset: { xMm: -2, yMm: 1 } })
    const [turned] = await native(laid)
    expect(turned).toMatchObject({ widthDots: 1218, heightDots: 812 })
    expect(turned && inkBox(turned)).toEqual({
      x: 1218 - 102 - toDots(2),
      y: toDots(1),
      width: 102,
      height: 203,
    })
  })
})
