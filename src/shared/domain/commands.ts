/**
 * Barcodes that steer the desk.
 *
 *     command := "SDCMD" WORD | "SDCMD" NAME "1" KEY CHECK
 *
 * A WORD stands for itself: upper-case letters only, which survive Caps Lock and need no Shift on most layouts. No word is
 * the beginning of another, so that half a barcode is never a whole command. A NAME points at one thing of many
 * (named-commands.ts); the digit behind it ends the name, says how the rest is written, and keeps the two forms apart: no
 * word holds a digit. A KEY is six characters of 0-9 and A-Z, a CHECK one (ISO 7064, MOD 37,36, of all that stands behind
 * the prefix): one wrong character selects nothing. Case is ignored.
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
  /** Prints, or prints as well, where the large button only saves; and the other way round. */
  'PRINTNOW',
  'MAKEONLY',
  /** The next entry of a list, the next step of a form. */
  'NEXT',
  /** Pieces of the line that was scanned last: digits, then taken or given up. No other barcode changes a quantity. */
  'ZERO',
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
  'ENTER',
  /** Each language by itself. */
  'ENGLISH',
  'DUTCH',
] as const
export type Command = (typeof commands)[number]

/** `PRIMARY` -> `SDCMDPRIMARY`, the text that the barcode holds. */
export function commandBarcode(command: Command): string {
  return commandPrefix + command
}

/** Longer than any command, with what a scanner puts around it. */
const longestText = 80
const aimIdentifier = /^\][A-Z][0-9A-Z]/i
const byText: ReadonlyMap<string, Command> = new Map(
  commands.map((command) => [commandBarcode(command), command]),
)

/**
 * What stands behind the prefix of a command barcode, in capitals; null for any other text. An AIM identifier before it
 * is left out. Letters that only become A to Z in capitals (a long s, a dotless i) are no letters of a command.
 */
export function commandTail(text: string): string | null {
  if (text.length > longestText) return null
  const bare = text.trim().replace(aimIdentifier, '')
  if (!/^[0-9A-Z]+$/i.test(bare) || /[^\x20-\x7e]/.test(bare)) return null
  const upper = bare.toUpperCase()
  return upper.startsWith(commandPrefix) ? upper.slice(commandPrefix.length) : null
}

/** The command a scanned text stands for, or null. Case is ignored: a wedge under Caps Lock inverts it. */
export function parseCommand(text: string): Command | null {
  const tail = commandTail(text)
  return tail === null ? null : (byText.get(commandPrefix + tail) ?? null)
}

const digits = ['ZERO', 'ONE', 'TWO', 'THREE', 'FOUR', 'FIVE', 'SIX', 'SEVEN', 'EIGHT', 'NINE'] as const

/** The command that stands for a digit, or null: there is none for what is not 0 to 9. */
export function digitCommand(digit: number): Command | null {
  return digits[digit] ?? null
}

/** The text of the barcode that stands for a digit, or null. */
export function digitBarcode(digit: number): string | null {
  const command = digitCommand(digit)
  return command === null ? null : commandBarcode(command)
}

/** The digit that a command stands for, or null. */
export function digitOf(command: Command): number | null {
  const digit = digits.findIndex((one) => one === command)
  return digit < 0 ? null : digit
}
