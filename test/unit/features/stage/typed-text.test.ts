import { expect, it } from 'vitest'
import { isWords } from '#features/stage/typed-text.ts'

it.each([
  ['linen shirt', true],
  ['crème', true],
  ['8712345678906', false],
  ['WEB-100412', false],
  ['A-03-2', false],
  ['SDCMDHELP', false],
])('%s is words: %s', (text, words) => {
  expect(isWords(text)).toBe(words)
})
