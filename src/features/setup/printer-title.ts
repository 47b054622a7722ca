import { m } from '#messages/messages.js'
import { standardFolderTitle } from '#shared/bridge/printer-views.ts'

/** What a printer is called here: the folder of a new computer has its name in the language shown. */
export function shownTitle(title: string): string {
  return title === standardFolderTitle ? m.printer_folder() : title
}

/** The title to keep: the folder's own name stays one for every language. */
export function savedTitle(typed: string): string {
  const title = typed.trim()
  return title === m.printer_folder() ? standardFolderTitle : title
}
