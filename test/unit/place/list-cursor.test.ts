import { describe, expect, it } from 'vitest'
import { ListCursor } from '#place/list-cursor.svelte.ts'

const rows = ['a', 'b', 'c']

describe('the selected row of a list', () => {
  it('moves at each NEXT to the next row, and from the last row to the first', () => {
    const cursor = new ListCursor()
    const seen = rows.concat('a').map(() => {
      cursor.next(rows)
      return cursor.key
    })
    expect(seen).toEqual(['a', 'b', 'c', 'a'])
    expect(cursor.next([])).toBe(false)
  })

  it('counts as newly selected at each NEXT, even if it is the only row of the list', () => {
    const cursor = new ListCursor()
    cursor.next(['a'])
    cursor.next(['a'])
    cursor.point('a')
    expect(cursor.steps).toBe(2)
  })

  it('is the second row if NEXT was given twice while the rows were loading', () => {
    const cursor = new ListCursor()
    cursor.next(null)
    cursor.next(null)
    cursor.renew(rows)
    expect(cursor.key).toBe('b')
  })

  it('is the row that was selected while the rows were loading, if the loaded rows contain it', () => {
    const cursor = new ListCursor()
    cursor.clear()
    cursor.point('c')
    cursor.renew(rows)
    expect(cursor.key).toBe('c')
    cursor.renew(['a', 'b'])
    expect(cursor.key).toBeNull()
  })

  it('moves up and down by the arrow keys, and stays inside the list', () => {
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

  it('is replaced, when it is removed, by the row that is then at its position, or else by the last row', () => {
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

  it('does not exist until start() selects the first row, even if rows are added', () => {
    const cursor = new ListCursor()
    cursor.follow([], rows)
    expect(cursor.key).toBeNull()
    cursor.start(rows)
    expect(cursor.key).toBe('a')
    cursor.start([])
    expect(cursor.key).toBeNull()
  })
})
