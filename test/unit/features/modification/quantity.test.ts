import { expect, it } from 'vitest'
import { parseQuantity } from '#features/modification/number-entry.svelte.ts'

it.each([
  ['3', 3],
  [' -2 ', -2],
  ['−12', -12],
  ['+7', 7],
  ['0', 0],
  ['99999', 99_999],
])('%s is a number of pieces', (text, quantity) => {
  expect(parseQuantity(text)).toBe(quantity)
})

it.each(['', '-', '8712345678906', '100000', '1.5', '2x', '--2', '1 2', '0142', '00', '-07'])(
  '%s is none',
  (text) => {
    expect(parseQuantity(text)).toBeNull()
  },
)
