import { describe, expect, it } from 'vitest'
import { outcomeOf, printersWords } from '#printing/driver-result.ts'

describe('the message of a printer in a driver result', () => {
  it('is unchanged if it is short and has only visible characters', () => {
    for (const text of [
      'ipp job 7 completed, 1 of 1, printer-state 3 none',
      '~HS 030,0,0',
      'Étiquette 漢 🎁',
    ])
      expect(printersWords(text)).toBe(text)
  })

  it('contains a space in place of control characters, line ends and invisible characters', () => {
    expect(printersWords('a\r\n\u0000b\u001b[2Jc\u202ed\u200be\u2028f\ud800g')).toBe('a b [2Jc d e f g')
  })

  it('is cut after two hundred characters, never inside a surrogate pair', () => {
    expect(printersWords('x'.repeat(60_000))).toBe('x'.repeat(200))
    expect(printersWords('🎁'.repeat(60_000))).toBe('🎁'.repeat(200))
    expect(printersWords('\u0001'.repeat(60_000))).toBe('')
  })

  it('is also cut after two hundred characters if it is the evidence of a job', () => {
    const evidence = `state ${'\u0007y'.repeat(60_000)}`
    const outcome = outcomeOf({ kind: 'confirmed', evidence }, 'p')
    expect('evidence' in outcome && outcome.evidence).toMatch(/^state ( y){97}$/)
  })
})
