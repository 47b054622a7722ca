import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Frame, type FrameRules, FrameSplitter } from '#shared/domain/serial-frames.ts'
import { count, seed } from '#support/counts.ts'

const plain: FrameRules = { ending: 'line', endText: '', prefix: '', suffix: '' }
const framed: FrameRules = { ending: 'text', endText: '\u0003\r', prefix: '\u0002', suffix: '#' }

function latin1(text: string): number[] {
  return Array.from(text, (character) => character.charCodeAt(0))
}

/**
 * Splits a text in Latin-1 into scans. Returns each accepted scan unchanged, and for each dropped scan the reason in
 * brackets.
 */
function cut(rules: Partial<FrameRules>, text: string, isSilent = false): string[] {
  const splitter = new FrameSplitter({ ...plain, ...rules })
  const frames = splitter.feed(latin1(text))
  return (isSilent ? [...frames, ...splitter.silence()] : frames).map(wordsOf)
}

function wordsOf(frame: Frame): string {
  return frame.kind === 'scan' ? frame.raw : `[${frame.why}]`
}

describe('FrameSplitter', () => {
  it('ends a scan at the chosen ending and at no other characters', () => {
    expect(cut({}, 'A\rB\nC\r\nD\n\r\n\rE')).toEqual(['A', 'B', 'C', 'D'])
    expect(cut({ ending: 'cr' }, 'A\rB\r')).toEqual(['A', 'B'])
    expect(cut({ ending: 'lf' }, 'A\nB\n')).toEqual(['A', 'B'])
    expect(cut({ ending: 'crlf' }, 'A\r\nB\r\n')).toEqual(['A', 'B'])
    expect(cut({ ending: 'text', endText: '~~' }, 'A~B~~C~~')).toEqual(['A~B', 'C'])
    // the ending is CR LF, so a CR alone counts as a character of the code. No real code contains CR, so the scan is
    // dropped
    expect(cut({ ending: 'crlf' }, 'A\rB\r\n')).toEqual(['[noise]'])
  })

  it('ends a scan at a pause only if `pause` is the chosen ending', () => {
    expect(cut({ ending: 'pause' }, '8712', true)).toEqual(['8712'])
    expect(cut({}, '8712', true)).toEqual(['[unfinished]'])
    expect(cut({}, '8712\r', true)).toEqual(['8712'])
  })

  it('keeps GS, FNC1 and other characters of codes', () => {
    const codes = [']C10108712345678906\u001d10A', '[)>\u001e06\u001dS1\u001e\u0004', '<GS>', 'a\tb', ' 1 ']
    expect(cut({}, codes.map((code) => `${code}\r\n`).join(''))).toEqual(codes)
  })

  it('removes the prefix and the suffix if they are present', () => {
    expect(cut({ prefix: '\u0002', suffix: 'X' }, '\u0002AX\rA\rXX\r\u0002X\r')).toEqual(['A', 'A', 'X'])
    expect(cut(framed, '\u0002A#\u0003\r')).toEqual(['A'])
  })

  it('decodes bytes as UTF-8, or as Latin-1 if they are not valid UTF-8', () => {
    const bytes = [...new TextEncoder().encode('Größe €😀'), 13, ...latin1('Größe'), 13]
    const frames = new FrameSplitter(plain).feed(bytes)
    expect(frames.map(wordsOf)).toEqual(['Größe €😀', 'Größe'])
  })

  it.each([
    ['a line that is plugged in', '\u00ff\u00ff8712'],
    ['a break', '87\u000012'],
    ['another control character', '87\u001b12'],
    ['DEL', '87\u007f12'],
    ['what a wrong baud rate makes', '\u00e6\u0086A'],
    ['nothing but blanks', '  '],
  ])('drops a scan that contains %s, and reads the next scan', (_, text) => {
    expect(cut({}, `${text}\rNEXT\r`)).toEqual(['[noise]', 'NEXT'])
  })

  it('drops a scan of more than 8000 characters, and reads the next scan', () => {
    const full = 'x'.repeat(8000)
    expect(cut({}, `${full}\rx${full}\rA\r`)).toEqual([full, '[too_long]', 'A'])
    const endless = 'y'.repeat(100_000)
    expect(cut({ ending: 'crlf' }, `${endless}\r\nA\r\n`)).toEqual(['[too_long]', 'A'])
    expect(cut({}, endless, true)).toEqual(['[too_long]'])
    expect(cut({ ending: 'pause' }, endless, true)).toEqual(['[too_long]'])
  })

  it('drops an incomplete scan after a silence, and then begins a new scan', () => {
    const splitter = new FrameSplitter(plain)
    splitter.feed(latin1('half'))
    expect(splitter.isBegun).toBe(true)
    splitter.silence()
    expect(splitter.isBegun).toBe(false)
    expect(splitter.feed(latin1('A\r')).map(wordsOf)).toEqual(['A'])
    expect(splitter.silence()).toEqual([])
  })

  it('returns the same scans however the bytes are divided into chunks', () => {
    const rules = fc.constantFrom<FrameRules>(plain, { ...plain, ending: 'crlf' }, framed, {
      ...plain,
      ending: 'pause',
    })
    // most of these characters have a meaning for the splitter: endings, prefix, suffix, noise
    const byte = fc.oneof(fc.constantFrom(2, 3, 13, 10, 29, 35, 0, 255), fc.integer({ min: 0, max: 255 }))
    const pieces = fc.array(fc.array(byte, { maxLength: 30 }), { maxLength: 20 })
    fc.assert(
      fc.property(rules, pieces, (rule, parts) => {
        const whole = new FrameSplitter(rule)
        const pieced = new FrameSplitter(rule)
        const expected = [...whole.feed(parts.flat()), ...whole.silence()]
        expect([...parts.flatMap((part) => pieced.feed(part)), ...pieced.silence()]).toEqual(expected)
      }),
      { seed, numRuns: count(300, 20_000) },
    )
  })

  it('returns exactly the codes that were sent, whatever characters the codes contain', () => {
    const characters = fc.constantFrom(...Array.from('AZaz09 ]-$/+%.<>\u001d\u001e\u0004äé€'))
    const code = fc
      .string({ unit: characters, minLength: 1, maxLength: 40 })
      .filter((text) => text.trim() !== '')
    fc.assert(
      fc.property(fc.array(code, { maxLength: 8 }), (codes) => {
        const bytes = new TextEncoder().encode(codes.map((one) => `\u0002${one}#\u0003\r`).join(''))
        expect(new FrameSplitter(framed).feed(bytes).map(wordsOf)).toEqual(codes)
      }),
      { seed, numRuns: count(200, 10_000) },
    )
  })
})
