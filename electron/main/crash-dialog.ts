import { type BrowserWindow, dialog } from 'electron'
import { m } from '#messages/messages.js'
import type { Language } from '#shared/domain/languages.ts'

/**
 * Milliseconds until the dialog opens again, so that a system that closes it at once does not keep the processor busy.
 */
const reopenMs = 500

/**
 * Tells the operator in a dialog that the page has ended several times, and what to do. It is a dialog of the system,
 * because a page that ends at each start cannot show a text. A scanner sends Enter after each code, and Enter presses
 * the first button: the dialog then opens again. Returns after the operator has pressed the second button, the signal
 * is aborted or the window is closed. The window is shown first: if the page ended before its first paint, it is still
 * hidden.
 */
export async function tellOfCrashes(
  window: BrowserWindow,
  language: Language,
  signal: AbortSignal,
): Promise<void> {
  const locale = { locale: language }
  window.show()
  while (!signal.aborted && !window.isDestroyed()) {
    const { response } = await dialog.showMessageBox(window, {
      type: 'error',
      title: 'Scandesk',
      message: m.crash_title({}, locale),
      detail: m.crash_text({}, locale),
      buttons: [m.crash_keep({}, locale), m.crash_button({}, locale)],
      defaultId: 0,
      cancelId: 0,
      noLink: true,
      signal,
    })
    if (response === 1) return
    await new Promise((resolve) => setTimeout(resolve, reopenMs))
  }
}
