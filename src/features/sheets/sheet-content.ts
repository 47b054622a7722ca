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

/** The numbers of pieces have a sheet of their own. */
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

/** What a station chooses from. */
export interface Choices {
  readonly methods: readonly ShippingMethodView[]
  readonly printers: readonly PrinterView[]
  readonly stations: readonly StationView[]
}

/** Each thing once, by its name; groups without any are left out. Two that no barcode can tell apart have none. */
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

/** What is printed of a list of location codes: each once, those left out that no barcode can hold. */
export interface LocationContent {
  readonly groups: Groups
  readonly unfit: readonly string[]
  /** How many more there are than one sheet takes. */
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

/** What a keyboard scanner learns from; the barcode of lines is wider than any label. */
export function calibrationContent(format: SheetFormat): Groups {
  const matrix = { code: calibrationCodes.matrix, words: m.calibration_matrix(), note: '' }
  const line = { code: calibrationCodes.line, words: m.calibration_line(), note: '' }
  return [{ heading: '', entries: format === 'a4' ? [matrix, line] : [matrix] }]
}

/** Those that name a user; the name on the card is the user's where none was given. */
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
