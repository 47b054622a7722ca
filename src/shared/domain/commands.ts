/**
 * Barcodes that steer the desk. Upper-case letters only: they survive Caps Lock and need no Shift on most
 * layouts, and the prefix keeps them apart from every article code a customer is likely to use.
 */
export const commandPrefix = 'SDCMD'

export const commands = [
  'PRIMARY',
  'REPRINT',
  'HOME',
  'HELP',
  'LANGUAGE',
  'LOGOUT',
  /** Opens the modification that is being put together. */
  'BOOK',
  'LOST',
  'DEFECTIVE',
  'CORRECTION',
  /** Whether the next scan adds a piece or takes one away. */
  'PLUS',
  'MINUS',
  'UNDO',
  /** The label on the stage: another method, another sender, not wanted any more. */
  'METHOD',
  'ADDRESS',
  'CANCEL',
  /** Places to go. */
  'LABELS',
  'HAND',
  'LOCATIONS',
  'QUEUE',
  /** What the operator knows of the write that is open in the queue: a record is it, none is, not decided yet. */
  'ADOPT',
  'RESEND',
  'LATER',
  'SEARCH',
  'EXPIRING',
  'SHEETS',
  /** The paper of this desk, and the answers to "did it come out?". */
  'PRINTS',
  'YES',
  'NO',
  /** Why a label is printed once more. */
  'DAMAGED',
  'GONE',
  'FAINT',
  'OTHER',
] as const
export type Command = (typeof commands)[number]

/** `PRIMARY` -> `SDCMDPRIMARY`, the text that the barcode holds. */
export function commandBarcode(command: Command): string {
  return commandPrefix + command
}

/** The command a scanned text stands for, or null. Case is ignored: a wedge under Caps Lock inverts it. */
export function parseCommand(text: string): Command | null {
  const upper = text.trim().toUpperCase()
  return commands.find((command) => commandBarcode(command) === upper) ?? null
}
