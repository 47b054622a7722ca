import fc from 'fast-check'
import { beforeEach, describe, expect, it } from 'vitest'
import { MemoryDesk } from '#bridge/memory-bridge.ts'
import { ippDraft, ippSettings, newIppDraft } from '#features/setup/ipp-draft.ts'
import { settingsWords, testWords } from '#features/setup/printer-words.ts'
import { PrinterState } from '#features/setup/printer.state.svelte.ts'
import { zplDraft, zplSettings } from '#features/setup/zpl-draft.ts'
import { m } from '#messages/messages.js'
import { type PrinterSettings, printerSettings } from '#shared/bridge/printer-views.ts'
import { failure } from '#shared/errors/catalogue.ts'
import { count, seed } from '#support/counts.ts'

type ZplSettings = Extract<PrinterSettings, { kind: 'zpl' }>
type IppSettings = Extract<PrinterSettings, { kind: 'ipp' }>

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
    expect(printer.draft).toEqual({
      kind: 'escpos',
      connection: 'network',
      host: 'label-2',
      port: '9101',
      device: '/dev/usb/lp0',
      paperMm: 58,
      dpi: 300,
    })
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
    desk.world.failures['printer:save'] = failure('store.unavailable')
    await printer.use()
    expect(printer.failure?.code).toBe('store.unavailable')
    expect(printer.current).toEqual({ kind: 'folder' })
    expect(printer.busy).toBeNull()
  })
})

describe('a printer on a cable', () => {
  const inUse = {
    kind: 'escpos',
    host: '',
    port: 9100,
    device: '/dev/usb/lp1',
    paperMm: 80,
    dpi: 203,
  } as const

  it('in use fills the form, and is what is in use', async () => {
    desk.world.printerSettings = inUse
    await printer.load()
    expect(printer.draft).toMatchObject({ connection: 'device', device: '/dev/usb/lp1', port: '9100' })
    expect(printer.isCurrent).toBe(true)
    expect(settingsWords(inUse)).toBe('Receipt or label printer /dev/usb/lp1, paper 80 mm, 203 dpi')
    printer.draft.connection = 'network'
    expect(printer.isCurrent).toBe(false)
  })

  it.each(['escpos', 'zpl'] as const)('is used as it was typed, trimmed: %s', async (kind) => {
    network({ kind, connection: 'device', host: '', device: ' /dev/usb/lp1 ' })
    await printer.use()
    expect(desk.world.printerSettings).toMatchObject({ kind, host: '', device: '/dev/usb/lp1' })
    expect(printer.isCurrent).toBe(true)
  })

  it('is forgotten where the network is chosen', async () => {
    network({ device: '/dev/usb/lp1' })
    await printer.use()
    expect(desk.world.printerSettings).not.toHaveProperty('device')
  })

  const wrong = [
    '',
    'lp0',
    '/dev',
    '/dev/',
    '/etc/passwd',
    '/dev/../etc/passwd',
    '/dev/usb//lp0',
    '/dev/.x',
    '/dev/a b',
  ]
  it.each(wrong)('is not used with the path %j, which the contract refuses too', async (device) => {
    network({ connection: 'device', device })
    await printer.use()
    expect(desk.calls).toEqual([])
    expect(printer.isDeviceWrong).toBe(true)
    expect(printerSettings.safeParse({ ...inUse, device }).success).toBe(false)
  })

  it.each(['/dev/usb/lp0', '/dev/lp0', '/dev/serial/by-id/usb-Zebra_ZD420-if00', '/dev/ttyACM0'])(
    'is used at %s, as the contract has it',
    async (device) => {
      network({ connection: 'device', device })
      await printer.use()
      expect(desk.world.printerSettings).toMatchObject({ device })
      expect(printerSettings.safeParse({ ...inUse, device }).success).toBe(true)
    },
  )

  it('needs an address where it has no device file', () => {
    expect(printerSettings.safeParse({ ...inUse, device: undefined }).success).toBe(false)
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

describe('a queue', () => {
  const inUse = {
    kind: 'ipp',
    uri: 'ipp://localhost/printers/label',
    media: 'iso_a6_105x148mm',
    dpi: 300,
  } as const
  const queue = { name: 'label', uri: inUse.uri, makeAndModel: 'Zebra ZD421', state: 'idle' } as const

  it('in use fills the form', async () => {
    desk.world.printerSettings = inUse
    await printer.load()
    expect(printer.draft).toMatchObject({ kind: 'ipp', dpi: 300 })
    expect(printer.ipp).toMatchObject({ uri: inUse.uri, media: inUse.media })
    expect(printer.isCurrent).toBe(true)
    expect(settingsWords(inUse)).toBe('ipp://localhost/printers/label, paper A6, 300 dpi')
    printer.ipp.media = 'na_index-4x6_4x6in'
    expect(printer.isCurrent).toBe(false)
  })

  it('of this computer is found, and used as it was typed or chosen', async () => {
    desk.world.printQueues = { isThere: true, queues: [queue] }
    expect(printer.queues).toBeNull()
    await printer.discover()
    expect(printer.queues).toEqual({ isThere: true, queues: [queue] })
    Object.assign(printer.draft, { kind: 'ipp' })
    printer.ipp.uri = ` ${queue.uri} `
    await printer.use()
    expect(desk.world.printerSettings).toEqual({ ...inUse, media: 'na_index-4x6_4x6in', dpi: 203 })
    expect(printer.isCurrent).toBe(true)
  })

  it('cannot be found where the computer cannot be asked', async () => {
    desk.world.failures['printer:discover'] = failure('internal.unexpected')
    await printer.discover()
    expect(printer.queues).toEqual({ isThere: false, queues: [] })
  })

  it.each(['', 'label', 'http://localhost/printers/label', 'ipp://', 'ipp://me:secret@host/', 'ipp://a b/'])(
    'is not used at %s',
    async (uri) => {
      Object.assign(printer.draft, { kind: 'ipp' })
      printer.ipp.uri = uri
      expect(printer.isUriWrong).toBe(false)
      await printer.use()
      expect(desk.calls).toEqual([])
      expect(printer.isUriWrong).toBe(true)
    },
  )

  it.each([
    ['widthMm', '19'],
    ['widthMm', '301'],
    ['heightMm', '601'],
    ['heightMm', 'long'],
  ] as const)('is not used with %s %s', async (side, text) => {
    Object.assign(printer.draft, { kind: 'ipp' })
    Object.assign(printer.ipp, { uri: inUse.uri, media: 'size', [side]: text })
    expect(printer.isSideWrong(side)).toBe(false)
    await printer.use()
    expect(desk.calls).toEqual([])
    expect(printer.isSideWrong(side)).toBe(true)
    printer.ipp.media = 'na_index-4x6_4x6in'
    await printer.use()
    expect(desk.calls).toEqual(['printer:setup', 'printer:save'])
  })

  it('takes as many as the contract does', () => {
    const uri = fc.constantFrom(
      'ipp://a',
      'ipps://[::1]:443/ipp/print',
      'ipp://a/printers/x%20y',
      'ipp:/a',
      'a',
    )
    const side = fc.integer({ min: -5, max: 700 })
    const media = fc.oneof(
      fc.constantFrom('na_index-4x6_4x6in', 'custom_label_100x150mm'),
      fc.record({ widthMm: side, heightMm: side }),
    )
    fc.assert(
      fc.property(uri, media, (at, paper) => {
        const settings: IppSettings = { ...inUse, uri: at, media: paper }
        const made = ippSettings({ ...newIppDraft, ...ippDraft(settings) }, 300)
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
  ])('of a queue that ended with %s says what to do', (cause, text) => {
    const test = {
      state: 'refused' as const,
      failure: { code: 'printer.refused' as const, params: { cause } },
    }
    expect(testWords(test, 'ipp')).toEqual({ outcome: 'stop', text })
  })

  it('warns of a queue that prints again by itself', () => {
    const { outcome, text } = testWords({ state: 'ready', failure: failure('printer.prints_again') }, 'ipp')
    expect(outcome).toBe('look')
    expect(text).toMatch(/ready.*two may come out.*abort-job/)
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
