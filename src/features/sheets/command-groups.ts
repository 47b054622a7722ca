import { m } from '#messages/messages.js'
import type { Command } from '#shared/domain/commands.ts'

/** The commands as they stand together on paper: each once, where somebody looks for it. */
export const commandGroups: readonly {
  readonly heading: () => string
  readonly commands: readonly Command[]
}[] = [
  { heading: m.sheets_group_always, commands: ['PRIMARY', 'NEXT', 'HOME', 'UNDO', 'HELP', 'LOGOUT'] },
  {
    heading: m.sheets_group_label,
    commands: ['PRINTNOW', 'REPRINT', 'MAKEONLY', 'METHOD', 'ADDRESS', 'CANCEL'],
  },
  { heading: m.sheets_group_book, commands: ['BOOK', 'LOST', 'DEFECTIVE', 'CORRECTION', 'PLUS', 'MINUS'] },
  {
    heading: m.sheets_group_places,
    commands: ['SEARCH', 'EXPIRING', 'LABELS', 'HAND', 'LOCATIONS', 'QUEUE', 'PRINTS', 'SHEETS'],
  },
  { heading: m.sheets_group_paper, commands: ['YES', 'NO', 'DAMAGED', 'GONE', 'FAINT', 'OTHER'] },
  { heading: m.sheets_group_queue, commands: ['ADOPT', 'RESEND', 'LATER'] },
  { heading: m.sheets_group_languages, commands: ['LANGUAGE', 'ENGLISH', 'DUTCH'] },
]

/** A number of pieces, on a sheet of its own. */
export const numberCommands: readonly Command[] = [
  'ONE',
  'TWO',
  'THREE',
  'FOUR',
  'FIVE',
  'SIX',
  'SEVEN',
  'EIGHT',
  'NINE',
  'CLEAR',
  'ZERO',
  'ENTER',
]
