import { expect, it } from 'vitest'
import { codeShape } from '#shared/domain/code-shape.ts'

it.each([
  ['WEB-1042', 'AAA-9999'],
  ['A-01-02', 'A-99-99'],
  ['8712345678906', '9999999999999'],
  ['Ø٣/x', 'A9/A'],
  ['', null],
  ['A'.repeat(41), null],
])('%s looks like %s', (code, shape) => {
  expect(codeShape(code)).toBe(shape)
})
