import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { codeShape, hasMarker, markNote, noteMarker } from '#shared/domain/references.ts'
import { count, seed } from '#support/counts.ts'

describe('codeShape()', () => {
  it.each([
    ['WEB-1042', 'AAA-9999'],
    ['A-01-02', 'A-99-99'],
    ['8712345678906', '9999999999999'],
    ['Ø٣/x', 'A9/A'],
    ['', null],
    ['A'.repeat(41), null],
  ])('returns for %s the shape %s', (code, shape) => {
    expect(codeShape(code)).toBe(shape)
  })
})

describe('the marker in a note', () => {
  it('follows the text of the note, or is the whole note if the text is empty', () => {
    const id = '0123ABCD-4567-489a-bcde-f0123456789a'
    expect(noteMarker(id)).toBe('#0123abcd4567489abcde')
    expect(markNote('fell off the shelf', id)).toBe('fell off the shelf #0123abcd4567489abcde')
    expect(markNote('', id)).toBe('#0123abcd4567489abcde')
  })

  it('is found with the operation id from which it was made, even in capitals and with spaces around it, but not with another id', () => {
    fc.assert(
      fc.property(fc.uuid(), fc.uuid(), fc.string(), (mine, other, note) => {
        const marked = markNote(note, mine)
        expect(hasMarker(marked, mine)).toBe(true)
        expect(hasMarker(`  ${marked.toUpperCase()}\n`, mine)).toBe(true)
        expect(hasMarker(marked, other)).toBe(noteMarker(mine) === noteMarker(other))
      }),
      { seed, numRuns: count(100, 2_000) },
    )
    expect(hasMarker(null, '0123abcd-4567-489a-bcde-f0123456789a')).toBe(false)
  })
})
