import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { clip, fitLines, fitSize, leading, type Measure } from '#labels/draw/fit-text.ts'
import { count } from '#support/counts.ts'

/** Measures a font in which the width of every letter is six tenths of its height. */
const measure: Measure = (text, sizePt) => text.length * sizePt * 0.6
const box = { widthPt: 120, heightPt: 50, maxSizePt: 12, minSizePt: 5 }
const line = (text: string): { text: string; bold: boolean; scale: number } => ({
  text,
  bold: false,
  scale: 1,
})

describe('text fitted into a box', () => {
  it('stays inside the box for any text', () => {
    const lines = fc.array(fc.string({ maxLength: 150 }).map(line), { minLength: 1, maxLength: 9 })
    fc.assert(
      fc.property(lines, (texts) => {
        const fit = fitLines(texts, box, measure)
        const height = fit.lines.length * fit.sizePt * leading
        expect(height).toBeLessThanOrEqual(box.heightPt + 1e-6)
        for (const { text } of fit.lines)
          if (text.length > 1)
            expect(measure(text, fit.sizePt, false)).toBeLessThanOrEqual(box.widthPt + 1e-6)
      }),
      { seed: 22, numRuns: count(300, 10_000) },
    )
  })

  it('has the maximum size and unbroken lines if the lines are short', () => {
    expect(fitLines([line('Kerkstraat 5'), line('NETHERLANDS')], box, measure)).toEqual({
      sizePt: 12,
      lines: [line('Kerkstraat 5'), line('NETHERLANDS')],
    })
  })

  it('contains every word if the box has enough space for line breaks', () => {
    const text = 'Stichting Natuurkampen voor Kinderen en Jongeren in Midden-Nederland'
    const fit = fitLines([line(text)], box, measure)
    expect(fit.lines.map((part) => part.text).join(' ')).toBe(text)
    expect(fit.lines.length).toBeGreaterThan(1)
  })

  it('ends in an ellipsis if it is too long for its line', () => {
    expect(clip('abcdefghij', 36, 10, false, measure)).toBe('abcde…')
    expect(clip('abcdef', 36, 10, false, measure)).toBe('abcdef')
  })

  it('has the largest size that fits on a single line, within the given bounds', () => {
    const bounds = { maxSizePt: 40, minSizePt: 8 }
    expect(fitSize('12', 120, bounds, measure)).toBe(40)
    expect(fitSize('1234567890', 120, bounds, measure)).toBeCloseTo(20)
    expect(fitSize('x'.repeat(99), 120, bounds, measure)).toBe(8)
  })
})
