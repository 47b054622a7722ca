import { beforeEach, describe, expect, it } from 'vitest'
import { MemoryDesk } from '#bridge/memory-bridge.ts'
import { testWords } from '#features/setup/printer-words.ts'
import { PrinterState } from '#features/setup/printer.state.svelte.ts'
import { m } from '#messages/messages.js'
import { failure } from '#shared/errors/catalogue.ts'

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

describe('a test of the printer', () => {
  it.each([
    ['paper_out', m.printer_paper_out()],
    ['cover_open', m.printer_cover_open()],
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
    expect(testWords({ state: 'ready', failure: null }, 'escpos').outcome).toBe('done')
  })
})
