import { describe, expect, it } from 'vitest'
import { outcomeOf, printersWords } from '#printing/driver-result.ts'

describe('the words of a printer', () => {
  it('are kept as they are where they are short', () => {
    for (const text of [
      'ipp job 7 completed, 1 of 1, printer-state 3 none',
      '~HS 030,0,0',
      'Étiquette 漢 🎁',
    ])
      expect(printersWords(text)).toBe(text)
  })

  it('have a blank in place of control characters, line ends and signs that are not seen', () => {
    expect(printersWords('a\r\n\u0000b\u001b[2Jc\u202ed\u200be\u2028f\ud800g')).toBe('a b [2Jc d e f g')
  })

  it('are cut at two hundred characters, none of them in half', () => {
    expect(printersWords('x'.repeat(60_000))).toBe('x'.repeat(200))
    expect(printersWords('🎁'.repeat(60_000))).toBe('🎁'.repeat(200))
    expect(printersWords('\u0001'.repeat(60_000))).toBe('')
  })

  it('are short in the evidence of a job', () => {
    const evidence = `state ${'\u0007y'.repeat(60_000)}`
    const outcome = outcomeOf({ kind: 'confirmed', evidence }, 'p')
    expect('evidence' in outcome && outcome.evidence).toMatch(/^state ( y){97}$/)
  })
})
