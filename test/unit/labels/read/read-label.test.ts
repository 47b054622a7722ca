import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { blankBitmap, crop, quarterTurn } from '#labels/pixels/bitmap.ts'
import { readLabel, readSymbols } from '#labels/read/read-label.ts'
import { count, seed } from '#support/counts.ts'
import { drawSymbol, paint, symbolAlone, type SymbolWish } from '#support/drawn-symbols.ts'

const gs = '\u001d'
const codabar = { bcid: 'rationalizedCodabar' }
const columns = { columns: 4 }

/** The barcodes to draw. `reads` is the text that the reader must return, if it differs from the drawn text. */
const kinds: readonly (Omit<SymbolWish, 'moduleDots'> & { symbology: string; reads?: string })[] = [
  { bcid: 'code128', text: 'TB-2026/0001.4', symbology: 'Code128' },
  { bcid: 'code128', text: '61703609942303271234', symbology: 'Code128' },
  { bcid: 'gs1-128', text: '(00)006141411234567890', reads: '00006141411234567890', symbology: 'Code128' },
  { bcid: 'gs1-128', text: '(400)AB12(21)77', reads: `400AB12${gs}2177`, symbology: 'Code128' },
  { bcid: 'code39', text: 'TB1234567', symbology: 'Code39' },
  // the extended variant of Code 39 would read $A as a control character
  { bcid: 'code39', text: 'TB$A+B%C', symbology: 'Code39' },
  { bcid: 'code93', text: 'TB123456785NL', options: { includecheck: true }, symbology: 'Code93' },
  { bcid: 'interleaved2of5', text: '12345678901234', symbology: 'ITF' },
  { bcid: 'ean13', text: '4006381333931', symbology: 'EANUPC' },
  { bcid: 'ean8', text: '96385074', symbology: 'EANUPC' },
  { bcid: 'upca', text: '036000291452', reads: '0036000291452', symbology: 'EANUPC' },
  { ...codabar, text: 'A1234567890B', symbology: 'Codabar' },
  { bcid: 'qrcode', text: 'https://track.example/TB123456785NL', symbology: 'QRCode' },
  { bcid: 'datamatrix', text: 'TB123456785NL', symbology: 'DataMatrix' },
  { bcid: 'gs1datamatrix', text: '(01)09521234543213', reads: '0109521234543213', symbology: 'DataMatrix' },
  { bcid: 'azteccode', text: 'TB123456785NL|5048AB', symbology: 'Aztec' },
  { bcid: 'pdf417', text: 'TB123456785NL 5048AB 10178 '.repeat(3), options: columns, symbology: 'PDF417' },
]
const isLinear = (symbology: string): boolean =>
  ['Code128', 'Code39', 'Code93', 'ITF', 'EANUPC', 'Codabar'].includes(symbology)

describe('the reader of barcodes in a bitmap', () => {
  it.each(kinds)('reads a barcode of type $bcid with the text $text, upright and rotated', async (kind) => {
    for (const turns of [0, 1, 2, 3]) {
      for (const moduleDots of isLinear(kind.symbology) ? [2, 3, 4] : [3, 4, 7]) {
        const bitmap = symbolAlone({ ...kind, moduleDots }, turns)
        const found = await readSymbols(bitmap, 203)
        expect(found).toMatchObject([
          { text: kind.reads ?? kind.text, symbology: kind.symbology, isLinear: isLinear(kind.symbology) },
        ])
      }
    }
  })

  it('returns the position of each barcode among several barcodes and a black bar', async () => {
    const bitmap = blankBitmap(832, 1218)
    paint(bitmap, { x: 0, y: 0, width: 832, height: 60 }, true)
    const wishes = [
      { at: { x: 100, y: 200 }, bcid: 'code128', text: 'TB123456785NL', moduleDots: 3, barDots: 150 },
      { at: { x: 600, y: 500 }, bcid: 'qrcode', text: 'TB123456785NL', moduleDots: 5 },
      { at: { x: 100, y: 480 }, bcid: 'datamatrix', text: '5048AB', moduleDots: 6 },
      { at: { x: 100, y: 800 }, bcid: 'interleaved2of5', text: '123456789012', moduleDots: 2, barDots: 90 },
    ]
    const drawn = wishes.map((wish) => ({ text: wish.text, box: drawSymbol(bitmap, wish.at, wish) }))
    for (const turned of [false, true]) {
      const found = await readSymbols(turned ? quarterTurn(bitmap) : bitmap, 203)
      expect(found).toHaveLength(drawn.length)
      for (const { text, box } of drawn) {
        const where = turned
          ? { x: 1218 - box.y - box.height, y: box.x, width: box.height, height: box.width }
          : box
        const near = found.filter((symbol) => symbol.text === text && isNear(symbol.box, where))
        expect(near, text).toHaveLength(1)
      }
    }
  })

  it('reads a Code 128, QR, Data Matrix or Aztec code with any text of 6 to 18 ASCII characters', async () => {
    const bcid = fc.constantFrom('code128', 'qrcode', 'datamatrix', 'azteccode')
    const text = fc.string({ unit: 'grapheme-ascii', minLength: 6, maxLength: 18 })
    const turns = fc.nat(3)
    await fc.assert(
      fc.asyncProperty(bcid, text, turns, fc.constantFrom(3, 4), async (bcid, text, turns, moduleDots) => {
        const found = await readSymbols(symbolAlone({ bcid, text, moduleDots }, turns), 300)
        expect(found.map((symbol) => symbol.text)).toEqual([text])
      }),
      { seed, numRuns: count(60, 2_000) },
    )
  })

  it('works without a network request', async () => {
    const fetched = vi.spyOn(globalThis, 'fetch').mockRejectedValue(new Error('no network'))
    vi.resetModules()
    const fresh = await import('#labels/read/read-label.ts')
    const found = await fresh.readSymbols(symbolAlone({ bcid: 'code128', text: 'TB1', moduleDots: 3 }), 203)
    expect(found).toHaveLength(1)
    expect(fetched).not.toHaveBeenCalled()
  })
})

/**
 * Whether the positions of two boxes differ by at most four dots, and their widths and heights by at most six. The ends
 * of the bars may differ more, because the reader checks only some lines there.
 */
function isNear(
  found: { x: number; y: number; width: number; height: number },
  drawn: typeof found,
): boolean {
  return (
    Math.abs(found.x - drawn.x) <= 4 &&
    Math.abs(found.y - drawn.y) <= 4 &&
    Math.abs(found.width - drawn.width) <= 6 &&
    Math.abs(found.height - drawn.height) <= 6
  )
}

describe('the reader of barcodes returns no text', () => {
  const wish = { bcid: 'code128', text: 'TB123456785NL', moduleDots: 3, barDots: 120 }

  it.each([
    ['code128', 'TB123456785NL'],
    ['interleaved2of5', '12345678901234'],
    ['code39', 'TB1234567'],
    ['ean13', '4006381333931'],
    ['qrcode', 'TB123456785NL'],
    ['datamatrix', 'TB123456785NL'],
  ])('for a barcode of type %s that is cut off at one end', async (bcid, text) => {
    const whole = symbolAlone({ bcid, text, moduleDots: 3 })
    const { widthDots, heightDots } = whole
    const quiet = 30
    for (const share of [0.1, 0.25, 0.4, 0.5, 0.6, 0.75, 0.9]) {
      const cut = quiet + Math.round((widthDots - 2 * quiet) * share)
      for (const box of [
        { x: 0, y: 0, width: cut, height: heightDots },
        { x: cut, y: 0, width: widthDots - cut, height: heightDots },
      ]) {
        const cropped = crop(whole, box)
        // in `cropped` the barcode is cut off by the edge of the paper; in `inWhite` the cut barcode has white around
        // it
        const inWhite = crop(cropped, { x: -90, y: 0, width: box.width + 180, height: heightDots })
        expect(await readSymbols(cropped, 203), `${String(share)} on the edge`).toEqual([])
        expect(await readSymbols(inWhite, 203), `${String(share)} in white`).toEqual([])
      }
    }
  })

  it('for a linear barcode whose bars are visible over less than 2 mm of their height', async () => {
    for (const [clearDots, expected] of [
      [6, []],
      [30, ['TB123456785NL']],
    ] as const) {
      const bitmap = symbolAlone(wish)
      paint(bitmap, { x: 60, y: 0, width: 200, height: 30 + 45 }, true)
      paint(bitmap, { x: 60, y: 30 + 45 + clearDots, width: 200, height: 200 }, true)
      expect((await readSymbols(bitmap, 203)).map(({ text }) => text)).toEqual(expected)
    }
  })

  it('for a barcode with ink in its quiet zone', async () => {
    const bitmap = symbolAlone(wish)
    paint(bitmap, { x: 24, y: 0, width: 5, height: 200 }, true)
    expect(await readSymbols(bitmap, 203)).toEqual([])
  })

  it('for black boxes of any size and position that form no barcode', async () => {
    const words = fc.array(fc.tuple(fc.nat(780), fc.nat(1150), fc.nat(40), fc.nat(40)), { minLength: 200 })
    await fc.assert(
      fc.asyncProperty(words, async (boxes) => {
        const bitmap = blankBitmap(832, 1218)
        for (const [x, y, width, height] of boxes)
          paint(bitmap, { x, y, width: 2 + width, height: 2 + height }, (x + y) % 3 !== 0)
        expect(await readSymbols(bitmap, 203)).toEqual([])
      }),
      { seed, numRuns: count(10, 300) },
    )
  })
})

describe('bars that the reader cannot read', () => {
  const wish = { bcid: 'code128', text: 'TB123456785NL', moduleDots: 3, barDots: 120 }

  it('are reported if a linear barcode is cut off', async () => {
    const whole = symbolAlone(wish)
    expect(await readLabel(whole, 203)).toMatchObject({ bitmap: whole, hasUnreadBars: false })
    const cropped = crop(whole, { x: 0, y: 0, width: 400, height: whole.heightDots })
    expect(await readLabel(cropped, 203)).toEqual({ bitmap: cropped, symbols: [], hasUnreadBars: true })
  })

  it('are reported even if a QR code in the same bitmap was read', async () => {
    const bitmap = blankBitmap(832, 700)
    drawSymbol(bitmap, { x: 500, y: 40 }, wish)
    drawSymbol(bitmap, { x: 100, y: 300 }, { bcid: 'qrcode', text: 'TB123456785NL', moduleDots: 6 })
    expect(await readLabel(bitmap, 203)).toMatchObject({
      symbols: [{ symbology: 'QRCode' }],
      hasUnreadBars: true,
    })
  })

  it('are not reported if the bitmap contains only a black box', async () => {
    const bitmap = blankBitmap(832, 700)
    paint(bitmap, { x: 50, y: 50, width: 700, height: 100 }, true)
    expect(await readLabel(bitmap, 203)).toMatchObject({ symbols: [], hasUnreadBars: false })
  })
})
