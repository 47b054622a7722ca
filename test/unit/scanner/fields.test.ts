import { describe, expect, it } from 'vitest'
import { optionFor } from '#scanner/fields.ts'

const labels = ['Zebra left', 'Label folder', null, 'label printer', '  Épée', 'Zebra right']

describe('optionFor()', () => {
  it.each([
    ['one letter', 0, 'l', 1],
    ['the same letter again', 1, 'll', 3],
    ['the same letter, round again', 3, 'lll', 1],
    ['letters of another case', 0, 'LABEL P', 3],
    ['a second letter that the chosen one also has', 1, 'la', 1],
    ['a second letter that the chosen one lacks', 0, 'zebra r', 5],
    ['a letter after spaces', 0, 'é', 4],
    ['a letter with nothing chosen', -1, 'z', 0],
    ['a letter with which no option begins', 0, 'x', null],
  ])('selects the same option as a browser, for %s', (_, chosen, typed, meant) => {
    expect(optionFor(labels, chosen, typed)).toBe(meant)
  })

  it('returns null if all options are disabled or the list is empty', () => {
    expect(optionFor([null, null], 0, 'z')).toBeNull()
    expect(optionFor([], -1, 'z')).toBeNull()
  })
})
