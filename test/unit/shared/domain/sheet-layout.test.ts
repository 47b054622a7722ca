import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { layOutSheet, sheetFormats, sheetKinds, sheetPlan } from '#shared/domain/sheet-layout.ts'
import { count } from '#support/counts.ts'

const rooms = fc.record({
  widthMm: fc.integer({ min: 40, max: 300 }),
  heightMm: fc.option(fc.integer({ min: 80, max: 600 }), { nil: null }),
})

describe('layOutSheet()', () => {
  it('places every cell once, inside the page and without overlap, and no heading at the end of a page', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...sheetKinds),
        fc.constantFrom(...sheetFormats),
        rooms,
        fc.array(fc.integer({ min: 0, max: 40 }), { maxLength: 5 }),
        fc.string({ minLength: 1, maxLength: 40 }),
        (kind, format, room, groups, longest) => {
          const plan = sheetPlan(kind, format, room, longest)
          const pages = layOutSheet(plan, groups)
          const placed = pages.flatMap(({ cells }) => cells.filter(({ index }) => index !== null))
          const names = placed.map(({ group, index }) => `${String(group)}.${String(index)}`)
          const expected = groups.flatMap((n, group) =>
            Array.from({ length: n }, (_, i) => `${String(group)}.${String(i)}`),
          )
          expect(names).toEqual(expected)
          for (const { cells, widthMm, heightMm } of pages) {
            const last = cells.at(-1)
            if (last) expect(last.index).not.toBeNull()
            for (const [i, a] of cells.entries()) {
              expect(a.xMm).toBeGreaterThanOrEqual(0)
              expect(a.xMm + a.widthMm).toBeLessThanOrEqual(widthMm + 1e-9)
              expect(a.yMm + a.heightMm).toBeLessThanOrEqual(heightMm + 1e-9)
              for (const b of cells.slice(i + 1)) {
                const beside = a.xMm + a.widthMm <= b.xMm + 1e-9 || b.xMm + b.widthMm <= a.xMm + 1e-9
                const below = a.yMm + a.heightMm <= b.yMm + 1e-9 || b.yMm + b.heightMm <= a.yMm + 1e-9
                expect(beside || below).toBe(true)
              }
            }
          }
        },
      ),
      { seed: 21, numRuns: count(150, 5000) },
    )
  })
})
