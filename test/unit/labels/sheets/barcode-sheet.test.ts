import { describe, expect, it } from 'vitest'
import { rasterise } from '#labels/place/raster.ts'
import { readSymbols } from '#labels/read/read-symbols.ts'
import { drawBarcodeSheet, type SheetSpec } from '#labels/sheets/barcode-sheet.ts'
import type { SheetEntry } from '#labels/sheets/sheet-cells.ts'
import { badgeBarcode } from '#shared/domain/badge.ts'
import { commandBarcode, commands, digitOf } from '#shared/domain/commands.ts'
import { namedBarcode, namedCommands } from '#shared/domain/named-commands.ts'
import { a4Room, countSheetPages } from '#shared/domain/sheet-layout.ts'
import { calibrationCodes } from '#shared/domain/wedge/calibration.ts'
import { CataloguedError } from '#shared/errors/result.ts'
import { canDecodeLabels, pagesOf, readBitmap, readPng } from '#support/label-raster.ts'

const entry = (code: string, words = code): SheetEntry => ({ code, words, note: '' })
const commandEntries = commands.map((command) => entry(commandBarcode(command), `${command} ë ß`))
const locations = Array.from({ length: 24 }, (_, i) => entry(`A-03-${String(i + 10)}-B`))
const badges = ['anna', 'jw.oldenbarnevelt@acme', 'KEES'].map((name) => entry(badgeBarcode(name), name))
const digits = commands
  .filter((command) => digitOf(command) !== null || command === 'CLEAR' || command === 'ENTER')
  .map((command) => entry(commandBarcode(command), String(digitOf(command) ?? command)))
const calibration = [calibrationCodes.matrix, calibrationCodes.line].map((code) =>
  entry(code, 'For scanners'),
)
const choices = namedCommands.flatMap((name) =>
  ['000000', 'ZZZZZZ', 'W1K7QX', '4711AB'].map((key) => entry(namedBarcode(name, key), `PostNL · ${key} ë`)),
)
const four = { widthMm: 101.6, heightMm: 152.4 }

function sheet(
  kind: SheetSpec['kind'],
  entries: readonly SheetEntry[],
  change: Partial<SheetSpec> = {},
): SheetSpec {
  return {
    kind,
    format: 'a4',
    room: a4Room,
    dpi: 203,
    title: 'Commands to scan',
    lead: 'This sheet hangs beside the scanner.',
    groups: [
      { heading: 'First', entries: entries.slice(0, 5) },
      { heading: 'Others', entries: entries.slice(5) },
    ],
    date: new Date(0),
    ...change,
  }
}

const onLabel = { format: 'label', room: four } as const
const roll = { format: 'label', room: { widthMm: 72, heightMm: null } } as const
const sheets: readonly (readonly [string, SheetSpec, readonly SheetEntry[]])[] = [
  ['commands on A4', sheet('commands', commandEntries), commandEntries],
  [
    'commands on labels',
    sheet('commands', commandEntries.slice(0, 14), onLabel),
    commandEntries.slice(0, 14),
  ],
  ['commands on a roll', sheet('commands', commandEntries.slice(0, 9), roll), commandEntries.slice(0, 9)],
  ['digits on A4', sheet('digits', digits), digits],
  ['digits on labels', sheet('digits', digits, onLabel), digits],
  ['digits on a roll', sheet('digits', digits, roll), digits],
  ['methods and printers on A4', sheet('commands', choices), choices],
  ['methods and printers on a roll', sheet('commands', choices, roll), choices],
  ['locations on A4', sheet('locations', locations), locations],
  ['locations, a label each', sheet('locations', locations.slice(0, 3), onLabel), locations.slice(0, 3)],
  ['badges on A4', sheet('badges', badges), badges],
  ['calibration on A4', sheet('calibration', calibration), calibration],
  ['calibration on a label', sheet('calibration', calibration.slice(0, 1), onLabel), calibration.slice(0, 1)],
  ['calibration on a roll', sheet('calibration', calibration.slice(0, 1), roll), calibration.slice(0, 1)],
  ['badges on a roll', sheet('badges', badges.slice(0, 1), roll), badges.slice(0, 1)],
]
const canDecode = await canDecodeLabels()

describe('a sheet of barcodes', () => {
  for (const dpi of [203, 300])
    it.skipIf(!canDecode).each(sheets)(
      `%s is read whole by zbar and zxing at ${String(dpi)} dpi`,
      async (_, spec, entries) => {
        const pdf = await drawBarcodeSheet({ ...spec, dpi })
        const widthDots = Math.round((spec.room.widthMm * dpi) / 25.4)
        const bitmaps = await rasterise(pdf, { dpi, widthDots }, { turn: 0, crop: 'page' })
        expect(bitmaps).toHaveLength(countSheetPages(spec))
        const expected = entries.map(({ code }) => code).sort()
        const byZbar = await Promise.all(bitmaps.map(readBitmap))
        expect(
          byZbar
            .flat()
            .map(({ text }) => text)
            .sort(),
        ).toEqual(expected)
        const byZxing = await Promise.all(bitmaps.map((bitmap) => readSymbols(bitmap, dpi)))
        expect(
          byZxing
            .flat()
            .map(({ text }) => text)
            .sort(),
        ).toEqual(expected)
      },
    )

  it.skipIf(!canDecode).each([
    ['commands', commandEntries],
    ['calibration', calibration],
  ] as const)('of %s is read from what another program draws of it', async (kind, entries) => {
    const pdf = await drawBarcodeSheet(sheet(kind, entries))
    const found = await Promise.all((await pagesOf(pdf, 203)).map(readPng))
    expect(
      found
        .flat()
        .map(({ text }) => text)
        .sort(),
    ).toEqual(entries.map(({ code }) => code).sort())
  })

  it('refuses paper on which a barcode has no room, and says how much it takes', async () => {
    const narrow = { format: 'label', room: { widthMm: 48, heightMm: null } } as const
    const drawn = drawBarcodeSheet(sheet('locations', [entry('HALL-4-AISLE-17-RACK-3-SHELF-B')], narrow))
    await expect(drawn).rejects.toThrow(CataloguedError)
    await drawn.catch((error: unknown) => {
      const { failure } = error as CataloguedError
      expect(failure.code).toBe('printer.paper_too_narrow')
      expect(failure.params['printableMm']).toBe(48)
      expect(Number(failure.params['neededMm'])).toBeGreaterThan(48)
    })
  })
})
