import { describe, expect, it } from 'vitest'
import { makeRandom } from '#middleware/warehouse/demo/random.ts'

describe('makeRandom()', () => {
  it('creates the same numbers for the same seed, and different numbers for a different seed', () => {
    const draw = (seed: number): number[] => {
      const random = makeRandom(seed)
      return Array.from({ length: 20 }, () => random.next())
    }
    expect(draw(7)).toEqual(draw(7))
    expect(draw(7)).not.toEqual(draw(8))
  })

  it('creates forks, which do not change the numbers of the generator that they come from', () => {
    const one = makeRandom(7)
    const other = makeRandom(7)
    const fork = other.fork('topic')
    for (let i = 0; i < 50; i++) fork.next()
    expect(one.next()).toBe(other.next())
    expect(fork.next()).not.toBe(other.fork('else').next())
  })

  it('creates version 4 UUIDs without a duplicate', () => {
    const random = makeRandom(7)
    const ids = Array.from({ length: 5000 }, () => random.uuid())
    for (const id of ids)
      expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    expect(new Set(ids).size).toBe(ids.length)
  })

  it('creates integers evenly between two bounds, and picks items by their weights', () => {
    const random = makeRandom(7)
    const dice = Array.from({ length: 6000 }, () => random.int(1, 6))
    for (const face of [1, 2, 3, 4, 5, 6]) {
      const hits = dice.filter((value) => value === face).length
      expect(hits).toBeGreaterThan(850)
      expect(hits).toBeLessThan(1150)
    }
    const picks = Array.from({ length: 1000 }, () =>
      random.weighted([
        ['often', 9],
        ['never', 0],
        ['seldom', 1],
      ]),
    )
    expect(picks).not.toContain('never')
    expect(picks.filter((pick) => pick === 'often').length).toBeGreaterThan(830)
    expect(() => random.pick([])).toThrow(RangeError)
  })

  it('shuffles a list without losing an item', () => {
    const items = Array.from({ length: 100 }, (_, index) => index)
    const shuffled = makeRandom(7).shuffled(items)
    expect(shuffled).not.toEqual(items)
    expect([...shuffled].sort((a, b) => a - b)).toEqual(items)
  })
})
