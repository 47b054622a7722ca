import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseBadge } from '#shared/domain/badge.ts'
import { parseCommand } from '#support/command-readings.ts'
import {
  judgeTestPage,
  parseTestMark,
  planTestPage,
  type TestMark,
  type TestPaper,
  type TestReading,
  testRun,
} from '#shared/domain/test-page.ts'
import { count } from '#support/counts.ts'

const fourInch: TestPaper = { dpi: 203, widthDots: 812, heightDots: 1218 }
const papers = fc.record({
  dpi: fc.constantFrom(203, 300, 600),
  widthDots: fc.integer({ min: 100, max: 5000 }),
  heightDots: fc.option(fc.integer({ min: 100, max: 7000 }), { nil: null }),
})
const runs = { seed: 21, numRuns: count(300, 10_000) }

function marksOf(paper: TestPaper = fourInch): readonly TestMark[] {
  return planTestPage('KM', paper).marks
}

/** Returns the results of a test page. `letters`: the last letters of the codes that were scanned. */
function reading(letters: string, change: Partial<TestReading> = {}): TestReading {
  const codes = Array.from(letters, (letter) => `SDTSTKM${letter}`)
  return {
    dpi: 203,
    marks: marksOf(),
    read: new Set(codes),
    isFinished: true,
    gaugeMm: 80,
    measuredMm: null,
    block: null,
    ...change,
  }
}

describe('planTestPage()', () => {
  it('plans each mark only once on any paper, and the widest bars first', () => {
    fc.assert(
      fc.property(papers, (paper) => {
        const { marks, heightDots, gaugeMm } = planTestPage('AB', paper)
        expect(new Set(marks.map(({ code }) => code)).size).toBe(marks.length)
        for (const { code } of marks) expect(parseTestMark(code)).toEqual({ run: 'AB', code })
        expect(heightDots).toBeGreaterThan(0)
        expect((gaugeMm * paper.dpi) / 25.4).toBeLessThan(paper.widthDots)
        const upright = marks.filter(({ kind }) => kind === 'upright').map(({ moduleMm }) => moduleMm)
        // an operator scans the marks in this order, from the top of the page; the first one has the widest bars
        expect(upright).toEqual(upright.toSorted((a, b) => b - a))
        if (upright.length > 0 && upright.some((mm) => mm >= 0.245))
          expect(upright.some((mm) => mm >= 0.245 && mm < 0.26)).toBe(true)
      }),
      runs,
    )
  })

  it('plans five widths of upright bars, a turned symbol and a QR code on a label of four inches', () => {
    expect(marksOf().map(({ kind, moduleDots }) => `${kind} ${String(moduleDots)}`)).toEqual([
      'upright 5',
      'upright 4',
      'upright 3',
      'upright 2',
      'upright 1',
      'turned 2',
      'matrix 4',
    ])
    expect(marksOf({ ...fourInch, dpi: 300 }).find(({ kind }) => kind === 'turned')?.moduleDots).toBe(3)
  })

  it('omits the marks that do not fit on narrow or short paper', () => {
    const dots = (paper: TestPaper): number[] => marksOf(paper).map(({ moduleDots }) => moduleDots)
    expect(dots({ dpi: 203, widthDots: 384, heightDots: null })).toEqual([2, 1, 2, 4])
    expect(dots({ dpi: 203, widthDots: 456, heightDots: 256 })).toEqual([2])
    expect(dots({ dpi: 203, widthDots: 120, heightDots: null })).toEqual([])
  })

  it('numbers each test run with two letters, from AA to ZZ', () => {
    expect([testRun(0), testRun(27), testRun(675), testRun(676), testRun(-1)]).toEqual([
      'AA',
      'BB',
      'ZZ',
      'AA',
      'ZZ',
    ])
  })
})

describe('parseTestMark()', () => {
  it('reads the mark of a test run from a barcode of the test page, also if Caps Lock is on', () => {
    expect(parseTestMark('sdtstkma ')).toEqual({ run: 'KM', code: 'SDTSTKMA' })
  })

  it.each(['SDTST', 'SDTSTK', 'SDTSTKMAB', 'SDTST12A', 'SDCMDHOME', '8712345678906', '3SABCD1234567'])(
    'reads no mark from %s',
    (text) => {
      expect(parseTestMark(text)).toBeNull()
    },
  )

  it('accepts no mark of a test page that parseCommand() or parseBadge() also accepts', () => {
    for (const { code } of marksOf()) expect([parseCommand(code), parseBadge(code)]).toEqual([null, null])
  })
})

describe('judgeTestPage()', () => {
  it('returns no verdict before the operator has finished, unless all decisive marks are read', () => {
    expect(judgeTestPage(reading('EDC', { isFinished: false }))).toBeNull()
    expect(judgeTestPage(reading('B', { isFinished: false }))).toBeNull()
    expect(judgeTestPage(reading('BL', { isFinished: false }))?.outcome).toBe('ok')
  })

  it.each([
    ['EDCBALQ', {}, 'ok', 0.125, []],
    ['EDCBLQ', {}, 'ok', 0.25, []],
    ['EDCBQ', {}, 'look', 0.25, ['speed']],
    ['EDCBQ', { block: 'thick' }, 'look', 0.25, ['speed', 'lighter']],
    ['EDCLQ', {}, 'look', 0.375, ['head']],
    ['EDCQ', {}, 'look', 0.375, ['darkness', 'speed']],
    ['EDQ', { block: 'pale' }, 'stop', 0.5, ['darker', 'speed']],
    ['EDQ', { block: 'thick' }, 'stop', 0.5, ['lighter', 'speed']],
    ['Q', {}, 'stop', null, ['darkness', 'speed']],
    ['', {}, 'stop', null, ['scanner', 'darkness']],
    ['EDBALQ', {}, 'look', 0.125, ['head']],
    ['EDCBALQ', { measuredMm: 80.5 }, 'ok', 0.125, []],
    ['EDCBALQ', { measuredMm: 76 }, 'look', 0.125, ['scale']],
    ['EDCBALQ', { measuredMm: 54 }, 'look', 0.125, ['dpi']],
    ['EDQ', { measuredMm: 54 }, 'stop', 0.5, ['dpi', 'darkness', 'speed']],
  ] as const)(
    'for the read marks "%s" and the further results %o, returns the outcome %s',
    (letters, change, outcome, finestMm, advice) => {
      const verdict = judgeTestPage(reading(letters, change))
      expect(verdict).toMatchObject({ outcome, advice })
      if (finestMm === null) expect(verdict?.finestMm).toBeNull()
      else expect(verdict?.finestMm).toBeCloseTo(finestMm, 2)
    },
  )

  it('returns no verdict for a page without marks', () => {
    expect(judgeTestPage(reading('', { marks: [] }))).toBeNull()
  })

  it('never returns a worse verdict if one more mark is read, and gives advice unless the verdict is ok', () => {
    const order = ['stop', 'look', 'ok']
    const some = fc.record({
      paper: papers,
      wanted: fc.array(fc.boolean(), { minLength: 8, maxLength: 8 }),
      more: fc.nat(7),
      block: fc.constantFrom('even', 'pale', 'thick', null),
      measuredMm: fc.option(fc.integer({ min: 1, max: 120 }), { nil: null }),
    })
    fc.assert(
      fc.property(some, ({ paper, wanted, more, block, measuredMm }) => {
        const { marks, gaugeMm } = planTestPage('KM', paper)
        const base = { dpi: paper.dpi, marks, gaugeMm, block, measuredMm, isFinished: true } as const
        const codes = marks.filter((_, i) => wanted[i]).map(({ code }) => code)
        const before = judgeTestPage({ ...base, read: new Set(codes) })
        const after = judgeTestPage({ ...base, read: new Set([...codes, marks[more]?.code ?? '']) })
        if (!before || !after) return
        expect(order.indexOf(after.outcome)).toBeGreaterThanOrEqual(order.indexOf(before.outcome))
        for (const verdict of [before, after])
          expect(verdict.advice.length === 0).toBe(verdict.outcome === 'ok')
      }),
      runs,
    )
  })
})
