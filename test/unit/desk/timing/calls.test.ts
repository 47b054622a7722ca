import { describe, expect, it } from 'vitest'
import { SharedCalls } from '#desk/timing/calls.ts'

describe('SharedCalls', () => {
  it('makes one call for all callers that ask for the same key while this call is under way', async () => {
    const calls = new SharedCalls<number>()
    let made = 0
    const ask = (key: string): Promise<number> => calls.ask(key, () => Promise.resolve(++made))
    expect(await Promise.all([ask('a'), ask('a'), ask('b')])).toEqual([1, 1, 2])
    expect(await ask('a')).toBe(3)
  })

  it('makes a new call for a key whose previous call failed', async () => {
    const calls = new SharedCalls<number>()
    await expect(calls.ask('a', () => Promise.reject(new Error('no')))).rejects.toThrow('no')
    expect(await calls.ask('a', () => Promise.resolve(1))).toBe(1)
  })
})
