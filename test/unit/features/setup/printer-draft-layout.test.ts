import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { layoutDraft, layoutOf, offsetOf, stepped } from '#features/setup/printer-draft.svelte.ts'
import { printerLayout } from '#shared/bridge/printer-views.ts'
import { count, seed } from '#support/counts.ts'

describe('an offset of the printer’s layout', () => {
  it.each([
    ['', 0],
    ['0', 0],
    ['-0', 0],
    ['1.5', 1.5],
    ['1,5', 1.5],
    [' -2 ', -2],
    ['−20', -20],
    ['+20', 20],
    ['0.50', 0.5],
  ])('is parsed from the text %j as %d mm', (text, mm) => {
    expect(offsetOf(text)).toBe(mm)
  })

  it.each(['20.5', '-21', '0.3', '1.25', '1.', '.5', 'a', '1 2', '1e1', '--1'])(
    'is refused if its text is %j',
    (text) => {
      expect(offsetOf(text)).toBeNull()
    },
  )

  it('moves in steps of half a millimetre, and stops at its limits', () => {
    expect([stepped('', 1), stepped('-0.5', 1), stepped('1,5', -1)]).toEqual(['0.5', '0', '1'])
    expect([stepped('20', 1), stepped('-20', -1)]).toEqual(['20', '-20'])
    expect(stepped('far', 1)).toBe('0.5')
  })

  it('is accepted by the draft exactly when the contract accepts it', () => {
    const mm = fc.integer({ min: -90, max: 90 }).map((quarters) => quarters / 4)
    const turn = fc.constantFrom('auto' as const, 0 as const, 90 as const, 180 as const, 270 as const)
    fc.assert(
      fc.property(fc.record({ turn, offsetXMm: mm, offsetYMm: mm }), (layout) => {
        expect(layoutOf(layoutDraft(layout))).toEqual(printerLayout.safeParse(layout).data ?? null)
      }),
      { seed, numRuns: count(300, 5_000) },
    )
  })
})
