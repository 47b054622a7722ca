import type { MessageBoxReturnValue, OpenDialogReturnValue, SaveDialogReturnValue } from 'electron'

interface Choice {
  cancelId?: number
  defaultId?: number
}

/**
 * Returns the button that cancels the dialog, or else the default button, or else the first one. Accepts both forms of
 * arguments: (options) and (window, options).
 */
function answerOf(first: unknown, second: unknown): number {
  const options = (second ?? first) as Choice
  return options.cancelId ?? options.defaultId ?? 0
}

/**
 * Cancels every dialog, because there is no user. A test that needs another result replaces the function of the dialog,
 * on Electron too: `pressInAddressQuestions` in test/support/set-up-station.ts does so for the questions about new
 * addresses.
 */
export const dialog = {
  showMessageBox: (first: unknown, second?: unknown): Promise<MessageBoxReturnValue> =>
    Promise.resolve({ response: answerOf(first, second), checkboxChecked: false }),
  showMessageBoxSync: answerOf,
  showOpenDialog: (): Promise<OpenDialogReturnValue> => Promise.resolve({ canceled: true, filePaths: [] }),
  showOpenDialogSync: (): undefined => undefined,
  showSaveDialog: (): Promise<SaveDialogReturnValue> => Promise.resolve({ canceled: true, filePath: '' }),
  showSaveDialogSync: (): string => '',
  showErrorBox: (title: string, content: string): void => console.error(`${title}: ${content}`),
}
