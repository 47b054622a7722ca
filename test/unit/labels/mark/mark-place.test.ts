import { describe, expect, it } from 'vitest'
import { blankBitmap, type DotBox, overlap } from '#labels/pixels/bitmap.ts'
import { findMarkPlace } from '#labels/mark/mark-place.ts'
import { paint } from '#support/drawn-symbols.ts'

const dpi = 254
const wide = { widthEm: 4, heightEm: 1, leastDots: 30, mostDots: 120 }
const whole: DotBox = { x: 0, y: 0, width: 1000, height: 1500 }
/** 1.5 mm at 254 dpi, in dots. */
const clearance = 15

function black(...white: DotBox[]): ReturnType<typeof blankBitmap> {
  const bitmap = blankBitmap(whole.width, whole.height)
  paint(bitmap, whole, true)
  for (const box of white) paint(bitmap, box, false)
  return bitmap
}

function inside(box: DotBox, of: DotBox, by: number): boolean {
  return (
    box.x - of.x >= by &&
    box.y - of.y >= by &&
    of.x + of.width - box.x - box.width >= by &&
    of.y + of.height - box.y - box.height >= by
  )
}

describe('the mark of a copy on a label', () => {
  it('is placed where it can be largest, even if another white area is larger', () => {
    const tall = { x: 50, y: 50, width: 100, height: 1400 }
    const low = { x: 300, y: 700, width: 500, height: 150 }
    const place = findMarkPlace(black(tall, low), [], [{ ...wide, mostDots: 1000 }], dpi)
    expect(place).toMatchObject({ isTurned: false, emDots: 117.5 })
    expect(place && inside(place.box, low, clearance)).toBe(true)
  })

  it('is rotated if it does not fit upright', () => {
    const tall = { x: 50, y: 50, width: 100, height: 1400 }
    const place = findMarkPlace(black(tall), [], [wide], dpi)
    expect(place).toMatchObject({ isTurned: true, emDots: 70 })
    expect(place && inside(place.box, tall, clearance)).toBe(true)
  })

  it('has the shape in which it can be printed largest', () => {
    const square = { x: 100, y: 100, width: 300, height: 300 }
    const squarish = { ...wide, widthEm: 1.5, heightEm: 1.5 }
    expect(findMarkPlace(black(square), [], [wide, squarish], dpi)?.shape).toBe(squarish)
  })

  it('is not larger than the maximum size', () => {
    expect(findMarkPlace(blankBitmap(1000, 1500), [], [wide], dpi)?.emDots).toBe(wide.mostDots)
  })

  it('is placed outside the quiet zones of barcodes', () => {
    const low = { x: 100, y: 700, width: 800, height: 150 }
    const taken = { x: 0, y: 600, width: 500, height: 300 }
    const place = findMarkPlace(black(low), [taken], [wide], dpi)
    expect(place && inside(place.box, { ...low, x: 500, width: 400 }, clearance)).toBe(true)
  })

  it('is placed at an edge, over as little ink as possible, if no white area is large enough', () => {
    const bitmap = black(
      { x: 850, y: 1000, width: 8, height: 200 },
      { x: 500, y: 500, width: 60, height: 60 },
    )
    const place = findMarkPlace(bitmap, [], [wide], dpi)
    expect(place?.emDots).toBe(wide.leastDots)
    if (!place) return
    // the label has two white areas away from its edges, a strip of 8 by 200 dots and a square; a copy mark over the
    // square, or a rotated one over the strip, would cover less ink, but would not be at an edge
    expect(overlap(place.box, { x: 500, y: 500, width: 60, height: 60 })).toBe(false)
    const { x, y, width, height } = place.box
    expect(Math.min(x, y, 1000 - x - width, 1500 - y - height)).toBeLessThanOrEqual(40)
  })

  it('is not placed at an edge if barcodes cover the edges', () => {
    const edges: DotBox[] = [
      { x: 0, y: 0, width: 1000, height: 200 },
      { x: 0, y: 1300, width: 1000, height: 200 },
      { x: 0, y: 0, width: 200, height: 1500 },
      { x: 800, y: 0, width: 200, height: 1500 },
    ]
    const place = findMarkPlace(black(), edges, [wide], dpi)
    expect(place).not.toBeNull()
    for (const edge of edges) expect(place && overlap(place.box, edge)).toBe(false)
  })

  it('has no place if barcodes cover the whole label, or if the label is too small', () => {
    expect(findMarkPlace(blankBitmap(1000, 1500), [whole], [wide], dpi)).toBeNull()
    expect(findMarkPlace(blankBitmap(90, 20), [], [wide], dpi)).toBeNull()
  })
})
