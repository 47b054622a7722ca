import { describe, expect, it } from 'vitest'
import { liveWords, roleWords, routesWords, testWords, whereWords } from '#features/setup/printer-words.ts'
import { m } from '#messages/messages.js'
import { failureText } from '#place/failure-text.ts'
import type { PrintRoute } from '#shared/bridge/printer-views.ts'
import { failure } from '#shared/errors/catalogue.ts'
import {
  officeEntry,
  receiptEntry,
  severalPrinters,
  severalViews,
  zebraEntry,
} from '#support/memory-desk/printers.ts'

describe('a row of the printers page', () => {
  it.each([
    [zebraEntry.settings, 'Label printer (ZPL) · zebra-left.local'],
    [officeEntry.settings, 'Printer of this computer · office'],
    [receiptEntry.settings, 'Receipt printer (ESC/POS) · 10.0.4.31'],
    [{ kind: 'folder' }, 'A PDF of each label'],
    [
      { ...officeEntry.settings, uri: 'ipps://10.0.0.9:631/ipp/print' },
      'Printer or queue (IPP) · 10.0.0.9:631/ipp/print',
    ],
    [
      { ...receiptEntry.settings, host: '', device: '/dev/usb/lp1' },
      'Receipt printer (ESC/POS) · /dev/usb/lp1',
    ],
  ] as const)('names the kind and the address of the printer: %j', (settings, words) => {
    expect(whereWords(settings)).toBe(words)
  })

  it('shows the state of the printer, and why the printer does not print', () => {
    expect(severalViews.map((view) => liveWords(view).outcome)).toEqual(['done', 'stop', 'none', 'done'])
    expect(liveWords(severalViews[1] ?? null).text).toBe('The printer is out of paper.')
    expect(liveWords({ ...zebraEntry, name: 'a', folder: null, state: 'refused', failure: null })).toEqual({
      outcome: 'stop',
      text: m.cause_unknown(),
    })
    const doubles = failure('printer.prints_again', { printer: 'Zebra', policy: 'retry-job' })
    expect(liveWords({ ...zebraEntry, name: 'a', folder: null, state: 'ready', failure: doubles })).toEqual({
      outcome: 'look',
      text: failureText(doubles).happened,
    })
    expect(liveWords(null)).toEqual({ outcome: 'none', text: m.printer_live_unknown() })
  })
})

describe('the routes of paper to printers', () => {
  const { printers, routes } = severalPrinters
  const list = { entries: printers, first: printers[0] ?? null, routes }
  const more: PrintRoute[] = [...routes, { paper: 'return_label', size: 'page', printerId: receiptEntry.id }]

  it('are listed in the row of their printer', () => {
    expect(roleWords(list, zebraEntry.id)).toBe(m.printers_first_text())
    expect(roleWords(list, officeEntry.id)).toBe('Comes out here: Sheets on a page (A4).')
    expect(roleWords(list, receiptEntry.id)).toBe(m.printers_nothing_text())
  })

  it('are summarised below the list of printers', () => {
    expect(routesWords({ ...list, routes: [] })).toBe('Everything comes out of Zebra left')
    expect(routesWords(list)).toBe('Sheets on a page (A4): Office A4')
    expect(routesWords({ ...list, routes: more })).toBe('2 of 4 kinds come out elsewhere')
  })
})

describe('the text of a printer test', () => {
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
  ])('explains what to do when the test ended with %s', (cause, text) => {
    const test = {
      state: 'refused' as const,
      failure: { code: 'printer.refused' as const, params: { cause } },
    }
    expect(testWords(test, 'escpos')).toEqual({ outcome: 'stop', text })
  })

  it.each([
    ['paper_out', m.printer_paper_out()],
    ['stopped', m.printer_queue_paused()],
    ['paused', m.printer_queue_paused()],
    ['offline', m.printer_device_off()],
    ['media_unsupported', m.printer_media_unsupported()],
    ['no_queue', m.printer_no_queue()],
    ['not_ipp', m.printer_not_ipp()],
    ['certificate', m.printer_certificate()],
    ['ECONNREFUSED', m.printer_no_service()],
    ['ENOTFOUND', m.printer_no_name()],
    ['EHOSTUNREACH', m.printer_unreachable()],
  ])('explains what to do when the test of a queue ended with %s', (cause, text) => {
    const test = {
      state: 'refused' as const,
      failure: { code: 'printer.refused' as const, params: { cause } },
    }
    expect(testWords(test, 'ipp')).toEqual({ outcome: 'stop', text })
  })

  it('warns, if the queue repeats jobs, that a label may come out twice', () => {
    const { outcome, text } = testWords({ state: 'ready', failure: failure('printer.prints_again') }, 'ipp')
    expect(outcome).toBe('look')
    expect(text).toMatch(/ready.*two may come out.*abort-job/)
  })

  it('never says that a printer without a response is ready', () => {
    expect(testWords({ state: 'unknown', failure: null }, 'escpos').outcome).toBe('look')
    expect(testWords({ state: 'unknown', failure: null }, 'zpl')).toEqual({
      outcome: 'look',
      text: m.printer_silent_zpl(),
    })
    expect(testWords({ state: 'ready', failure: null }, 'escpos').outcome).toBe('done')
  })
})
