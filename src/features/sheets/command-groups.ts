import { m } from '#messages/messages.js'
import type { Command } from '#shared/domain/commands.ts'

/** The commands as they stand together on paper: each once, where somebody looks for it. */
export const commandGroups: readonly {
  readonly heading: () => string
  readonly commands: readonly Command[]
}[] = [
  { heading: m.sheets_group_always, commands: ['PRIMARY', 'HOME', 'UNDO', 'HELP', 'LANGUAGE', 'LOGOUT'] },
  { heading: m.sheets_group_label, commands: ['REPRINT', 'METHOD', 'ADDRESS', 'CANCEL'] },
  { heading: m.sheets_group_book, commands: ['BOOK', 'LOST', 'DEFECTIVE', 'CORRECTION', 'PLUS', 'MINUS'] },
  {
    heading: m.sheets_group_places,
    commands: ['SEARCH', 'EXPIRING', 'LABELS', 'HAND', 'LOCATIONS', 'QUEUE', 'PRINTS', 'SHEETS'],
  },
  { heading: m.sheets_group_paper, commands: ['YES', 'NO', 'DAMAGED', 'GONE', 'FAINT', 'OTHER'] },
  { heading: m.sheets_group_queue, commands: ['ADOPT', 'RESEND', 'LATER'] },
]
