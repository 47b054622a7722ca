import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { countRows } from '#desk/catalogue/list-walk.ts'
import { count, seed } from '#support/counts.ts'

describe('counting by probing', () => {
  const questionsFor = async (rows: number, known: number, guess: number | null): Promise<number> => {
    let questions = 0
    const isThere = (nth: number): Promise<boolean> => {
      questions++
      return Promise.resolve(nth <= rows)
    }
    expect(await countRows(isThere, Math.min(known, rows), guess)).toBe(rows)
    return questions
  }

  it('finds the exact number in few questions, whatever is guessed', async () => {
    const guess = fc.option(fc.nat(3_000_000))
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 2_000_000 }), fc.nat(2_000_000), guess, async (...facts) => {
        expect(await questionsFor(...facts)).toBeLessThan(50)
      }),
      { numRuns: count(100, 10_000), seed },
    )
  })

  it('asks twice where nothing has changed', async () => {
    expect(await questionsFor(123_456, 1_000, 123_456)).toBe(2)
  })
})
