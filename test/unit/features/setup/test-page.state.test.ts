import { beforeEach, describe, expect, it } from 'vitest'
import { TestPageState } from '#features/setup/test-page.state.svelte.ts'
import { markWords, strayWords, verdictWords } from '#features/setup/printer-words.ts'
import { failure } from '#shared/errors/catalogue.ts'
import { testAdvices } from '#shared/domain/test-page.ts'
import { MemoryDesk } from '#support/memory-desk/memory-desk.ts'

let desk: MemoryDesk
let testPage: TestPageState

beforeEach(() => {
  desk = new MemoryDesk()
  testPage = new TestPageState(desk.bridge)
  testPage.opened()
})

const scan = (letters: string): string[] => Array.from(letters, (letter) => testPage.take(`SDTSTKM${letter}`))

describe('the test page of a printer', () => {
  it('takes scans only after it was printed and while its panel is open', async () => {
    expect(testPage.isListening).toBe(false)
    await testPage.print(null)
    expect(testPage.isListening).toBe(true)
    const close = testPage.opened()
    close()
    expect(testPage.isListening).toBe(false)
  })

  it('has each scanned code marked as read, and gets a verdict once all decisive codes were read', async () => {
    await testPage.print('zebra')
    expect(scan('EDCB')).toEqual(['done', 'done', 'done', 'done'])
    expect(testPage.isRead('SDTSTKMB')).toBe(true)
    expect(testPage.isRead('SDTSTKMA')).toBe(false)
    expect(testPage.verdict).toBeNull()
    scan('L')
    expect(testPage.verdict).toMatchObject({ outcome: 'ok', advice: [] })
  })

  it('counts each code without a scan as unreadable after the operator has finished, until the code is scanned', async () => {
    await testPage.print(null)
    scan('EDCBQ')
    testPage.finish()
    expect(testPage.verdict).toMatchObject({ outcome: 'look', advice: ['speed'] })
    testPage.block = 'thick'
    testPage.measured = '76,5'
    expect(testPage.verdict?.advice).toEqual(['scale', 'speed', 'lighter'])
    // a code that is scanned after the operator has finished still counts
    scan('L')
    expect(testPage.verdict?.advice).toEqual(['scale'])
  })

  it.each([
    ['', false, []],
    ['80', false, []],
    ['80,5', false, []],
    ['60', false, ['scale']],
    ['eighty', true, []],
    ['0', true, []],
    ['-3', true, []],
  ])(
    'is compared with the measured length that the operator typed (%j) only if this length is a number above zero',
    async (typed, isWrong, advice) => {
      await testPage.print(null)
      scan('BL')
      testPage.measured = typed
      expect([testPage.isMeasureWrong, testPage.verdict?.advice]).toEqual([isWrong, advice])
    },
  )

  it('has no code marked as read when the scanned barcode is not on the page, and this scan is reported', async () => {
    await testPage.print(null)
    expect(testPage.take('SDTSTABB')).toBe('look')
    expect(testPage.stray).toEqual({ kind: 'other_run', run: 'AB' })
    expect(testPage.take('8712345678906')).toBe('look')
    expect(testPage.stray).toEqual({ kind: 'no_mark' })
    expect(scan('B')).toEqual(['done'])
    expect(testPage.stray).toBeNull()
  })

  it('loses its read codes, verdict and measured length when it is printed again, and is removed when another printer is shown', async () => {
    await testPage.print(null)
    scan('BL')
    testPage.measured = '60'
    await testPage.print(null)
    expect([testPage.isRead('SDTSTKMB'), testPage.verdict, testPage.measured]).toEqual([false, null, ''])
    testPage.show('zebra')
    expect(testPage.page).toBeNull()
  })

  it('is kept while its printer is shown, also after the set-up was closed and opened again', async () => {
    testPage.show('zebra')
    await testPage.print('zebra')
    scan('BL')
    testPage.show('zebra')
    expect(testPage.verdict?.outcome).toBe('ok')
    testPage.show('brother')
    expect([testPage.page, testPage.verdict, testPage.isRead('SDTSTKMB')]).toEqual([null, null, false])
  })

  it.each([undefined, failure('document.unreadable')])(
    'is dropped with its failure if another printer is shown before the result arrives',
    async (why) => {
      testPage.show('zebra')
      if (why) desk.world.failures['paper:testPage'] = why
      const printing = testPage.print('zebra')
      testPage.show('brother')
      expect(testPage.busy).toBe(false)
      await printing
      expect([testPage.page, testPage.failure, testPage.busy]).toEqual([null, null, false])
    },
  )

  it('loses the failure of its print when another printer is shown', async () => {
    desk.world.failures['paper:testPage'] = failure('document.unreadable')
    await testPage.print('zebra')
    testPage.show('brother')
    expect(testPage.failure).toBeNull()
  })

  it('keeps its verdict when the next test page could not be printed', async () => {
    await testPage.print(null)
    scan('BL')
    desk.world.failures['paper:testPage'] = failure('document.unreadable')
    await testPage.print(null)
    expect(testPage.failure?.code).toBe('document.unreadable')
    expect(testPage.verdict?.outcome).toBe('ok')
  })

  it('takes no scans and has no verdict if the printer refused to print it', async () => {
    const why = failure('printer.refused', { cause: 'paper_out' })
    desk.world.paperOutcome = { kind: 'refused', file: null, failure: why }
    await testPage.print(null)
    expect([testPage.isListening, testPage.verdict]).toEqual([false, null])
  })

  it('is printed only once when the button is pressed twice', async () => {
    await Promise.all([testPage.print(null), testPage.print(null)])
    expect(desk.calls.filter((call) => call === 'paper:testPage')).toHaveLength(1)
  })
})

describe('the texts of the test page', () => {
  it('are different for each advice that the result of a test page can give', () => {
    const { steps } = verdictWords({ outcome: 'stop', finestMm: null, advice: testAdvices })
    expect(new Set(steps).size).toBe(testAdvices.length)
  })

  it('name each linear barcode by the width of its bars, and name another test page by its letters if one of its codes was scanned', async () => {
    await testPage.print(null)
    expect(testPage.page?.marks.map(markWords)).toEqual([
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
