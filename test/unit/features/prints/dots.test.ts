import { describe, expect, it } from 'vitest'
import { fittingSize, pictureOf, pixelsOf } from '#features/prints/dots.ts'
import { samplePage } from '#support/memory-desk/prints.ts'

/** Rows of `#` and `.`, as a printer would receive them. */
function page(...rows: string[]): Parameters<typeof pictureOf>[0] {
  const widthDots = rows[0]?.length ?? 0
  const bytes = rows.flatMap((row) =>
    (row.match(/.{1,8}/g) ?? []).map((part) =>
      Array.from(part.padEnd(8, '.')).reduce((byte, dot) => byte * 2 + (dot === '#' ? 1 : 0), 0),
    ),
  )
  return {
    widthDots,
    heightDots: rows.length,
    rows: Uint8Array.from(bytes),
    codes: [],
    laid: null,
  }
}

describe('the picture of a printed page', () => {
  it('shows every dot of the page if there is enough space', () => {
    const { ink } = pictureOf(page('#.........', '.........#'), 10, 2)
    expect([...ink]).toEqual([1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1])
  })

  it('has pixels with the average darkness of their dots, so that no thin bar is lost', () => {
    expect([...pictureOf(page('#...#...', '#...#...'), 2, 1).ink]).toEqual([0.25, 0.25])
    const { ink } = pictureOf(page('#..#..#'), 3, 1)
    expect(ink.every((darkness) => darkness > 0)).toBe(true)
  })

  it('has about the same share of black as the page, even if the picture is much smaller', () => {
    const whole = samplePage(812, 1218)
    const shareOf = (width: number, height: number): number =>
      pictureOf(whole, width, height).ink.reduce((sum, one) => sum + one, 0) / (width * height)
    const exact = shareOf(812, 1218)
    expect(exact).toBeGreaterThan(0.05)
    expect(shareOf(171, 256)).toBeCloseTo(exact, 2)
    expect(shareOf(7, 11)).toBeCloseTo(exact, 1)
  })

  it('is black on white', () => {
    expect([...pixelsOf(pictureOf(page('#.'), 2, 1))]).toEqual([0, 0, 0, 255, 255, 255, 255, 255])
  })
})

describe('fittingSize()', () => {
  it.each([
    [
      { widthDots: 812, heightDots: 1218 },
      { width: 400, height: 252 },
      { width: 168, height: 252 },
    ],
    [
      { widthDots: 1218, heightDots: 812 },
      { width: 300, height: 252 },
      { width: 300, height: 200 },
    ],
    [
      { widthDots: 100, heightDots: 50 },
      { width: 400, height: 400 },
      { width: 100, height: 50 },
    ],
    [
      { widthDots: 8000, heightDots: 10 },
      { width: 100, height: 100 },
      { width: 100, height: 1 },
    ],
  ])(
    'returns the largest size that fits, with the proportions of the page and at most one pixel per dot: case %#',
    (dots, room, size) => {
      expect(fittingSize(dots, room)).toEqual(size)
    },
  )
})
