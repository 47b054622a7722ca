import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { dotPt } from '#labels/draw/canvas.ts'
import {
  linearBars,
  linearQuietModules,
  matrixBars,
  matrixQuietModules,
  planCode128,
  planQr,
} from '#labels/draw/symbols.ts'
import { count } from '#support/counts.ts'

/** The width in points that a 4x6 label has for its barcode. */
const availablePt = 268

describe('a planned Code 128 barcode', () => {
  it('has modules of whole dots that are at least 0.25 mm wide, and leaves space for both quiet zones', () => {
    const codes = fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 29 })
    fc.assert(
      fc.property(codes, (code) => {
        const plan = planCode128(code, availablePt)
        const modules = plan.runs.reduce((sum, run) => sum + run, 0)
        expect(Number.isInteger(plan.moduleDots)).toBe(true)
        expect((plan.moduleDots * 25.4) / 203).toBeGreaterThanOrEqual(0.25)
        expect((modules + 2 * linearQuietModules) * plan.moduleDots * dotPt).toBeLessThanOrEqual(availablePt)
        // the start character, each data character and the check character have 11 modules each, the stop character 13
        expect((modules - 13) % 11).toBe(0)
      }),
      { seed: 21, numRuns: count(200, 5000) },
    )
  })

  it('has the widest modules with which the code fits', () => {
    expect(planCode128('6170361759662421', availablePt).moduleDots).toBe(4)
    expect(planCode128('7SV4K20M890290526620', availablePt).moduleDots).toBe(3)
    expect(planCode128('ABCDEFGHIJKLMNOPQRSTUVWXYZ', availablePt).moduleDots).toBe(2)
  })

  it('is refused if its modules would be too narrow to scan, or if its text is empty or not ASCII', () => {
    expect(() => planCode128('A'.repeat(40), availablePt)).toThrow(RangeError)
    expect(() => planCode128('RPé', availablePt)).toThrow(RangeError)
    expect(() => planCode128('', availablePt)).toThrow(RangeError)
  })

  it('has bars that begin and end on whole dots', () => {
    const plan = planCode128('RP994230322NL', availablePt)
    for (const bar of linearBars(plan, 50)) {
      for (const lengthPt of [bar.xPt, bar.widthPt]) {
        const dots = lengthPt / dotPt
        expect(Math.abs(dots - Math.round(dots))).toBeLessThan(0.05)
        expect(Math.round(dots) % plan.moduleDots).toBe(0)
      }
    }
  })
})

describe('a planned QR code', () => {
  it('is, with its quiet zone, not larger than the given side', () => {
    const plan = planQr('7SV4K20M890290526620', 68)
    const side = plan.rows.length
    expect((side + 2 * matrixQuietModules) * plan.moduleDots * dotPt).toBeLessThanOrEqual(68)
    expect(plan.sideDots).toBe(side * plan.moduleDots)
  })

  it('has black boxes whose area is that of its dark modules', () => {
    const plan = planQr('RP994230322NL', 68)
    const module = plan.moduleDots * dotPt
    const area = matrixBars(plan).reduce((sum, bar) => sum + (bar.widthPt * bar.heightPt) / module ** 2, 0)
    expect(Math.round(area)).toBe(plan.rows.flat().filter(Boolean).length)
  })

  it('is refused if the given side is too short for a readable code', () => {
    expect(() => planQr('RP994230322NL', 20)).toThrow(RangeError)
  })
})
