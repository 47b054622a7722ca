import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Bitmap, crop, inkBox, isBlack, quarterTurn } from '#labels/pixels/bitmap.ts'
import { count, seed } from '#support/counts.ts'

function blackDots(rows: readonly string[]): { x: number; y: number }[] {
  return rows.flatMap((row, y) => [...row.matchAll(/#/g)].map(({ index }) => ({ x: index, y })))
}

/** Returns a bitmap from rows of text, in which `#` is black. */
function drawn(...rows: string[]): Bitmap {
  const widthDots = rows[0]?.length ?? 0
  const rowBytes = Math.ceil(widthDots / 8)
  const bytes = new Uint8Array(rowBytes * rows.length)
  for (const { x, y } of blackDots(rows)) {
    const at = y * rowBytes + (x >> 3)
    bytes[at] = (bytes[at] ?? 0) | (0x80 >> (x & 7))
  }
  return { widthDots, heightDots: rows.length, bytes }
}

function shown(bitmap: Bitmap): string[] {
  return Array.from({ length: bitmap.heightDots }, (_, y) =>
    Array.from({ length: bitmap.widthDots }, (_, x) => (isBlack(bitmap, x, y) ? '#' : '.')).join(''),
  )
}

const dots = fc
  .tuple(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 1, max: 30 }))
  .chain(([width, height]) =>
    fc.array(fc.stringMatching(new RegExp(`^[.#]{${String(width)}}$`)), {
      minLength: height,
      maxLength: height,
    }),
  )
const runs = { seed, numRuns: count(60, 2_000) }

describe('a bitmap', () => {
  it('is rotated clockwise by a quarter turn', () => {
    expect(shown(quarterTurn(drawn('##.', '#..')))).toEqual(['##', '.#', '..'])
  })

  it('is unchanged after four quarter turns', () => {
    fc.assert(
      fc.property(dots, (rows) => {
        const once = quarterTurn(drawn(...rows))
        expect(shown(quarterTurn(quarterTurn(quarterTurn(once))))).toEqual(rows)
      }),
      runs,
    )
  })

  it('has an ink box that is the smallest box around all its ink', () => {
    fc.assert(
      fc.property(dots, (rows) => {
        const inked = blackDots(rows)
        const [xs, ys] = [inked.map(({ x }) => x), inked.map(({ y }) => y)]
        const [x, y] = [Math.min(...xs), Math.min(...ys)]
        const box = { x, y, width: Math.max(...xs) - x + 1, height: Math.max(...ys) - y + 1 }
        expect(inkBox(drawn(...rows))).toEqual(inked.length === 0 ? null : box)
      }),
      runs,
    )
  })

  it('is cropped to the given box, with white where the box is outside the bitmap', () => {
    const offset = fc.integer({ min: -10, max: 45 })
    const size = fc.integer({ min: 1, max: 50 })
    fc.assert(
      fc.property(dots, offset, offset, size, size, (rows, x, y, width, height) => {
        const expected = Array.from({ length: height }, (_, row) =>
          Array.from({ length: width }, (_, column) => rows[y + row]?.[x + column] ?? '.').join(''),
        )
        expect(shown(crop(drawn(...rows), { x, y, width, height }))).toEqual(expected)
      }),
      runs,
    )
  })
})
