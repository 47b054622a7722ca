import { type BrowserWindow, dialog } from 'electron'
import { m } from '#messages/messages.js'
import type { Language } from '#shared/domain/languages.ts'

/**
 * Tells the operator in a dialog that the page has ended several times, and what to do. The dialog closes when the
 * operator presses its button or the signal is aborted. It is a dialog of the system, because a page that ends at each
 * start cannot show a text. The window is shown first: if the page ended before its first paint, it is still hidden.
 */
export async function tellOfCrashes(
  window: BrowserWindow,
  language: Language,
  signal: AbortSignal,
): Promise<void> {
  const locale = { locale: language }
  window.show()
  await dialog.showMessageBox(window, {
    type: 'error',
    title: 'Scandesk',
    message: m.crash_title({}, locale),
    detail: m.crash_text({}, locale),
    buttons: [m.crash_button({}, locale)],
    noLink: true,
    signal,
  })
}
