import { describe, expect, it } from 'vitest'
import { rowAfter } from '#ui/row-keys.ts'

describe('the keys of a list', () => {
  it.each([
    ['ArrowDown', 0, 1],
    ['ArrowDown', 11, 11],
    ['ArrowUp', 4, 3],
    // the caller decides what is above the first row
    ['ArrowUp', 0, -1],
    ['PageDown', 0, 5],
    ['PageDown', 9, 11],
    ['PageUp', 9, 4],
    ['PageUp', 3, 0],
    ['Home', 7, 0],
    ['End', 7, 11],
  ])('%s moves from row %i of twelve to %i', (key, at, goal) => {
    expect(rowAfter(key, at, 12)).toBe(goal)
  })

  it.each(['Enter', 'a', 'Tab'])('%s moves to no row', (key) => {
    expect(rowAfter(key, 0, 12)).toBeNull()
  })
})
