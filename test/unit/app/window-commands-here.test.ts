import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { useCommandsOf } from '#place/station-commands.svelte.ts'
import {
  type Command,
  commandBarcode,
  methodKey,
  namedBarcode,
  printerKey,
  stationKey,
} from '#shared/domain/commands.ts'
import { sampleVariants } from '#support/memory-desk/catalogue.ts'
import { sampleLabel } from '#support/memory-desk/labels.ts'
import { MemoryDesk, memoryWorld } from '#support/memory-desk/memory-desk.ts'
import { sampleLocations } from '#support/memory-desk/modifications.ts'
import { paperPrint, printsOf, unknownPrint } from '#support/memory-desk/prints.ts'
import { sampleShipment } from '#support/memory-desk/scans.ts'
import { productionStation, sandboxStation, signedIn } from '#support/memory-desk/station.ts'
import { noticeText } from '../../../src/app/notices.svelte.ts'
import { heard, openWindowOf, settle } from '#support/desk-window.ts'
import type { ScanLine } from '../../../src/app/scan-line.ts'
import type { DeskWindow } from '../../../src/app/window.svelte.ts'
import { labelIdOf } from '#support/ids.ts'
import { zplOptions } from '#support/zpl-options.ts'

let desk: MemoryDesk
let sounds: string[]
let window: DeskWindow
let scans: ScanLine
let nowMs: number

async function scan(...codes: string[]): Promise<void> {
  for (const code of codes) scans.take(heard(code))
  await settle()
}

/** Makes every look-up of a parcel take 60 ms from now on. */
function lookUpSlowly(): void {
  const { scan: usual } = desk.bridge
  const submit: typeof usual.submit = async (args) => {
    if (!args.raw.startsWith('SDCMD')) await new Promise((resolve) => setTimeout(resolve, 60))
    return usual.submit(args)
  }
  Object.assign(window.bridge, { scan: { ...usual, submit } })
}

async function begin(session = signedIn): Promise<void> {
  nowMs = Date.parse('2026-11-21T14:07:00Z')
  desk = new MemoryDesk({
    ...memoryWorld(() => nowMs),
    session,
    stations: [sandboxStation, productionStation],
    shipments: [sampleShipment(nowMs)],
  })
  ;({ window, scans, sounds } = await openWindowOf(desk))
}

beforeEach(() => begin())

function said(): string {
  return window.notices.now ? noticeText(window.notices.now) : ''
}

describe('a scanned command that does not exist, or has no meaning in the open place', () => {
  const cases: readonly (readonly [Command, string, RegExp])[] = [
    ['LOST', '', /“Reason: lost” does nothing here.*Book stock/],
    ['UNDO', '', /Undo.*booked/],
    ['SEVEN', '', /“7” does nothing here/],
    ['ENTER', '', /Take the number.*booked/],
    ['PRIMARY', '', /The large button/],
    ['REPRINT', '', /card of a return label/],
    ['PRINTNOW', '', /Print now/],
    ['NEXT', '', /What waits.*Paper/],
    ['METHOD', 'SDCMDLABELS', /card of a parcel/],
    ['ADDRESS', 'SDCMDBOOK', /card of a parcel/],
    ['CANCEL', 'SDCMDQUEUE', /card of a return label/],
    ['YES', 'SDCMDQUEUE', /Paper/],
    ['ADOPT', 'SDCMDPRINTS', /What waits/],
    ['DAMAGED', 'SDCMDPRINTS', /asked why/],
    ['MAKEONLY', 'SDCMDSEARCH', /form of a return label/],
    ['PRIMARY', 'SDCMDLOCATIONS', /large button/],
  ]
  it.each(cases)(
    'shows a notice about where it works, and changes nothing: %s after "%s"',
    async (command, before, text) => {
      if (before !== '') await scan(before)
      const { place } = window
      desk.calls.length = 0
      await scan(commandBarcode(command))
      expect(said()).toMatch(text)
      expect(sounds.at(-1)).toBe('look')
      expect(window.place).toEqual(place)
      expect(desk.calls).toEqual(['scan:submit'])
    },
  )

  it.each(['', 'SDCMDBOOK'])(
    'leads to a notice with the number of choices if it is a digit greater than this number (scanned after "%s")',
    async (before) => {
      desk.world.variants = sampleVariants(nowMs)
        .slice(0, 1)
        .map((one) => ({ ...one, articleCode: 'TWICE' }))
      desk.world.locations = sampleLocations(nowMs)
        .slice(0, 1)
        .map((one) => ({ ...one, code: 'TWICE' }))
      if (before !== '') await scan(before)
      await scan('TWICE', 'SDCMDTHREE')
      expect(said()).toMatch(/1 to 2/)
      await scan('SDCMDONE', 'SDCMDTHREE')
      expect(said()).not.toMatch(/1 to/)
    },
  )

  it('shows a notice that is removed at the next scan', async () => {
    await scan('SDCMDLOST')
    await scan('SHP00000000412')
    expect(said()).toBe('')
  })

  it('is reported as unreadable, without a look-up, if it does not exist', async () => {
    await scan('SDCMDNONSENSE', 'SDCMDVIA1ABCDEFG')
    expect(window.notices.now?.kind).toBe('unreadable')
    expect(window.places.stage.card.kind).toBe('home')
  })

  it('is answered on the login screen with a notice that the command works after the login', async () => {
    await begin(memoryWorld().session)
    await scan('SDCMDBOOK')
    expect(said()).toMatch(/after the login/)
    expect(desk.calls).toEqual([])
  })

  it('is answered in the open set-up, as a scanned parcel is, with a notice that the operator must close the set-up first', async () => {
    window.app.openSetup()
    await scan('SDCMDBOOK')
    expect(said()).toMatch(/once the set-up is closed/)
    await scan('SHP00000000412')
    expect(said()).toMatch(/close the set-up/)
    expect(sounds.at(-1)).toBe('look')
    expect(desk.calls).not.toContain('scan:submit')
  })

  it('closes the enlarged picture of a paper, if it is open, and does not decide about the print', async () => {
    desk.world.prints = printsOf([unknownPrint(nowMs)], [paperPrint(nowMs)])
    await scan('SDCMDPRINTS')
    window.places.prints.open('pj-unknown')
    window.places.prints.paper.isLarge = true
    await scan('SDCMDNO')
    expect(desk.world.printsDecided).toEqual([])
    expect(window.places.prints.paper.isLarge).toBe(false)
    expect(said()).toMatch(/scan it again/)
    await scan('SDCMDNO')
    expect(desk.world.printsDecided).toHaveLength(1)
  })
})

describe('the command barcode of a shipping method', () => {
  const barcode = (index: number): string => {
    const method = desk.world.methods.methods[index]
    if (!method) throw new Error('no such method')
    return namedBarcode('VIA', methodKey(method))
  }

  it('opens the label form of the parcel on the stage, with this method chosen', async () => {
    await scan('SHP00000000412', barcode(1))
    expect(window.place).toBe('label_form')
    expect(window.places.label_form.methods.chosenId).toBe(desk.world.methods.methods[1]?.id)
    await scan(barcode(0))
    expect(window.places.label_form.methods.chosenId).toBe(desk.world.methods.methods[0]?.id)
  })

  it('waits for the look-up of the previous scan, and then opens the form of the scanned parcel', async () => {
    const shipment = sampleShipment(nowMs)
    desk.world.shipments = [shipment, { ...shipment, id: 'sh-2', reference: 'SHP00000000413' }]
    await scan('SHP00000000412')
    lookUpSlowly()
    await scan('SHP00000000413', barcode(1))
    await vi.waitFor(() => {
      expect(window.place).toBe('label_form')
    })
    expect(window.places.label_form.subject).toMatchObject({ shipment: { id: 'sh-2' } })
    expect(said()).toBe('')
  })

  it('shows a notice when no parcel is on the stage, or when the method is unknown at this station', async () => {
    await scan(barcode(0))
    expect(said()).toContain(desk.world.methods.methods[0]?.description)
    await scan(namedBarcode('VIA', 'ZZZZZZ'))
    expect(said()).toMatch(/not one of this station/)
    expect(window.place).toBe('stage')
    expect(sounds.at(-1)).toBe('look')
  })
})

describe('the command barcode of a printer', () => {
  it('moves the open print job to this printer', async () => {
    desk.world.prints = printsOf([{ ...unknownPrint(nowMs), choices: ['move'] }], [])
    const [printer] = desk.world.prints.printers.filter(
      ({ name }) => name !== desk.world.prints.open[0]?.printer,
    )
    if (!printer) throw new Error('no other printer')
    await scan('SDCMDPRINTS')
    window.places.prints.open('pj-unknown')
    await scan(namedBarcode('ONTO', printerKey(printer)))
    expect(desk.world.printsDecided).toEqual([
      { jobId: 'pj-unknown', decision: { kind: 'move', printer: printer.name } },
    ])
  })

  it('waits for the look-up of the previous scan, and then moves the print job of the scanned label', async () => {
    desk.world.labels = [sampleLabel(nowMs)]
    const job = { ...unknownPrint(nowMs), labelId: labelIdOf('lb-1'), choices: ['move' as const] }
    desk.world.prints = printsOf([job], [])
    const [printer] = desk.world.prints.printers.filter(({ name }) => name !== job.printer)
    if (!printer) throw new Error('no other printer')
    lookUpSlowly()
    await scan('SHP00000000412', namedBarcode('ONTO', printerKey(printer)))
    await vi.waitFor(() => {
      expect(desk.world.printsDecided).toEqual([
        { jobId: 'pj-unknown', decision: { kind: 'move', printer: printer.name } },
      ])
    })
  })

  it('makes this printer the one for return labels after two scans a second apart, but not after two scans without a pause or with another scan between them', async () => {
    const setup = await desk.bridge.printer.setup()
    if (!setup.ok) throw new Error('no printers')
    const [first] = setup.value.printers
    if (!first) throw new Error('no printer')
    const settings = {
      kind: 'zpl',
      host: '10.0.0.5',
      port: 9100,
      widthMm: 100,
      dpi: 203,
      ...zplOptions,
    } as const
    const entry = { ...first, id: 'zebra', title: 'Zebra left', settings }
    await desk.bridge.printer.save({ printers: [first, entry], routes: [] })
    const barcode = namedBarcode('ONTO', printerKey({ name: 'zebra', title: 'Zebra left' }))
    const routes = async (): Promise<string[]> => {
      const now = await desk.bridge.printer.setup()
      return now.ok ? now.value.routes.map(({ printerId }) => printerId) : []
    }
    await scan(barcode, barcode)
    expect([window.notices.now?.kind, sounds.at(-1)]).toEqual(['printer_ask', 'decide'])
    expect(await routes()).toEqual([])
    nowMs += 1000
    await scan('SDCMDHELP')
    await scan(barcode)
    expect(await routes()).toEqual([])
    nowMs += 1000
    await scan(barcode)
    expect(await routes()).toEqual(['zebra'])
    expect([window.notices.now?.kind, sounds.at(-1)]).toEqual(['printer_now', 'done'])
    await scan(barcode)
    expect(window.notices.now?.kind).toBe('printer_is')
  })

  it('is reported as unknown when the printer was renamed after the barcode was printed', async () => {
    const [printer] = desk.world.prints.printers
    if (!printer) throw new Error('no printer')
    await scan(namedBarcode('ONTO', printerKey({ ...printer, title: `${printer.title} old` })))
    expect(window.notices.now).toEqual({ kind: 'unknown', name: 'ONTO' })
  })
})

describe('the command barcode of a station', () => {
  afterEach(() => {
    useCommandsOf(null)
  })

  it('opens this station if nobody is logged in; afterwards only command barcodes with its secret work', async () => {
    await begin(memoryWorld().session)
    const barcode = namedBarcode('DESK', stationKey(productionStation))
    await scan(barcode)
    expect(window.app.station?.id).toBe(productionStation.id)
    // from here on, command barcodes need the secret of the open station
    await scan(barcode)
    expect(window.notices.now).toEqual({ kind: 'foreign' })
    const secret = productionStation.commandSecret?.text ?? null
    await scan(namedBarcode('DESK', stationKey(productionStation), secret))
    expect(window.notices.now?.kind).toBe('station_is')
    await scan(namedBarcode('DESK', 'ZZZZZZ', secret))
    expect(window.notices.now).toEqual({ kind: 'unknown', name: 'DESK' })
  })
})

describe('the command barcode of a language', () => {
  it('sets this language; a second scan of the same barcode changes nothing', async () => {
    await scan('SDCMDDUTCH', 'SDCMDDUTCH')
    expect(desk.world.info.settings.language).toBe('nl')
    await scan('SDCMDENGLISH')
    expect(desk.world.info.settings.language).toBe('en')
  })
})

describe('the command NEXT', () => {
  it('waits until the list that the previous scan opened has loaded, and opens its first entry', async () => {
    const { list } = desk.bridge.print
    let turnsMs = 8
    Object.assign(window.bridge, {
      print: {
        ...desk.bridge.print,
        list: async () => {
          await new Promise((resolve) => setTimeout(resolve, turnsMs))
          turnsMs = 0
          return list()
        },
      },
    })
    desk.world.prints = printsOf([unknownPrint(nowMs)], [])
    await scan('SDCMDPRINTS', 'SDCMDNEXT')
    await settle()
    expect(window.places.prints.opened?.jobId).toBe('pj-unknown')
  })

  it('selects a label in the list, which the command PRIMARY then opens', async () => {
    desk.world.labels = [{ ...sampleLabel(nowMs), id: labelIdOf('lb-7') }]
    await scan('SDCMDLABELS')
    // the test calls `load`, as the screen does when it is drawn
    await window.places.labels.load()
    await scan('SDCMDNEXT')
    expect(window.places.labels.cursor.key).toBe('lb-7')
    await scan('SDCMDPRIMARY')
    expect([window.place, window.places.stage.card]).toMatchObject([
      'stage',
      { kind: 'label', labelId: 'lb-7' },
    ])
  })

  it('opens the next entry of the print list, and after the last entry the first', async () => {
    desk.world.prints = printsOf([unknownPrint(nowMs)], [paperPrint(nowMs)])
    await scan('SDCMDPRINTS')
    const opened: (string | undefined)[] = []
    for (let i = 0; i < 3; i++) {
      await scan('SDCMDNEXT')
      opened.push(window.places.prints.opened?.jobId)
    }
    expect(opened).toEqual(['pj-unknown', 'pj-paper', 'pj-unknown'])
  })
})
