import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Bitmap, quarterTurn } from '#labels/pixels/bitmap.ts'
import { findLinearSymbols, findMatrixModules } from '#labels/read/find-symbols.ts'
import { labelBoxes } from '#labels/read/label-boxes.ts'
import { keepsBarcodes, type Measured, readableScale } from '#labels/place/label-scale.ts'
import { planCode128, planQr } from '#labels/draw/symbols.ts'
import { count, seed } from '#support/counts.ts'

const dpi = 203

/** Returns a white bitmap with black boxes (x, y, width, height). */
function drawn(
  widthDots: number,
  heightDots: number,
  boxes: readonly (readonly [number, number, number, number])[],
): Bitmap {
  const rowBytes = Math.ceil(widthDots / 8)
  const bytes = new Uint8Array(rowBytes * heightDots)
  for (const [left, top, width, height] of boxes)
    for (let y = top; y < top + height; y++)
      for (let x = left; x < left + width; x++) {
        const at = y * rowBytes + (x >> 3)
        bytes[at] = (bytes[at] ?? 0) | (0x80 >> (x & 7))
      }
  return { widthDots, heightDots, bytes }
}

/** Returns a bitmap with bars of the given widths, starting with a bar, 100 dots high, 40 dots from every edge. */
function bars(runs: readonly number[]): Bitmap {
  const boxes: [number, number, number, number][] = []
  let x = 40
  for (const [index, run] of runs.entries()) {
    if (index % 2 === 0) boxes.push([x, 40, run, 100])
    x += run
  }
  return drawn(x + 40, 180, boxes)
}

const code128 = (text: string): readonly number[] => planCode128(text, 5_000).runs
const text = fc.stringMatching(/^[ -~]{2,24}$/)

describe('the detection of barcodes', () => {
  it('measures every bar of an upright or turned linear barcode, for any text and modules of 2 to 5 dots', () => {
    fc.assert(
      fc.property(text, fc.integer({ min: 2, max: 5 }), fc.boolean(), (value, moduleDots, lies) => {
        const modules = code128(value)
        const upright = bars(modules.map((run) => run * moduleDots))
        const found = findLinearSymbols(lies ? quarterTurn(upright) : upright, dpi)
        expect(found).toHaveLength(1)
        expect(found[0]?.moduleDots).toBe(moduleDots)
        expect([modules, modules.toReversed()]).toContainEqual(found[0]?.modules)
      }),
      { seed, numRuns: count(40, 1_000) },
    )
  })

  it('finds no linear barcode in a table and a black band', () => {
    const rules = Array.from({ length: 8 }, (_, at) => [40 + at * 60, 40, 3, 200] as const)
    expect(findLinearSymbols(drawn(600, 300, [...rules, [20, 20, 500, 60]]), dpi)).toEqual([])
  })

  it('measures the modules of a QR code', () => {
    const plan = planQr('TB123456785NL', 150)
    const boxes = plan.rows.flatMap((row, y) =>
      row.flatMap((dark, x) => (dark ? [[40 + x * 5, 40 + y * 5, 5, 5] as const] : [])),
    )
    expect(new Set(findMatrixModules(drawn(240, 240, boxes), dpi))).toEqual(new Set([5]))
  })
})

describe('the scale of a label', () => {
  const measured = (linearDots: number, matrixDots = Infinity): Measured => ({
    linear: findLinearSymbols(bars(code128('TB123456785NL').map((run) => 3 * run)), dpi),
    linearDots,
    matrixDots,
  })

  it.each([
    // each module is a whole number of dots wide if this does not make the label much smaller
    [measured(3), 0.75, 203, 2 / 3],
    [measured(4), 0.75, 203, 0.75],
    // with modules of 2 whole dots the label would be much smaller, so modules have fractions of a dot
    [measured(4), 0.72, 203, 0.72],
    // the narrowest modules are 0.23 mm at 203 dpi and 0.19 mm at 300 dpi
    [measured(2), 0.75, 203, null],
    [measured(2.5), 0.75, 203, 0.75],
    [measured(2.4), 0.75, 203, null],
    [measured(3), 0.76, 300, 0.76],
    [measured(2.9), 0.75, 300, null],
    // matrix codes need modules of three dots
    [measured(4, 4), 0.75, 203, 0.75],
    [measured(4, 3.9), 0.75, 203, null],
    // the scale must be at least 0.6, so that the small text of the label stays readable
    [measured(8), 0.59, 203, null],
    [{ ...measured(4), linear: [] }, 0.75, 203, null],
  ])('is the largest scale at which all barcodes stay readable: case %#', (symbols, most, at, expected) => {
    const scale = readableScale(symbols, most, at)
    if (expected === null) expect(scale).toBeNull()
    else expect(scale).toBeCloseTo(expected, 5)
  })

  it('is refused if a bar of the scaled label is missing, too wide, or merged with the next bar', () => {
    const modules = code128('TB123456785NL')
    const before = findLinearSymbols(bars(modules.map((run) => 6 * run)), 2 * dpi)
    const dots = modules.map((run) => 3 * run)
    expect(keepsBarcodes(bars(dots), dpi, before)).toBe(true)
    expect(keepsBarcodes(quarterTurn(bars(dots)), dpi, before)).toBe(true)
    // the check rounds widths to modules of three dots: one dot more does not change the width of a bar, two dots do
    const grown = (by: number): number[] => dots.map((run, at) => (at === 10 ? run + by : run))
    expect(keepsBarcodes(bars(grown(1)), dpi, before)).toBe(true)
    expect(keepsBarcodes(bars(grown(2)), dpi, before)).toBe(false)
    const merged = [...dots.slice(0, 10), dots.slice(10, 13).reduce((a, b) => a + b, 0), ...dots.slice(13)]
    expect(keepsBarcodes(bars(merged), dpi, before)).toBe(false)
    expect(keepsBarcodes(bars(dots.slice(0, -2)), dpi, before)).toBe(false)
  })
})

describe('the label on a sheet', () => {
  const barcode = { x: 150, y: 450, width: 300, height: 100 }
  const parts = [
    [100, 100, 600, 200],
    // this part is 7 mm below the first part, so it belongs to the same label
    [150, 356, 300, 200],
    // the instructions are 30 mm below the second part, so they do not belong to the label
    [50, 800, 1_500, 1_200],
  ] as const

  it('is the group of ink around a barcode, including small gaps in the group', () => {
    expect(labelBoxes(drawn(1_679, 2_374, parts), dpi, [barcode])).toEqual([
      { x: 100, y: 100, width: 600, height: 456 },
    ])
  })

  it('is not found without a barcode, or if the ink around the barcode is smaller than a label', () => {
    expect(labelBoxes(drawn(1_679, 2_374, parts), dpi, [])).toEqual([])
    expect(labelBoxes(drawn(1_679, 2_374, [[150, 450, 300, 100]]), dpi, [barcode])).toEqual([])
  })
})
