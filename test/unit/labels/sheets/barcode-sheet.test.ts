import { describe, expect, it } from 'vitest'
import { rasterise } from '#labels/place/lay-labels.ts'
import { readSymbols } from '#labels/read/read-label.ts'
import { drawBarcodeSheet, type SheetSpec, type SheetEntry } from '#labels/sheets/barcode-sheet.ts'
import { badgeBarcode } from '#shared/domain/badge.ts'
import { commandBarcode, commands, digitOf, namedBarcode, namedCommands } from '#shared/domain/commands.ts'
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
const lowLabel = { format: 'label', room: { widthMm: 100, heightMm: 20 } } as const
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
  ['locations on low labels', sheet('locations', locations.slice(0, 2), lowLabel), locations.slice(0, 2)],
  ['badges on a roll', sheet('badges', badges.slice(0, 1), roll), badges.slice(0, 1)],
]
const canDecode = await canDecodeLabels()

describe('drawBarcodeSheet()', () => {
  for (const dpi of [203, 300])
    it.skipIf(!canDecode).each(sheets)(
      `draws the sheet “%s” so that zbar and zxing read every barcode at ${String(dpi)} dpi`,
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
  ] as const)(
    'draws the sheet “%s” so that zbar reads every barcode after another program rendered the PDF',
    async (kind, entries) => {
      const pdf = await drawBarcodeSheet(sheet(kind, entries))
      const found = await Promise.all((await pagesOf(pdf, 203)).map(readPng))
      expect(
        found
          .flat()
          .map(({ text }) => text)
          .sort(),
      ).toEqual(entries.map(({ code }) => code).sort())
    },
  )

  const low = (heightMm: number): Partial<SheetSpec> => ({
    format: 'label',
    room: { widthMm: 100, heightMm },
  })
  const narrow: Partial<SheetSpec> = { format: 'label', room: { widthMm: 48, heightMm: null } }
  const narrowLabel: Partial<SheetSpec> = { format: 'label', room: { widthMm: 40, heightMm: 30 }, dpi: 300 }
  const digitsOnly = entry('12345678901234567890')
  const long = entry('HALL-4-AISLE-17-RACK-3-SHELF-B')
  const qr = calibration.slice(0, 1)
  const badge = entry(badgeBarcode('anna'))
  const tight: Partial<SheetSpec> = { format: 'label', room: { widthMm: 22, heightMm: 100 } }
  const roomless: readonly (readonly [string, SheetSpec, 'width' | 'height'])[] = [
    ['a long code on a narrow roll', sheet('locations', [long], narrow), 'width'],
    ['a code of digits on a narrow label', sheet('locations', [digitsOnly], narrowLabel), 'width'],
    [
      'a code of letters on a narrow label',
      sheet('locations', [entry('AB-12-CD-34-EF')], narrowLabel),
      'width',
    ],
    ['the QR code of the calibration on a narrow label', sheet('calibration', qr, tight), 'width'],
    ['the QR code of the calibration on a low label', sheet('calibration', qr, low(32)), 'height'],
    ['a location on a low label', sheet('locations', [entry('A-1')], low(15)), 'height'],
    ['a badge on a low label', sheet('badges', [badge], low(40)), 'height'],
    ['a command on a low label', sheet('commands', commandEntries, low(20)), 'height'],
    ['a digit on a low label', sheet('digits', digits, low(20)), 'height'],
  ]

  it.each(roomless)(
    'refuses %s, and reports which side of the paper is too short and how long this side must be',
    async (_, spec, wrong) => {
      const { failure } = await refusalOf(spec)
      const side = `${wrong}Mm` as const
      expect(failure.code).toBe('printer.sheet_too_large')
      expect(failure.params).toMatchObject({ side: wrong, printableMm: spec.room[side] })
      const neededMm = Number(failure.params['neededMm'])
      expect(neededMm).toBeGreaterThan(spec.room[side] ?? 0)
      // the sheet can be drawn on paper with the needed size, and not on paper that is a millimetre smaller
      const withSide = (mm: number): SheetSpec => ({ ...spec, room: { ...spec.room, [side]: mm } })
      await drawBarcodeSheet(withSide(neededMm))
      await refusalOf(withSide(neededMm - 1))
    },
  )
})

async function refusalOf(spec: SheetSpec): Promise<CataloguedError> {
  const refusal: unknown = await drawBarcodeSheet(spec).catch((error: unknown) => error)
  if (!(refusal instanceof CataloguedError)) throw new Error('it is drawn')
  return refusal
}
