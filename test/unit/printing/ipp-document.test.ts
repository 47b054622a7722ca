import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Bitmap, bytesPerRow } from '#labels/pixels/bitmap.ts'
import { pwgRaster } from '#printing/ipp-document.ts'
import { count, seed } from '#support/counts.ts'
import { decodePwg } from '#support/decode-pwg.ts'
import { randomFrom } from '#support/random.ts'
import { turnsDuring } from '#support/turns.ts'

const paper = { dpi: 203, widthMm: 101.6, heightMm: 152.4, mediaName: 'na_index-4x6_4x6in' }
const white = { widthDots: 812, heightDots: 1218, bytes: new Uint8Array(102 * 1218) }
const type = fc.constantFrom('black_1' as const, 'sgray_8' as const)

/** Generates bitmaps with equal rows, long runs and noise, which the compression encodes differently. */
const page = fc
  .record({
    widthDots: fc.integer({ min: 1, max: 1_300 }),
    heightDots: fc.integer({ min: 1, max: 700 }),
    salt: fc.nat(),
  })
  .map(({ widthDots, heightDots, salt }): Bitmap => {
    const rowBytes = bytesPerRow(widthDots)
    const bytes = new Uint8Array(rowBytes * heightDots)
    const random = randomFrom(salt)
    for (let y = 0; y < heightDots; y++) {
      const sort = random()
      const row = bytes.subarray(y * rowBytes, (y + 1) * rowBytes)
      if (y > 0 && sort < 0.9) row.set(bytes.subarray((y - 1) * rowBytes, y * rowBytes))
      else if (sort < 0.95) for (let at = 0; at < rowBytes; at++) row[at] = Math.floor(random() * 256)
      else row.fill(0x55, Math.floor(random() * rowBytes))
      // the bits after the last dot of a row belong to no dot, so they stay white
      row[rowBytes - 1] = (row[rowBytes - 1] ?? 0) & (0xff << (rowBytes * 8 - widthDots))
    }
    return { widthDots, heightDots, bytes }
  })

describe('a PWG raster document', () => {
  it('contains every dot of each page, and the size of the page', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(page, { minLength: 1, maxLength: 3 }), type, async (pages, one) => {
        const read = decodePwg(await pwgRaster(pages, { ...paper, type: one }))
        expect(read.map(({ bitmap }) => bitmap)).toEqual(pages)
        const isBilevel = one === 'black_1'
        for (const { bitmap: _, ...head } of read)
          expect(head).toEqual({
            dpi: 203,
            bitsPerPixel: isBilevel ? 1 : 8,
            colorSpace: isBilevel ? 3 : 18,
            pageSizePt: [288, 432],
            mediaName: 'na_index-4x6_4x6in',
            totalPages: pages.length,
          })
      }),
      { seed, numRuns: count(25, 500) },
    )
  })

  it('uses fewer than 20 bytes for a white page, in addition to the headers', async () => {
    const job = await pwgRaster([white], { ...paper, type: 'black_1' })
    expect(job.length).toBeLessThan(4 + 1796 + 20)
  })

  it('is encoded, and then joined, with at most one page per turn of the event loop', async () => {
    const pages = Array.from({ length: 10 }, () => white)
    expect(await turnsDuring(pwgRaster(pages, { ...paper, type: 'sgray_8' }))).toBeGreaterThanOrEqual(2 * 9)
  })

  it('is encoded with at most a hundred rows per turn of the event loop if all rows are different', async () => {
    const random = randomFrom(1)
    const noise = { ...white, bytes: Uint8Array.from(white.bytes, () => Math.floor(random() * 256)) }
    const turns = await turnsDuring(pwgRaster([noise], { ...paper, type: 'sgray_8' }))
    expect(turns).toBeGreaterThanOrEqual(2 * Math.floor(noise.heightDots / 100))
  })
})
