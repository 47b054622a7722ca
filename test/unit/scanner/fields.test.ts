import { describe, expect, it } from 'vitest'
import { optionFor } from '#scanner/fields.ts'

const labels = ['Zebra left', 'Label folder', null, 'label printer', '  Épée', 'Zebra right']

describe('the option that a hand means', () => {
  it.each([
    ['one letter', 0, 'l', 1],
    ['the same letter again', 1, 'll', 3],
    ['the same letter, round again', 3, 'lll', 1],
    ['whatever its case', 0, 'LABEL P', 3],
    ['a second letter that the chosen one has, too', 1, 'la', 1],
    ['a second letter that it has not', 0, 'zebra r', 5],
    ['behind spaces', 0, 'é', 4],
    ['with nothing chosen', -1, 'z', 0],
    ['that begins with none', 0, 'x', null],
  ])('%s', (_, chosen, typed, meant) => {
    expect(optionFor(labels, chosen, typed)).toBe(meant)
  })

  it('is never one that cannot be chosen', () => {
    expect(optionFor([null, null], 0, 'z')).toBeNull()
    expect(optionFor([], -1, 'z')).toBeNull()
  })
})
