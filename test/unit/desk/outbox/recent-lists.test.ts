import { beforeEach, describe, expect, it } from 'vitest'
import { type BrokenWalk, WalkPause } from '#desk/outbox/recent-lists.ts'
import { failure } from '#shared/errors/catalogue.ts'
import { type FakeClock, fakeClock } from '#support/desk-fakes.ts'

const endless: BrokenWalk = { failure: failure('api.malformed_answer'), isRefused: false, page: 20 }

let clock: FakeClock
let pause: WalkPause<BrokenWalk | null>
let said: BrokenWalk | null
let walks: number
beforeEach(() => {
  clock = fakeClock()
  pause = new WalkPause(clock, (result) => result)
  said = endless
  walks = 0
})

const walk = (since = 100): Promise<BrokenWalk | null> =>
  pause.walk(since, () => {
    walks++
    return Promise.resolve(said)
  })

/** Makes ten requests one after another. Returns how many of them walk the list. */
async function walksOfTen(since = 100): Promise<number> {
  const before = walks
  for (let one = 0; one < 10; one++) await walk(since)
  return walks - before
}

describe('a walk that breaks off after the first page of a list', () => {
  it('runs once for all commands that need the same part of the list, and again after a pause that doubles each time', async () => {
    expect(await walksOfTen()).toBe(1)
    for (const pauseMs of [1_200, 2_400, 4_800]) {
      clock.advance(pauseMs / 1.2 - 1)
      expect(await walksOfTen()).toBe(0)
      clock.advance(pauseMs - pauseMs / 1.2 + 1)
      expect(await walksOfTen()).toBe(1)
    }
  })

  it('runs again after at most 72 seconds: a minute, plus a random time of up to a fifth of a minute', async () => {
    for (let round = 0; round < 20; round++) {
      await walk()
      clock.advance(72_000)
    }
    expect(walks).toBe(20)
  })

  it('does not prevent a walk for another command that needs a smaller part of the list', async () => {
    await walk(100)
    said = null
    expect([await walk(101), await walk(100), await walk(99)]).toEqual([null, endless, endless])
    expect(walks).toBe(2)
  })

  it('is repeated, after its pause, by only one command at a time', async () => {
    await walk()
    clock.advance(72_000)
    let finish = (): void => undefined
    const second = pause.walk(100, () => new Promise((resolve) => (finish = () => resolve(null))))
    expect(await walk()).toEqual(endless)
    expect(walks).toBe(1)
    finish()
    expect(await second).toBeNull()
    // from here on each walk succeeds; only the result of a failed walk is returned to later requests, so each of the
    // ten requests walks the list
    said = null
    expect(await walksOfTen()).toBe(10)
  })

  it('can run once more after its second run has thrown an error', async () => {
    await walk()
    clock.advance(72_000)
    await expect(pause.walk(100, () => Promise.reject(new Error('broken')))).rejects.toThrow('broken')
    expect(await walksOfTen()).toBe(1)
  })
})

describe('WalkPause', () => {
  it.each([
    ['a list that is read to its end', null],
    ['a list that fails on its first page', { ...endless, page: 1 }],
    ['a list that this login may not read', { ...endless, isRefused: true }],
    ['a list whose walk ends with a lost connection', { ...endless, failure: failure('network.timeout') }],
  ])('lets each of ten requests walk the list without a pause: %s', async (_, result) => {
    said = result
    expect(await walksOfTen()).toBe(10)
  })
})
