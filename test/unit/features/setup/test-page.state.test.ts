import { beforeEach, describe, expect, it } from 'vitest'
import { TestPageState } from '#features/setup/test-page.state.svelte.ts'
import { markWords, strayWords, verdictWords } from '#features/setup/printer-words.ts'
import { failure } from '#shared/errors/catalogue.ts'
import { testAdvices } from '#shared/domain/test-page.ts'
import { MemoryDesk } from '#support/memory-desk/memory-desk.ts'

let desk: MemoryDesk
let test: TestPageState

beforeEach(() => {
  desk = new MemoryDesk()
  test = new TestPageState(desk.bridge)
  test.opened()
})

const scan = (letters: string): string[] => Array.from(letters, (letter) => test.take(`SDTSTKM${letter}`))

describe('a printed test page', () => {
  it('takes scans only after it was printed and while its panel is open', async () => {
    expect(test.isListening).toBe(false)
    await test.print(null)
    expect(test.isListening).toBe(true)
    const close = test.opened()
    close()
    expect(test.isListening).toBe(false)
  })

  it('has each scanned code marked as read, and gets a verdict once all decisive codes were read', async () => {
    await test.print('zebra')
    expect(scan('EDCB')).toEqual(['done', 'done', 'done', 'done'])
    expect(test.isRead('SDTSTKMB')).toBe(true)
    expect(test.isRead('SDTSTKMA')).toBe(false)
    expect(test.verdict).toBeNull()
    scan('L')
    expect(test.verdict).toMatchObject({ outcome: 'ok', advice: [] })
  })

  it('counts a code that was not scanned as unreadable once the operator has finished', async () => {
    await test.print(null)
    scan('EDCBQ')
    test.finish()
    expect(test.verdict).toMatchObject({ outcome: 'look', advice: ['speed'] })
    test.block = 'thick'
    test.measured = '76,5'
    expect(test.verdict?.advice).toEqual(['scale', 'speed', 'lighter'])
    // a code that is scanned after the operator has finished still counts
    scan('L')
    expect(test.verdict?.advice).toEqual(['scale'])
  })

  it.each([
    ['', false, []],
    ['80', false, []],
    ['80,5', false, []],
    ['60', false, ['scale']],
    ['eighty', true, []],
    ['0', true, []],
    ['-3', true, []],
  ])('reads the measured length from the text %j', async (typed, isWrong, advice) => {
    await test.print(null)
    scan('BL')
    test.measured = typed
    expect([test.isMeasureWrong, test.verdict?.advice]).toEqual([isWrong, advice])
  })

  it('has no code marked as read when the scanned barcode is not on the page, and this scan is reported', async () => {
    await test.print(null)
    expect(test.take('SDTSTABB')).toBe('look')
    expect(test.stray).toEqual({ kind: 'other_run', run: 'AB' })
    expect(test.take('8712345678906')).toBe('look')
    expect(test.stray).toEqual({ kind: 'no_mark' })
    expect(scan('B')).toEqual(['done'])
    expect(test.stray).toBeNull()
  })

  it('has no code marked as read after the next print, and is removed by forget()', async () => {
    await test.print(null)
    scan('BL')
    test.measured = '60'
    await test.print(null)
    expect([test.isRead('SDTSTKMB'), test.verdict, test.measured]).toEqual([false, null, ''])
    test.forget()
    expect(test.page).toBeNull()
  })

  it('keeps its verdict when the next test page could not be printed', async () => {
    await test.print(null)
    scan('BL')
    desk.world.failures['paper:testPage'] = failure('document.unreadable')
    await test.print(null)
    expect(test.failure?.code).toBe('document.unreadable')
    expect(test.verdict?.outcome).toBe('ok')
  })

  it('takes no scans when the printer refused to print it', async () => {
    const why = failure('printer.refused', { cause: 'paper_out' })
    desk.world.paperOutcome = { kind: 'refused', file: null, failure: why }
    await test.print(null)
    expect([test.isListening, test.verdict]).toEqual([false, null])
  })

  it('is printed only once when the button is pressed twice', async () => {
    await Promise.all([test.print(null), test.print(null)])
    expect(desk.calls.filter((call) => call === 'paper:testPage')).toHaveLength(1)
  })
})

describe('the texts of the test page', () => {
  it('are different for each piece of advice', () => {
    const { steps } = verdictWords({ outcome: 'stop', finestMm: null, advice: testAdvices })
    expect(new Set(steps).size).toBe(testAdvices.length)
  })

  it('name a barcode by the width of its bars, and a code of another test page by the letters of that page', async () => {
    await test.print(null)
    expect(test.page?.marks.map(markWords)).toEqual([
      '0.63 mm',
      '0.5 mm',
      '0.38 mm',
      '0.25 mm',
      '0.13 mm',
      '0.25 mm lying',
      'QR code',
    ])
    expect(strayWords({ kind: 'other_run', run: 'AB' }, 'KM')).toContain('AB')
  })
})
