/** Editing that a field's own undo history has; the standard that retires it knows no other way yet. */
interface EditCommands {
  execCommand: (command: 'insertText' | 'undo', ui?: boolean, text?: string) => boolean
}

/** Types into the field that has the focus. False: the field takes no text now. */
export function typeText(page: EditCommands, text: string): boolean {
  return page.execCommand('insertText', false, text)
}

/** One step back in the field that has the focus. False: there is none. */
export function undoTyping(page: EditCommands): boolean {
  return page.execCommand('undo')
}
