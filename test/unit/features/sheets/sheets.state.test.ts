import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { useCommandsOf } from '#place/station-commands.svelte.ts'
import { barsIn, fittingMm } from '#features/sheets/paper-cells.ts'
import { sheetEndWords, SheetsState } from '#features/sheets/sheets.state.svelte.ts'
import type { PrintRoute } from '#shared/bridge/printer-views.ts'
import { mostSheetEntries, sheetEntry, sheetWish } from '#shared/bridge/paper-views.ts'
import type { StationView } from '#shared/bridge/views.ts'
import { parseBadge } from '#shared/domain/badge.ts'
import {
  commandGroups,
  commands,
  commandsOfGroup,
  methodKey,
  printerKey,
  readCommand,
  stationKey,
} from '#shared/domain/commands.ts'
import { parseCommand, parseNamed } from '#support/command-readings.ts'
import { calibrationCodes } from '#shared/domain/wedge/calibration.ts'
import { failure } from '#shared/errors/catalogue.ts'
import { MemoryDesk } from '#support/memory-desk/memory-desk.ts'
import { sampleLocations } from '#support/memory-desk/modifications.ts'
import { severalPrinters, severalViews, zebraEntry } from '#support/memory-desk/printers.ts'
import { labelFolder, printsOf, zebra } from '#support/memory-desk/prints.ts'
import { productionStation, sandboxStation, signedIn } from '#support/memory-desk/station.ts'

let desk: MemoryDesk
let sheets: SheetsState
let station: StationView

beforeEach(async () => {
  desk = new MemoryDesk()
  station = sandboxStation
  const [first] = sampleLocations(Date.parse('2026-11-21T14:00:00Z'))
  if (!first) throw new Error('there are sample locations')
  desk.world.locations = ['A-01', 'A-02', 'b-01'].map((code, i) => ({
    ...first,
    id: `lc-${String(i)}`,
    code,
  }))
  desk.world.prints = printsOf([], [], [zebra, labelFolder])
  sheets = new SheetsState({
    bridge: desk.bridge,
    session: () => signedIn,
    station: () => station,
    onStation: (changed) => {
      station = changed
    },
  })
  await sheets.load()
})

const codes = (): string[] => sheets.content.flatMap(({ entries }) => entries.map(({ code }) => code))

describe('the secret of a station on its printed sheets', () => {
  beforeEach(() => {
    desk.world.stations = [sandboxStation, productionStation]
    station = productionStation
    useCommandsOf(station)
  })
  afterEach(() => {
    useCommandsOf(null)
  })

  it('is part of every command barcode, and not of the barcodes of locations', () => {
    const secret = productionStation.commandSecret?.text ?? null
    for (const part of ['tasks', 'digits', 'choices'] as const) {
      sheets.part = part
      expect(codes().length).toBeGreaterThan(0)
      for (const code of codes()) {
        expect(readCommand(code, secret).kind).toMatch(/^(command|named)$/)
        expect(readCommand(code, null).kind).toBe('foreign')
      }
    }
    sheets.kind = 'locations'
    expect([sheets.secret, codes()]).toEqual([null, ['A-01', 'A-02', 'b-01']])
  })

  it('is replaced only when the operator confirms the replacement right after the question', async () => {
    await sheets.renewSecret()
    sheets.askToRenew()
    sheets.part = 'digits'
    await sheets.renewSecret()
    expect([station.commandSecret, sheets.renewal]).toEqual([productionStation.commandSecret, 'none'])
    sheets.askToRenew()
    await sheets.renewSecret()
    expect(station.commandSecret?.text).toBe('3W8ZT')
    expect([sheets.secret?.text, sheets.renewal, sheets.failure]).toEqual(['3W8ZT', 'none', null])
  })

  it('stays the same when no new secret can be created', async () => {
    desk.world.failures['station:renewSecret'] = failure('internal.unexpected')
    sheets.askToRenew()
    await sheets.renewSecret()
    expect([station.commandSecret, sheets.renewal]).toEqual([productionStation.commandSecret, 'none'])
    expect(sheets.failure?.code).toBe('internal.unexpected')
  })
})

describe('the sheet of commands', () => {
  it('contains, together with the sheet of digits, every command once', () => {
    expect(commandGroups.flatMap(commandsOfGroup).toSorted()).toEqual([...commands].toSorted())
    const tasks = codes()
    sheets.part = 'digits'
    expect([...tasks, ...codes()].map((code) => parseCommand(code)).toSorted()).toEqual(
      [...commands].toSorted(),
    )
    expect(sheets.layout).toBe('digits')
  })

  it('has barcodes for methods, printers and stations, except for stations whose barcodes would be the same', async () => {
    desk.world.stations = [sandboxStation, productionStation, { ...productionStation, id: 'twin' }]
    await sheets.load()
    sheets.part = 'choices'
    const named = codes().map((code) => parseNamed(code))
    expect(named.filter((one) => one?.name === 'VIA').map((one) => one?.key)).toEqual(
      expect.arrayContaining(desk.world.methods.methods.map(methodKey)),
    )
    expect(named.filter((one) => one?.name === 'ONTO')).toEqual(
      [zebra, labelFolder].map((one) => ({ name: 'ONTO', key: printerKey(one) })),
    )
    // stations with the same server, WMS code and customer have the same key; a barcode could not select one of them,
    // so the sheet has none for them
    expect(named.filter((one) => one?.name === 'DESK')).toEqual([
      { name: 'DESK', key: stationKey(sandboxStation) },
    ])
    for (const { code } of sheets.content.flatMap(({ entries }) => entries))
      expect(sheetEntry.shape.code.parse(code)).toBe(code)
  })

  it('is replaced at each NEXT by the next kind of sheet, until the first kind appears again', () => {
    const seen = Array.from({ length: 6 }, () => {
      sheets.run('NEXT')
      return `${sheets.kind} ${sheets.part}`
    })
    expect(seen).toEqual([
      'commands digits',
      'commands choices',
      'locations tasks',
      'badges tasks',
      'calibration tasks',
      'commands tasks',
    ])
  })

  it('is printed on the first printer, or on the printer that the operator chose', async () => {
    await sheets.print()
    sheets.printerId = labelFolder.name
    await sheets.print()
    expect(desk.world.sheets.map(({ printerId }) => printerId)).toEqual([zebra.name, labelFolder.name])
    for (const wish of desk.world.sheets) expect(sheetWish.parse(wish)).toEqual(wish)
    expect(sheets.end).toMatchObject({ kind: 'paper', printed: { outcome: { kind: 'sent' } } })
  })
})

describe('the printer of a sheet', () => {
  const route = (size: 'label' | 'page', printerId: string): PrintRoute => ({
    paper: 'sheet',
    size,
    printerId,
  })
  const withRoutes = async (...routes: PrintRoute[]): Promise<void> => {
    desk.world.printerSetup = { ...desk.world.printerSetup, routes }
    await sheets.load()
  }

  it('is the printer that the route for sheets of this paper size names', async () => {
    await withRoutes({ ...route('page', zebra.name), paper: 'return_label' }, route('page', labelFolder.name))
    expect(sheets.printerId).toBe(labelFolder.name)
    sheets.format = 'label'
    expect(sheets.printerId).toBe(zebra.name)
    sheets.kind = 'locations'
    sheets.format = 'a4'
    await sheets.print()
    expect(desk.world.sheets.map(({ printerId }) => printerId)).toEqual([labelFolder.name])
  })

  it('stays the printer that the operator chose until the next operator comes', async () => {
    await withRoutes(route('page', labelFolder.name))
    sheets.printerId = zebra.name
    sheets.format = 'label'
    sheets.format = 'a4'
    sheets.kind = 'locations'
    expect(sheets.printerId).toBe(zebra.name)
    sheets.reset()
    expect(sheets.printerId).toBe(labelFolder.name)
  })

  it('is the first printer again when the chosen printer was removed', async () => {
    sheets.printerId = labelFolder.name
    desk.world.prints = printsOf([], [], [zebra])
    await sheets.load()
    expect(sheets.printerId).toBe(zebra.name)
  })
})

describe('the sheet of location labels', () => {
  beforeEach(() => {
    sheets.kind = 'locations'
  })

  it('has all known locations, or only those that begin with the typed prefix', () => {
    expect(codes()).toEqual(['A-01', 'A-02', 'b-01'])
    sheets.prefix = ' B'
    expect(codes()).toEqual(['b-01'])
    sheets.prefix = 'C'
    expect(sheets.count).toBe(0)
  })

  it('has each typed location once, and leaves out locations that no barcode can encode', () => {
    sheets.source = 'typed'
    sheets.typed = 'A-01\nA-02; A-01,\tRÜCK\r\n\n'
    expect(codes()).toEqual(['A-01', 'A-02'])
    expect(sheets.locations.unfit).toEqual(['RÜCK'])
  })

  it('has at most the maximum number of locations, and counts the locations that it leaves out', async () => {
    sheets.source = 'typed'
    sheets.typed = Array.from({ length: mostSheetEntries + 7 }, (_, i) => `A-${String(i)}`).join('\n')
    expect([sheets.count, sheets.locations.over]).toEqual([mostSheetEntries, 7])
    await sheets.print()
    expect(desk.world.sheets.map((wish) => sheetWish.safeParse(wish).success)).toEqual([true])
  })

  it('cannot be printed while it is empty', async () => {
    sheets.prefix = 'C'
    await Promise.all([sheets.print(), sheets.save()])
    expect(desk.world.sheets).toEqual([])
  })
})

describe('the sheet of badges', () => {
  beforeEach(() => {
    sheets.kind = 'badges'
  })

  it('begins with the badge of the operator, and has a badge for each valid user name', () => {
    expect(codes().map(parseBadge)).toEqual([signedIn.username])
    sheets.addBadge()
    expect(codes()).toHaveLength(1)
    sheets.changeBadge(1, { username: ' Kees ', name: 'Kees de Boer' })
    expect(codes().map(parseBadge)).toEqual([signedIn.username, 'Kees'])
    sheets.changeBadge(1, { username: 'Kéés' })
    expect(sheets.badges.map((badge) => sheets.isBadgeWrong(badge))).toEqual([false, true])
    sheets.removeBadge(0)
    expect(sheets.count).toBe(0)
  })

  it('loses its badges when the operator changes', () => {
    sheets.changeBadge(0, { username: 'kees' })
    sheets.reset()
    expect([sheets.kind, sheets.badges]).toEqual(['commands', []])
  })
})

describe('the sheet of calibration codes', () => {
  it('has two barcodes on A4 paper, and one on label paper', async () => {
    sheets.kind = 'calibration'
    await sheets.print()
    sheets.format = 'label'
    await sheets.print()
    expect(desk.world.sheets.map(({ groups }) => groups[0]?.entries.map(({ code }) => code))).toEqual([
      [calibrationCodes.matrix, calibrationCodes.line],
      [calibrationCodes.matrix],
    ])
    for (const wish of desk.world.sheets) expect(sheetWish.parse(wish)).toEqual(wish)
  })
})

describe('the result of saving or printing a sheet', () => {
  it('is shown after saving until the operator changes a choice for the sheet', async () => {
    await sheets.save()
    expect(sheets.end?.kind === 'file' ? sheets.end.saved.file : '').toMatch(/commands\.pdf$/)
    sheets.format = 'label'
    expect(sheets.end).toBeNull()
  })

  it('is the reason of the failure when the sheet could not be drawn for printing', async () => {
    desk.world.failures['paper:sheet'] = failure('printer.sheet_too_large')
    await sheets.print()
    expect([sheets.end, sheets.failure?.code, sheets.busy]).toEqual([null, 'printer.sheet_too_large', null])
  })
})

describe('a sheet that is wider than the paper', () => {
  const words = async (): Promise<string> => {
    const narrow = failure('printer.paper_too_narrow', { neededMm: 210, printableMm: 104 })
    desk.world.paperOutcome = { kind: 'refused', file: null, failure: narrow }
    await sheets.print()
    return sheets.end ? sheetEndWords(sheets.end, sheets.printers).text : ''
  }

  it('is reported with the names of the printers whose paper is wide enough', async () => {
    desk.world.printerSetup = { ...severalPrinters, routes: [] }
    desk.world.prints = printsOf([], [], severalViews)
    await sheets.load()
    const said = await words()
    expect(said).toContain('the page (210 mm) does not fit the paper (104 mm)')
    expect(said).toContain('Office A4 or Label folder')
    expect(said).not.toMatch(/barcode/i)
  })

  it('is reported, if no printer has paper that is wide enough, with the advice to save it as PDF', async () => {
    desk.world.printerSetup = { printers: [zebraEntry], routes: [] }
    expect(await words()).toContain('save the sheet as PDF')
  })
})

describe('the preview of a barcode on a sheet', () => {
  it('has a quiet zone on each side if the width is sufficient, and otherwise bars of the minimum width', () => {
    for (const modules of [100, 143, 220])
      for (const widthMm of [60, 91, 190]) {
        const { moduleMm, leftMm } = barsIn(modules, widthMm, true)
        if (moduleMm * (modules + 20) > widthMm) expect(moduleMm).toBeCloseTo(0.25, 2)
        else expect(leftMm).toBeGreaterThanOrEqual(10 * moduleMm - 1e-9)
      }
    expect(fittingMm('A', 60, 15, 2)).toBe(15)
    expect(fittingMm('A'.repeat(400), 60, 15, 2)).toBe(2)
  })
})
