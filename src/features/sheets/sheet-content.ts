import { stationBarcode, stationNamedBarcode } from '#place/station-commands.svelte.ts'
import { m } from '#messages/messages.js'
import { mostSheetEntries, sheetEntry, type SheetWish } from '#shared/bridge/paper-views.ts'
import { badgeBarcode, badgeName } from '#shared/domain/badge.ts'
import type { PrinterView } from '#shared/bridge/print-views.ts'
import type { ShippingMethodView } from '#shared/bridge/stock-views.ts'
import type { StationView } from '#shared/bridge/views.ts'
import { calibrationCodes } from '#shared/domain/wedge/calibration.ts'
import {
  type Command,
  type CommandGroup,
  commandGroups,
  methodKey,
  printerKey,
  stationKey,
} from '#shared/domain/commands.ts'
import type { SheetFormat } from '#shared/domain/sheet-layout.ts'
import { commandGroup, commandWords } from '#place/command-words.ts'
import { printerName } from '#place/print-words.ts'

type Groups = SheetWish['groups']

/** The groups on the sheet of commands. Digits have a separate sheet. */
const groupsOnSheet: readonly CommandGroup[] = commandGroups.filter((group) => group !== 'number')

export interface BadgeDraft {
  readonly name: string
  readonly username: string
}

export function commandContent(): Groups {
  return groupsOnSheet.map(groupOf)
}

export function numberContent(): Groups {
  return [groupOf('number')]
}

function groupOf(group: CommandGroup): Groups[number] {
  const { heading, commands } = commandGroup(group)
  return { heading, entries: commands.map(entryOf) }
}

function entryOf(command: Command): Groups[number]['entries'][number] {
  return { code: stationBarcode(command), words: commandWords(command), note: '' }
}

/** The things for which a station's sheet has command barcodes: printers, shipping methods and stations. */
export interface Choices {
  readonly methods: readonly ShippingMethodView[]
  readonly printers: readonly PrinterView[]
  readonly stations: readonly StationView[]
}

/**
 * Returns a command barcode for each of the choices, with its name, at most `mostSheetEntries` in each group. Empty
 * groups are left out. Choices with the same key get no barcode, because the desk could not tell them apart.
 */
export function choiceContent({ methods, printers, stations }: Choices): Groups {
  const entry = (code: string, words: string): Groups[number]['entries'][number] => ({
    code,
    words,
    note: '',
  })
  const groups = [
    {
      heading: m.sheets_group_methods(),
      entries: methods
        .toSorted((a, b) => a.shipper.localeCompare(b.shipper) || a.description.localeCompare(b.description))
        .map((one) =>
          entry(stationNamedBarcode('VIA', methodKey(one)), `${one.shipper} · ${one.description}`),
        ),
    },
    {
      heading: m.sheets_group_printers(),
      entries: printers.map((one) =>
        entry(stationNamedBarcode('ONTO', printerKey(one)), printerName(one.title, one.folder !== null)),
      ),
    },
    {
      heading: m.sheets_group_stations(),
      entries: stations.map((one) =>
        entry(stationNamedBarcode('DESK', stationKey(one)), `${one.name} · ${one.customerCode}`),
      ),
    },
  ]
  const all = groups.flatMap(({ entries }) => entries.map(({ code }) => code))
  const isOnly = ({ code }: { readonly code: string }): boolean =>
    all.filter((one) => one === code).length === 1
  return groups
    .map(({ heading, entries }) => ({ heading, entries: entries.filter(isOnly).slice(0, mostSheetEntries) }))
    .filter(({ entries }) => entries.length > 0)
}

/** The printable part of a list of location codes: each code once, without codes that no barcode can encode. */
export interface LocationContent {
  readonly groups: Groups
  readonly unfit: readonly string[]
  /** Number of codes that are left out, because a sheet has a maximum number of codes. */
  readonly over: number
}

export function locationContent(codes: readonly string[]): LocationContent {
  const all = [...new Set(codes.map((code) => code.trim()))].filter((code) => code !== '')
  const isFit = (code: string): boolean => sheetEntry.shape.code.safeParse(code).success
  const fit = all.filter(isFit)
  const shown = fit.slice(0, mostSheetEntries)
  return {
    groups: [{ heading: '', entries: shown.map((code) => ({ code, words: code, note: '' })) }],
    unfit: all.filter((code) => !isFit(code)),
    over: fit.length - shown.length,
  }
}

/**
 * Returns the barcodes for the calibration of a keyboard scanner. The linear barcode is left out on label paper,
 * because it is wider than any label.
 */
export function calibrationContent(format: SheetFormat): Groups {
  const matrix = { code: calibrationCodes.matrix, words: m.calibration_matrix(), note: '' }
  const line = { code: calibrationCodes.line, words: m.calibration_line(), note: '' }
  return [{ heading: '', entries: format === 'a4' ? [matrix, line] : [matrix] }]
}

/**
 * Returns the content of a sheet of badges. Leaves out a badge if a barcode of a badge cannot contain its user name
 * (see isBadge). A badge without a name shows the user name.
 */
export function badgeContent(badges: readonly BadgeDraft[]): Groups {
  const whole = badges.filter(isBadge)
  const entries = whole.map(({ name, username }) => ({
    code: badgeBarcode(username.trim()),
    words: name.trim() || username.trim(),
    note: name.trim() === '' ? m.sheets_badge_note() : username.trim(),
  }))
  return [{ heading: '', entries }]
}

export function isBadge({ username }: BadgeDraft): boolean {
  return badgeName.test(username.trim())
}
