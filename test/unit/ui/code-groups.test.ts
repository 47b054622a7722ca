import { describe, expect, it } from 'vitest'
import { codeGroups, isBlankCode, shownCode } from '#ui/code-groups.ts'

describe('a code on the screen', () => {
  it('is shown in full up to 120 characters; of a longer code only its start and its length are shown', () => {
    expect(shownCode('A'.repeat(120))).toEqual({ start: 'A'.repeat(120), length: null })
    const { start, length } = shownCode('A'.repeat(5_000))
    expect([start.length, length]).toEqual([60, 5_000])
  })

  it('is blank if it consists of one or more characters of white space', () => {
    expect(['   ', '\t ', '', ' A '].map(isBlankCode)).toEqual([true, true, false, false])
  })
})

describe('the groups of a code', () => {
  it.each([
    ['8712345678906', ['8712', '3456', '7890', '6']],
    ['SHP00000000412', ['SHP', '0000', '0000', '412']],
    ['RP011513690NL', ['RP', '0115', '1369', '0', 'NL']],
    ['3SABCD1234567', ['3SAB', 'CD12', '3456', '7']],
    ['WEB-100412', ['WEB-100412']],
    ['RL-88', ['RL-88']],
    ['', ['']],
  ])('are the code itself if they are joined together: %s', (code, groups) => {
    expect(codeGroups(code)).toEqual(groups)
    expect(groups.join('')).toBe(code)
  })
})
