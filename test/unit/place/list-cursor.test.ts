import { describe, expect, it } from 'vitest'
import { ListCursor } from '#place/list-cursor.svelte.ts'

const rows = ['a', 'b', 'c']

describe('the selected row', () => {
  it('is the next one, and after the last the first', () => {
    const cursor = new ListCursor()
    const seen = rows.concat('a').map(() => {
      cursor.next(rows)
      return cursor.key
    })
    expect(seen).toEqual(['a', 'b', 'c', 'a'])
    expect(cursor.next([])).toBe(false)
  })

  it('counts each step, also one that comes back to the same row', () => {
    const cursor = new ListCursor()
    cursor.next(['a'])
    cursor.next(['a'])
    cursor.point('a')
    expect(cursor.steps).toBe(2)
  })

  it('is the one that was asked for while the rows were read', () => {
    const cursor = new ListCursor()
    cursor.next(null)
    cursor.next(null)
    cursor.renew(rows)
    expect(cursor.key).toBe('b')
  })

  it('stays where a hand went while the rows were read, if it is still there', () => {
    const cursor = new ListCursor()
    cursor.clear()
    cursor.point('c')
    cursor.renew(rows)
    expect(cursor.key).toBe('c')
    cursor.renew(['a', 'b'])
    expect(cursor.key).toBeNull()
  })

  it('goes up and down by keys, and stays inside the list', () => {
    const cursor = new ListCursor()
    cursor.start(rows)
    const seen = ([-1, 1, 1, 1, -1] as const).map((by) => {
      cursor.move(by, rows)
      return cursor.key
    })
    expect(seen).toEqual(['a', 'b', 'c', 'c', 'b'])
    cursor.move(1, [])
    expect(cursor.key).toBeNull()
  })

  it('hands on to the row in its place when it leaves, to the last where it was the last', () => {
    const cursor = new ListCursor()
    cursor.point('b')
    cursor.follow(rows, ['c', 'b', 'a'])
    expect(cursor.key).toBe('b')
    cursor.follow(rows, ['a', 'c'])
    expect(cursor.key).toBe('c')
    cursor.follow(['a', 'c'], ['a'])
    expect(cursor.key).toBe('a')
    cursor.follow(['a'], [])
    expect(cursor.key).toBeNull()
  })

  it('is none in a list that no key has reached, whatever changes there', () => {
    const cursor = new ListCursor()
    cursor.follow([], rows)
    expect(cursor.key).toBeNull()
    cursor.start(rows)
    expect(cursor.key).toBe('a')
    cursor.start([])
    expect(cursor.key).toBeNull()
  })
})
