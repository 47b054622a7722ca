import { describe, expect, it } from 'vitest'
import { type Cell, csvParts } from '#middleware/data/exports/define-export.ts'
import { storeParts } from '#middleware/services/exports/runner.ts'

const megabyte = 1024 * 1024
const note = 'n'.repeat(20_000)

/** Yields records with a thousand lines each. All lines of a record repeat its note. */
function largeRecords(count: number): { lines: AsyncIterable<Iterable<Cell[]>>; made: () => number } {
  let made = 0
  function* ofRecord(): Generator<Cell[]> {
    for (let line = 0; line < 1000; line++) {
      made += 1
      yield [note, line]
    }
  }
  async function* lines(): AsyncGenerator<Iterable<Cell[]>> {
    for (let record = 0; record < count; record++) yield await Promise.resolve(ofRecord())
  }
  return { lines: lines(), made: () => made }
}

describe('the file of an export', () => {
  it('is stored in parts of less than two megabytes, and fails at the maximum size without creating further lines', async () => {
    const { lines, made } = largeRecords(500)
    const stored: number[] = []
    const mostBytes = 16 * megabyte
    const writing = storeParts(csvParts(['note', 'line'], lines), mostBytes, (content) => {
      stored.push(Buffer.byteLength(content))
      return Promise.resolve(true)
    })
    await expect(writing).rejects.toThrow()
    expect(Math.max(...stored)).toBeLessThan(2 * megabyte)
    expect(stored.reduce((sum, bytes) => sum + bytes)).toBeLessThanOrEqual(mostBytes)
    expect(made() * note.length).toBeLessThan(mostBytes + 2 * megabyte)
  })

  it('gets no further parts after a part that could not be stored', async () => {
    const { lines, made } = largeRecords(500)
    let calls = 0
    const isDone = await storeParts(csvParts(['note', 'line'], lines), 256 * megabyte, () =>
      Promise.resolve(++calls < 3),
    )
    expect({ isDone, calls }).toEqual({ isDone: false, calls: 3 })
    expect(made() * note.length).toBeLessThan(5 * megabyte)
  })

  it('is stored in parts of at most 500 lines if the lines are short', async () => {
    async function* lines(): AsyncGenerator<Iterable<Cell[]>> {
      for (let at = 0; at < 120; at++) yield await Promise.resolve(Array.from({ length: 10 }, () => [at]))
    }
    const parts: string[] = []
    await storeParts(csvParts(['at'], lines()), megabyte, (content, position) => {
      expect(position).toBe(parts.length)
      parts.push(content)
      return Promise.resolve(true)
    })
    expect(parts).toHaveLength(3)
    const all = Array.from({ length: 1200 }, (_, line) => `${Math.floor(line / 10)}\r\n`)
    expect(parts.join('')).toBe(`\uFEFFat\r\n${all.join('')}`)
  })

  it('contains the names of its columns even if it has no lines', async () => {
    const parts: string[] = []
    const none: Iterable<Cell[]>[] = [[], []]
    async function* lines(): AsyncGenerator<Iterable<Cell[]>> {
      for (const each of none) yield await Promise.resolve(each)
    }
    const store = (content: string): Promise<boolean> => Promise.resolve(parts.push(content) > 0)
    expect(await storeParts(csvParts(['a', 'b'], lines()), megabyte, store)).toBe(true)
    expect(parts).toEqual(['\uFEFFa,b\r\n'])
  })
})
