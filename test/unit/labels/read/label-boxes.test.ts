import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Bitmap, blankBitmap, type DotBox } from '#labels/pixels/bitmap.ts'
import { labelBoxes } from '#labels/read/label-boxes.ts'
import { count, seed } from '#support/counts.ts'

const dpi = 203
const dots = (mm: number): number => Math.round((mm * dpi) / 25.4)
/** Returns a box in dots for lengths in millimetres. */
const mm = (x: number, y: number, width: number, height: number): DotBox => ({
  x: dots(x),
  y: dots(y),
  width: dots(width),
  height: dots(height),
})

function fill({ bytes, widthDots }: Bitmap, box: DotBox): void {
  const rowBytes = (widthDots + 7) >> 3
  for (let y = box.y; y < box.y + box.height; y++)
    for (let x = box.x; x < box.x + box.width; x++) {
      const at = y * rowBytes + (x >> 3)
      bytes[at] = (bytes[at] ?? 0) | (0x80 >> (x & 7))
    }
}

/** Returns a bitmap of an A4 page with these boxes in black. */
function sheet(...boxes: readonly DotBox[]): Bitmap {
  const bitmap = blankBitmap(dots(210), dots(297))
  for (const box of boxes) fill(bitmap, box)
  return bitmap
}

/** Returns the four lines of a frame around a box. */
function frame({ x, y, width, height }: DotBox): DotBox[] {
  const line = 4
  return [
    { x, y, width, height: line },
    { x, y: y + height - line, width, height: line },
    { x, y, width: line, height },
    { x: x + width - line, y, width: line, height },
  ]
}

/** Returns the box of a barcode at the bottom of this label. The tests draw the barcode as one black box. */
const codeIn = ({ x, y, width, height }: DotBox): DotBox => ({
  x: x + dots(10),
  y: y + height - dots(20),
  width: width - dots(20),
  height: dots(12),
})

/** Returns bars and spaces of a millimetre over the whole width of a box. */
const bars = ({ x, y, width, height }: DotBox): DotBox[] => {
  const count = Math.floor(width / 16)
  const from = Array.from({ length: count }, (_, at) => x + at * 16)
  return [...from, x + width - 8].map((left) => ({ x: left, y, width: 8, height }))
}

const framed = (box: DotBox): DotBox[] => [...frame(box), codeIn(box)]

describe('the detection of labels on a sheet', () => {
  it('separates labels whose frames nearly touch', () => {
    const labels = [mm(3, 3, 99, 140), mm(106, 3, 99, 140), mm(3, 147, 99, 140), mm(106, 147, 99, 140)]
    const found = labelBoxes(sheet(...labels.flatMap(framed)), dpi, labels.map(codeIn))
    expect(found).toEqual(labels)
  })

  it('returns the labels row by row, even if a label is a little higher than its left neighbour', () => {
    const labels = [mm(5, 12, 90, 100), mm(110, 8, 90, 100), mm(110, 150, 90, 100), mm(5, 155, 90, 100)]
    const found = labelBoxes(sheet(...labels.flatMap(framed)), dpi, labels.map(codeIn))
    expect(found).toEqual([labels[0], labels[1], labels[3], labels[2]])
  })

  it('separates labels without frames if they have similar sizes', () => {
    const one = mm(10, 10, 90, 60)
    const two = mm(10, 74, 90, 60)
    const parts = [one, two].flatMap(({ x, y, width, height }) => [
      { x, y, width, height: height - dots(20) },
      codeIn({ x, y, width, height }),
    ])
    const bitmap = sheet(...parts, ...[one, two].map((box) => ({ ...box, width: dots(12) })))
    const found = labelBoxes(bitmap, dpi, [one, two].map(codeIn))
    expect(found).toHaveLength(2)
    expect(found.map(({ y }) => y)).toEqual([one.y, two.y])
  })

  it('leaves out content outside the frame of a label, even close to the frame', () => {
    const label = mm(30, 20, 100, 140)
    const text = [0, 5, 10, 15].map((at) => mm(5, 165 + at, 200, 2))
    expect(labelBoxes(sheet(...framed(label), ...text), dpi, [codeIn(label)])).toEqual([label])
  })

  it('leaves out a packing slip that has its own barcode', () => {
    const label = mm(100, 180, 100, 100)
    const rows = Array.from({ length: 30 }, (_, at) => mm(5, 5 + 5 * at, 200, 2))
    const order = mm(150, 5, 50, 12)
    const found = labelBoxes(sheet(...framed(label), ...rows, order), dpi, [codeIn(label), order])
    expect(found).toEqual([label])
  })

  it('includes an address 15 mm above the barcode, and leaves out instructions far below the barcode', () => {
    const address = mm(20, 30, 60, 20)
    const code = mm(20, 65, 70, 20)
    const text = mm(10, 130, 190, 30)
    expect(labelBoxes(sheet(...bars(address), ...bars(code), text), dpi, [code])).toEqual([
      { x: address.x, y: address.y, width: code.width, height: code.y + code.height - address.y },
    ])
  })

  it('finds one label if a label has two barcodes, even in two inner frames', () => {
    const label = mm(20, 20, 100, 150)
    const codes = [mm(30, 40, 80, 20), mm(30, 130, 80, 20)]
    expect(labelBoxes(sheet(...frame(label), ...codes), dpi, codes)).toEqual([label])
    // the label has two frames of the same size, but most of its content is outside these frames
    const panels = [mm(25, 25, 90, 45), mm(25, 120, 90, 45)]
    const inside = panels.map(codeIn)
    const body = mm(25, 73, 90, 44)
    expect(labelBoxes(sheet(...panels.flatMap(framed), body), dpi, inside)).toEqual([mm(25, 25, 90, 140)])
  })

  it('finds two labels of the same size, for sides of 45 to 95 mm and 3 to 12 mm of white space between them', () => {
    const side = fc.integer({ min: 45, max: 95 })
    fc.assert(
      fc.property(side, side, fc.integer({ min: 3, max: 12 }), (width, height, gap) => {
        const boxes = [mm(5, 5, width, height), mm(5 + width + gap, 5, width, height)]
        const found = labelBoxes(sheet(...boxes.flatMap(framed)), dpi, boxes.map(codeIn))
        expect(found).toEqual(boxes)
      }),
      { seed, numRuns: count(30, 500) },
    )
  })
})
