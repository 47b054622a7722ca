import { describe, expect, it } from 'vitest'
import { rowAfter } from '#ui/row-keys.ts'

describe('the keys of a list', () => {
  it.each([
    ['ArrowDown', 0, 1],
    ['ArrowDown', 11, 11],
    ['ArrowUp', 4, 3],
    // -1: the focus leaves the list upwards, to an element that the caller determines
    ['ArrowUp', 0, -1],
    ['PageDown', 0, 5],
    ['PageDown', 9, 11],
    ['PageUp', 9, 4],
    ['PageUp', 3, 0],
    ['Home', 7, 0],
    ['End', 7, 11],
  ])('move the focus with %s from row %i of twelve rows to row %i', (key, at, goal) => {
    expect(rowAfter(key, at, 12)).toBe(goal)
  })

  it.each(['Enter', 'a', 'Tab'])('do not move the focus if %s is pressed', (key) => {
    expect(rowAfter(key, 0, 12)).toBeNull()
  })
})
