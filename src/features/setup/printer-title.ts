import { m } from '#messages/messages.js'
import type { standardFolderTitle } from '#shared/bridge/printer-views.ts'

/** The compiler compares it; its module brings zod along. */
const folderTitle: typeof standardFolderTitle = 'Label folder'

/** Most characters of a printer's or scanner's name (printer-views.ts, scanner-views.ts). */
export const longestTitle = 60

/** What a printer is called here: the folder of a new computer has its name in the language shown. */
export function shownTitle(title: string): string {
  return title === folderTitle ? m.printer_folder() : title
}

/** The title to keep: the folder's own name stays one for every language. */
export function savedTitle(typed: string): string {
  const title = typed.trim()
  return title === m.printer_folder() ? folderTitle : title
}
