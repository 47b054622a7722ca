import { describe, expect, it } from 'vitest'
import { placeOnMedia, rasterise } from '#labels/place/lay-labels.ts'
import { readSymbols } from '#labels/read/read-label.ts'
import { drawTestPage } from '#labels/sheets/test-page.ts'
import { type Bitmap, isBlack } from '#labels/pixels/bitmap.ts'
import { planTestPage, type TestPagePlan, type TestPaper } from '#shared/domain/test-page.ts'
import { canDecodeLabels, readBitmap } from '#support/label-raster.ts'

const words = {
  title: 'Test page',
  lead: 'Zebra at the left, 21 November 2026, 22:04',
  hint: 'Scan every barcode from the top. Each corner line that is missing is a millimetre cut off.',
  block: 'Even and black?',
}
const papers: readonly (readonly [string, TestPaper])[] = [
  ['4x6 inch at 203 dpi', { dpi: 203, widthDots: 812, heightDots: 1218 }],
  ['4x6 inch at 300 dpi', { dpi: 300, widthDots: 1200, heightDots: 1800 }],
  ['a roll of 58 mm', { dpi: 203, widthDots: 384, heightDots: null }],
  ['a roll of 80 mm', { dpi: 203, widthDots: 576, heightDots: null }],
  ['a roll of 104 mm at 300 dpi', { dpi: 300, widthDots: 1228, heightDots: null }],
  ['a label of 57 by 32 mm', { dpi: 203, widthDots: 456, heightDots: 256 }],
]
const canDecode = await canDecodeLabels()

async function printed(paper: TestPaper): Promise<{ plan: TestPagePlan; bitmap: Bitmap }> {
  const pdf = await drawTestPage({ run: 'KM', paper, words, date: new Date(0) })
  const [bitmap, another] = await rasterise(pdf, paper, { turn: 0, crop: 'page' })
  if (!bitmap) throw new Error('nothing was drawn')
  expect(another).toBeUndefined()
  return { plan: planTestPage('KM', paper), bitmap }
}

describe('a printed test page', () => {
  it.each(papers)('has the size of %s, and its frame touches all four edges', async (_, paper) => {
    const { bitmap } = await printed(paper)
    expect(bitmap.widthDots).toBe(paper.widthDots)
    if (paper.heightDots !== null) expect(bitmap.heightDots).toBe(paper.heightDots)
    const { widthDots, heightDots } = bitmap
    for (const [x, y] of [
      [widthDots >> 1, 0],
      [widthDots >> 1, heightDots - 1],
      [0, heightDots >> 1],
      [widthDots - 1, heightDots >> 1],
    ] as const)
      expect(isBlack(bitmap, x, y)).toBe(true)
  })

  it.each(papers)('has bars of whole dots on %s', async (_, paper) => {
    const { plan, bitmap } = await printed(paper)
    const upright = plan.marks.filter(({ kind }) => kind === 'upright')
    expect(upright.length).toBeGreaterThan(0)
    const topMm = plan.isShort ? 14 : 29
    for (const [row, { moduleDots }] of upright.entries()) {
      const y = Math.round(((topMm + row * 13 + 7) * paper.dpi) / 25.4)
      expect(new Set(runsFrom(bitmap, y).map((run) => run % moduleDots))).toEqual(new Set([0]))
    }
  })

  it.skipIf(!canDecode).each(papers)('has barcodes that zbar and zxing can read on %s', async (_, paper) => {
    const { plan, bitmap } = await printed(paper)
    const codes = plan.marks.map(({ code }) => code)
    const byZbar = new Set((await readBitmap(bitmap)).map(({ text }) => text))
    expect([...byZbar].sort()).toEqual([...codes].sort())
    const byZxing = new Set((await readSymbols(bitmap, paper.dpi)).map(({ text }) => text))
    // the reader zxing may omit codes with bars of a single dot, because these bars are narrower than any bar on a
    // label
    const legible = codes.filter((code) => !code.endsWith('A'))
    expect([...byZxing].filter((code) => legible.includes(code)).sort()).toEqual([...legible].sort())
  })

  it.each([
    [203, 812, 1218],
    [300, 1200, 1800],
  ])(
    'stays unchanged when it is placed on 4x6 paper of a printer with %i dpi',
    async (dpi, widthDots, heightDots) => {
      const pdf = await drawTestPage({
        run: 'KM',
        paper: { dpi, widthDots, heightDots },
        words,
        date: new Date(0),
      })
      const media = { widthMm: 101.6, heightMm: 152.4 }
      const placed = await placeOnMedia(pdf, media, { dpi, turn: 0, crop: 'page' })
      const [before] = await rasterise(pdf, { dpi, widthDots }, { turn: 0, crop: 'page' })
      const [after, another] = await rasterise(placed, { dpi, widthDots }, { turn: 0, crop: 'page' })
      expect(another).toBeUndefined()
      expect(Buffer.from(after?.bytes ?? []).equals(Buffer.from(before?.bytes ?? []))).toBe(true)
    },
  )

  it('has the same bytes if it is drawn twice for the same run, and other bytes for another run', async () => {
    const paper = { dpi: 203, widthDots: 812, heightDots: 1218 }
    const draw = async (run: string): Promise<Buffer> =>
      Buffer.from(await drawTestPage({ run, paper, words, date: new Date(0) }))
    expect((await draw('AA')).equals(await draw('AA'))).toBe(true)
    expect((await draw('AA')).equals(await draw('AB'))).toBe(false)
  })
})

/**
 * Returns the widths in dots of the black and white runs of a barcode in the row `y` of a test page, from its first to
 * its last bar. Skips the frame and the printed ruler, which are to the left of the barcode.
 */
function runsFrom(bitmap: Bitmap, y: number): number[] {
  const runs: number[] = []
  let x = 0
  // the first white run of at least eight dots is the quiet zone; the ruler and the frame are to its left
  let white = 0
  while (white < 8 || !isBlack(bitmap, x, y)) {
    white = isBlack(bitmap, x, y) ? 0 : white + 1
    x++
  }
  for (; x < bitmap.widthDots;) {
    const from = x
    const colour = isBlack(bitmap, x, y)
    while (x < bitmap.widthDots && isBlack(bitmap, x, y) === colour) x++
    if (!colour && x - from > 40) break
    runs.push(x - from)
  }
  return runs
}
