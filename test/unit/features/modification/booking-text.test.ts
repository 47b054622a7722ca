import { describe, expect, it } from 'vitest'
import { m } from '#messages/messages.js'

describe('lines and pieces', () => {
  it.each([
    [1, -1, '−1', '1 line, −1 piece', '1 regel, −1 stuk'],
    [1, 2, '+2', '1 line, +2 pieces', '1 regel, +2 stuks'],
    [2, 1, '+1', '2 lines, +1 piece', '2 regels, +1 stuk'],
    [2, 0, '0', '2 lines, 0 pieces', '2 regels, 0 stuks'],
  ])('%i and %i stand in their own plural', (count, pieces, signed, en, nl) => {
    expect(m.booking_lines({ count, pieces, signed }, { locale: 'en' })).toBe(en)
    expect(m.booking_lines({ count, pieces, signed }, { locale: 'nl' })).toBe(nl)
  })
})
