import fc from 'fast-check'
import { beforeEach, describe, expect, it } from 'vitest'
import { MemoryDesk } from '#bridge/memory-bridge.ts'
import { settingsWords, testWords } from '#features/setup/printer-words.ts'
import { PrinterState } from '#features/setup/printer.state.svelte.ts'
import { zplDraft, zplSettings } from '#features/setup/zpl-draft.ts'
import { m } from '#messages/messages.js'
import { type PrinterSettings, printerSettings } from '#shared/bridge/views.ts'
import { failure } from '#shared/errors/catalogue.ts'
import { count, seed } from '#support/counts.ts'

type ZplSettings = Extract<PrinterSettings, { kind: 'zpl' }>

let desk: MemoryDesk
let printer: PrinterState

beforeEach(() => {
  desk = new MemoryDesk()
  printer = new PrinterState(desk.bridge)
})

function network(change: Partial<PrinterState['draft']> = {}): void {
  Object.assign(printer.draft, { kind: 'escpos', host: ' 10.0.0.7 ', port: '9100', ...change })
}

describe('a printer', () => {
  it('in use fills the form', async () => {
    desk.world.printerSettings = { kind: 'escpos', host: 'label-2', port: 9101, paperMm: 58, dpi: 300 }
    await printer.load()
    expect(printer.draft).toEqual({ kind: 'escpos', host: 'label-2', port: '9101', paperMm: 58, dpi: 300 })
    expect(printer.isCurrent).toBe(true)
    printer.draft.paperMm = 80
    expect(printer.isCurrent).toBe(false)
  })

  it('is neither tested nor used without an address and a port', async () => {
    network({ host: ' ', port: '910O' })
    expect(printer.isHostMissing).toBe(false)
    await printer.runTest()
    await printer.use()
    expect(desk.calls).toEqual([])
    expect(printer.isHostMissing).toBe(true)
    expect(printer.isPortWrong).toBe(true)
  })

  it.each(['0', '65536', '-1', '9100.5', ''])('has no port %s', async (port) => {
    network({ port })
    await printer.runTest()
    expect(desk.calls).toEqual([])
  })

  it('is used as it was typed, trimmed', async () => {
    network()
    await printer.use()
    expect(desk.world.printerSettings).toEqual({
      kind: 'escpos',
      host: '10.0.0.7',
      port: 9100,
      paperMm: 104,
      dpi: 203,
    })
    expect(printer.current).toEqual(desk.world.printerSettings)
  })

  it('forgets its test once the form changed', async () => {
    network()
    await printer.runTest()
    expect(printer.test?.state).toBe('ready')
    printer.changed()
    expect(printer.test).toBeNull()
  })

  it('says why it could not be used, and keeps the one in use', async () => {
    await printer.load()
    network()
    desk.world.failures['printer:use'] = failure('store.unavailable')
    await printer.use()
    expect(printer.failure?.code).toBe('store.unavailable')
    expect(printer.current).toEqual({ kind: 'folder' })
    expect(printer.busy).toBeNull()
  })
})

describe('a label printer', () => {
  const inUse = {
    kind: 'zpl',
    host: 'zebra-1',
    port: 9100,
    widthMm: 80,
    dpi: 300,
    media: 'continuous',
    darkness: 0,
    inchesPerSecond: null,
    graphics: 'acs',
  } as const

  it('in use fills the form', async () => {
    desk.world.printerSettings = inUse
    await printer.load()
    expect(printer.draft).toMatchObject({ kind: 'zpl', host: 'zebra-1', port: '9100', dpi: 300 })
    expect(printer.zpl).toEqual({
      widthMm: '80',
      darkness: '0',
      inchesPerSecond: '',
      media: 'continuous',
      graphics: 'acs',
    })
    expect(printer.isCurrent).toBe(true)
    expect(settingsWords(inUse)).toBe('Label printer zebra-1, port 9100, width 80 mm, 300 dpi')
    printer.zpl.darkness = '1'
    expect(printer.isCurrent).toBe(false)
  })

  it('is used as it was typed', async () => {
    network({ kind: 'zpl' })
    Object.assign(printer.zpl, { widthMm: ' 100 ', inchesPerSecond: '6' })
    await printer.use()
    expect(desk.world.printerSettings).toEqual({
      kind: 'zpl',
      host: '10.0.0.7',
      port: 9100,
      widthMm: 100,
      dpi: 203,
      media: 'label',
      darkness: null,
      inchesPerSecond: 6,
      graphics: 'z64',
    })
    expect(printer.isCurrent).toBe(true)
  })

  it.each([
    ['widthMm', ''],
    ['widthMm', '19'],
    ['widthMm', '221'],
    ['darkness', '31'],
    ['darkness', '-1'],
    ['inchesPerSecond', '1'],
    ['inchesPerSecond', 'fast'],
  ] as const)('is not used with %s %s', async (field, text) => {
    network({ kind: 'zpl' })
    printer.zpl[field] = text
    expect(printer.isZplWrong(field)).toBe(false)
    await printer.use()
    expect(desk.calls).toEqual([])
    expect(printer.isZplWrong(field)).toBe(true)
  })

  it('takes as many as the contract does', () => {
    const number = fc.integer({ min: -5, max: 300 })
    const draft = fc.record({
      widthMm: number,
      darkness: fc.option(number),
      inchesPerSecond: fc.option(number),
    })
    fc.assert(
      fc.property(draft, (numbers) => {
        const settings: ZplSettings = { ...inUse, ...numbers }
        const made = zplSettings(zplDraft(settings), settings)
        expect(made).toEqual(printerSettings.safeParse(settings).data ?? null)
      }),
      { seed, numRuns: count(300, 5_000) },
    )
  })
})

describe('a test of the printer', () => {
  it.each([
    ['paper_out', m.printer_paper_out()],
    ['cover_open', m.printer_cover_open()],
    ['ribbon_out', m.printer_ribbon_out()],
    ['paused', m.printer_paused()],
    ['busy', m.printer_busy()],
    ['ECONNREFUSED', m.printer_no_port()],
    ['ENOTFOUND', m.printer_no_name()],
    ['connect_timeout', m.printer_unreachable()],
    ['EHOSTUNREACH', m.printer_unreachable()],
  ])('that ended with %s says what to do', (cause, text) => {
    const test = {
      state: 'refused' as const,
      failure: { code: 'printer.refused' as const, params: { cause } },
    }
    expect(testWords(test, 'escpos')).toEqual({ outcome: 'stop', text })
  })

  it('never calls a silent printer ready', () => {
    expect(testWords({ state: 'unknown', failure: null }, 'escpos').outcome).toBe('look')
    expect(testWords({ state: 'unknown', failure: null }, 'zpl')).toEqual({
      outcome: 'look',
      text: m.printer_silent_zpl(),
    })
    expect(testWords({ state: 'ready', failure: null }, 'escpos').outcome).toBe('done')
  })
})
