import { describe, expect, it } from 'vitest'
import { createPrinter } from '#printing/printer-kinds.ts'
import {
  plainLayout,
  type PrinterEntry,
  printerSetup,
  type PrinterSettings,
} from '#shared/bridge/printer-views.ts'
import { pcSettings } from '#support/pc-settings.ts'
import { zplOptions } from '#support/zpl-options.ts'
import { checkPrinters, entryOf } from '../../../electron/main/printer-entry.ts'
import { Printers } from '../../../electron/main/printers.ts'
import { readSettings } from '../../../electron/main/settings-schema.ts'

const escpos = { kind: 'escpos', host: '10.0.0.9', port: 9100, paperMm: 80, dpi: 203 } as const
const zpl = {
  kind: 'zpl',
  host: 'zebra-1',
  port: 9100,
  widthMm: 104,
  dpi: 203,
  ...zplOptions,
} as const
const ipp = { kind: 'ipp', uri: 'ipp://localhost/printers/a4', media: 'iso_a4_210x297mm', dpi: 203 } as const
const folder = { kind: 'folder' } as const

function entry(id: string, settings: PrinterSettings): PrinterEntry {
  return { id, title: `Printer ${id}`, settings, layout: plainLayout }
}
const dock = entry('dock', zpl)
const office = entry('office', ipp)
const toDock = { paper: 'return_label', size: 'label', printerId: 'dock' } as const
const toOffice = { paper: 'return_label', size: 'page', printerId: 'office' } as const

function open(settings = pcSettings()): Printers {
  return new Printers(settings, (one) => createPrinter(one, '/nowhere'))
}

describe('the printers of a PC', () => {
  it('consist of the label folder alone until other printers are saved', () => {
    const printers = open()
    expect(printers.setup()).toEqual({ printers: [entryOf(folder)], routes: [] })
    expect(printers.board.all()).toMatchObject([
      { name: 'folder', title: 'Label folder', folder: '/nowhere' },
    ])
  })

  it('are stored for all stations, and each station has its own routes', () => {
    const settings = pcSettings()
    const printers = open(settings)
    printers.open('gate')
    expect(printers.save({ printers: [dock, office], routes: [toOffice] })).toMatchObject({ ok: true })
    printers.open('dock')
    expect(printers.setup()).toEqual({ printers: [dock, office], routes: [] })
    printers.save({ printers: [dock, office], routes: [toDock] })
    const again = open(settings)
    again.open('gate')
    expect(again.setup().routes).toEqual([toOffice])
    again.open('dock')
    expect(again.setup().routes).toEqual([toDock])
    expect(again.board.all().map(({ name }) => name)).toEqual(['dock', 'office'])
  })

  it('are removed from the routes of every station when they are removed at one station', () => {
    const printers = open()
    printers.open('gate')
    printers.save({ printers: [dock, office], routes: [toOffice, toDock] })
    printers.open('dock')
    printers.save({ printers: [dock], routes: [] })
    printers.open('gate')
    const setup = printers.setup()
    expect(setup.routes).toEqual([toDock])
    // `setup` returns settings that `save` accepts unchanged
    expect(printers.save(setup)).toMatchObject({ ok: true })
  })

  it('keep the driver of an unchanged printer when the list is saved', () => {
    const printers = open()
    printers.save({ printers: [dock, office], routes: [] })
    const [first, second] = printers.board.all()
    printers.save({ printers: [office, { ...dock, title: 'Gate' }], routes: [] })
    expect(printers.board.named('office')).toBe(second)
    expect(printers.board.named('dock')).not.toBe(first)
    expect(printers.board.named('dock')).toMatchObject({ title: 'Gate' })
  })

  it.each([
    ['one id', [dock, entry('dock', escpos)]],
    ['two folders', [entry('a', folder), dock, entry('b', folder)]],
    ['one address', [entry('a', escpos), entry('b', { ...escpos, host: '10.0.0.9', paperMm: 58 })]],
    ['one address in two languages', [dock, entry('b', { ...escpos, host: 'ZEBRA-1' })]],
    [
      'one device file',
      [
        entry('a', { ...zpl, device: '/dev/usb/lp0' }),
        entry('b', { ...zpl, host: '', device: '/dev/usb/lp0' }),
      ],
    ],
  ])('are refused if two of them have %s, and nothing is stored', (_, twice) => {
    const printers = open()
    printers.open('gate')
    const before = printers.setup()
    const wanted = printerSetup.parse({ printers: twice, routes: [] })
    expect(printers.save(wanted)).toMatchObject({ ok: false, error: { code: 'printer.same_twice' } })
    expect(printers.setup()).toEqual(before)
    expect(printers.board.all()).toHaveLength(1)
  })

  it('are accepted with the same queue but different paper, or with the same host but different ports', () => {
    const label = entry('label', { ...ipp, media: 'na_index-4x6_4x6in' })
    const second = entry('second', { ...zpl, port: 9101 })
    expect(checkPrinters({ printers: [office, label, dock, second], routes: [] })).toMatchObject({ ok: true })
  })

  it('are refused if a route leads to a missing printer', () => {
    expect(open().save({ printers: [dock], routes: [toOffice] })).toMatchObject({
      error: { code: 'printer.route_unknown', params: { printer: 'office' } },
    })
  })
})

describe('entryOf() for a printer', () => {
  it.each([
    [folder, 'folder', 'Label folder'],
    [escpos, 'escpos 10.0.0.9:9100', '10.0.0.9:9100'],
    [{ ...escpos, host: '', device: '/dev/usb/lp0' }, 'escpos /dev/usb/lp0', '/dev/usb/lp0'],
    [zpl, 'zpl zebra-1:9100', 'zebra-1:9100'],
    [ipp, 'ipp ipp://localhost/printers/a4', 'ipp://localhost/printers/a4'],
  ] as const)(
    'returns an entry whose title is the address of the printer, or “Label folder” for a folder: %o',
    (settings, id, title) => {
      expect(entryOf(settings)).toEqual({ id, title, settings, layout: plainLayout })
      expect(printerSetup.safeParse({ printers: [entryOf(settings)], routes: [] }).success).toBe(true)
    },
  )

  it('returns a valid entry even if the address is longer than a title', () => {
    const uri = `ipp://localhost/printers/${'x'.repeat(900)}`
    expect(printerSetup.safeParse({ printers: [entryOf({ ...ipp, uri })], routes: [] }).success).toBe(true)
  })
})

describe('the printers in settings.json', () => {
  const read = (fields: unknown): ReturnType<typeof readSettings> => readSettings(JSON.stringify(fields))

  it.each([{ stations: [] }, { printers: [] }, { printers: 7 }])(
    'consist of the label folder alone if the file contains none: %o',
    (fields) => {
      expect(read(fields).settings.printers).toEqual([entryOf(folder)])
    },
  )

  it('are read with their routes even if another printer or route in the file cannot be read', () => {
    const { settings, isWhole } = read({
      printers: [dock, { ...office, layout: null }, office, { ...dock, title: 'Twin' }],
      routes: { gate: [toDock, { ...toDock, size: 'poster' }, toOffice, toDock], dock: 7 },
    })
    expect(settings.printers).toEqual([dock, office])
    expect(settings.routes).toEqual({ gate: [toDock, toOffice] })
    expect(isWhole).toBe(false)
  })

  it('are limited to twenty, the maximum number in the bridge', () => {
    const many = Array.from({ length: 30 }, (_, at) => entry(String(at), { ...zpl, port: 9000 + at }))
    const { printers } = read({ printers: many }).settings
    expect(printerSetup.safeParse({ printers, routes: [] }).success).toBe(true)
    expect(printers).toHaveLength(20)
  })
})
