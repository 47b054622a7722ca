import { BrowserWindow, dialog } from 'electron'
import { m } from '#messages/messages.js'
import type { Language } from '#shared/domain/languages.ts'
import type { AddressQuestion } from './confirmed-addresses.ts'

/**
 * Asks a person at this PC whether main may send data to a new address, and returns whether the person confirmed it.
 * The question is a dialog of the system, which the page cannot draw, read or close. The host is the only part of the
 * text that the page can choose. The Enter key cancels the dialog, because a scanner sends Enter after each code.
 */
export async function askAboutAddress({ use, host }: AddressQuestion, language: Language): Promise<boolean> {
  const locale = { locale: language }
  const [message, consequence] =
    use === 'service'
      ? [m.confirm_service_title({}, locale), m.confirm_service_text({}, locale)]
      : [m.confirm_printer_title({}, locale), m.confirm_printer_text({}, locale)]
  const options = {
    type: 'warning' as const,
    title: 'Scandesk',
    message,
    detail: `${host}\n\n${consequence}`,
    buttons: [m.confirm_cancel({}, locale), m.confirm_connect({}, locale)],
    defaultId: 0,
    cancelId: 0,
    // without `noLink`, Windows shows the buttons as links with explanations
    noLink: true,
  }
  const [window] = BrowserWindow.getAllWindows()
  const { response } = window
    ? await dialog.showMessageBox(window, options)
    : await dialog.showMessageBox(options)
  return response === 1
}
