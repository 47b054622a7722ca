import { describe, expect, it } from 'vitest'
import { LastAct, repeatedReadMs } from '#place/repeated-reads.ts'

describe('the last act', () => {
  it('is repeated only by an act of the same kind within 0.8 s', () => {
    const last = new LastAct()
    expect(last.isRepeated('PRIMARY', 0)).toBe(false)
    last.acted('PRIMARY', 1_000)
    expect(last.isRepeated('PRIMARY', 1_000 + repeatedReadMs - 1)).toBe(true)
    expect(last.isRepeated('ENTER', 1_000)).toBe(false)
    expect(last.isRepeated('PRIMARY', 1_000 + repeatedReadMs)).toBe(false)
  })

  it('counts as repeated within 0.8 s after each change of the primary act, and only then if the act was recorded without a time', () => {
    const last = new LastAct()
    last.acted(7)
    expect(last.isRepeated(7, 0)).toBe(false)
    for (const changedMs of [5_000, 9_000]) {
      last.changed(changedMs)
      expect(last.isRepeated(7, changedMs + repeatedReadMs - 1)).toBe(true)
      expect(last.isRepeated(7, changedMs + repeatedReadMs)).toBe(false)
    }
  })

  it('is not repeated after another scan, even if the primary act changes then', () => {
    const last = new LastAct()
    last.acted('PRIMARY', 0)
    last.end()
    last.changed(0)
    expect(last.isRepeated('PRIMARY', 0)).toBe(false)
  })
})
