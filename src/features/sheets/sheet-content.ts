import { m } from '#messages/messages.js'
import { mostSheetEntries, sheetEntry, type SheetWish } from '#shared/bridge/paper-views.ts'
import { badgeBarcode, badgeName } from '#shared/domain/badge.ts'
import { commandBarcode } from '#shared/domain/commands.ts'
import { commandWords } from '#ui/command-words.ts'
import { commandGroups } from './command-groups.ts'

type Groups = SheetWish['groups']

export interface BadgeDraft {
  readonly name: string
  readonly username: string
}

export function commandContent(): Groups {
  return commandGroups.map(({ heading, commands }) => ({
    heading: heading(),
    entries: commands.map((command) => ({
      code: commandBarcode(command),
      words: commandWords[command](),
      note: '',
    })),
  }))
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
