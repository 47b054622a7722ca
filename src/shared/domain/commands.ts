/**
 * Barcodes that steer the desk.
 *
 *     command := PREFIX WORD | PREFIX NAME "1" KEY CHECK
 *     PREFIX  := "SDCMD" | "SD" SECRET
 *
 * SDCMD is the prefix of the sandbox. A station at a real server has a SECRET of five characters of Crockford's base 32
 * (25 bits) there: a parcel may hold any text, but its sender does not know the secret. A WORD stands for itself: upper-case
 * letters only, which survive Caps Lock and need no Shift on most layouts. No word is the beginning of another, so that
 * half a barcode is never a whole command. A NAME points at one thing of many (named-commands.ts); the digit behind it ends
 * the name, says how the rest is written, and keeps the two forms apart: no word holds a digit. A KEY is six characters of
 * 0-9 and A-Z, a CHECK one (ISO 7064, MOD 37,36, of all that stands behind the prefix): one wrong character selects
 * nothing. Case is ignored.
 */
const openPrefix = 'SDCMD'
const secretPrefix = 'SD'
const secretLength = 5
/** Without I, L, O and U. No secret makes a badge's SDUSR of the prefix (badge.ts). */
const secretAlphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
export const commandSecretForm: RegExp = /^[0-9A-HJKMNP-TV-Z]{5}$/

/** A secret from five random bytes; five bits of each count. Throws RangeError where there are fewer. */
export function commandSecretFrom(bytes: Uint8Array): string {
  if (bytes.length < secretLength) throw new RangeError('a command secret needs five random bytes')
  return Array.from(bytes.subarray(0, secretLength), (byte) => secretAlphabet.charAt(byte & 31)).join('')
}

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

/** What every command barcode of a station begins with. `secret` is null at the sandbox, which has none. */
export function commandPrefix(secret: string | null): string {
  return secret === null ? openPrefix : secretPrefix + secret
}

/** The text of a command's barcode: `SDCMDPRIMARY`, or `SD7K2QXPRIMARY` at a station with the secret 7K2QX. */
export function commandBarcode(command: Command, secret: string | null = null): string {
  return commandPrefix(secret) + command
}

/** Longer than any command, with what a scanner puts around it. */
const longestText = 80
const aimIdentifier = /^\][A-Z][0-9A-Z]/i

/** What stands behind the two possible prefixes of a command barcode, in capitals; null where that prefix is not there. */
export interface CommandTails {
  /** Behind SDCMD. */
  readonly open: string | null
  /** Behind SD and five characters that may be a secret, which is known to nobody here. */
  readonly secret: { readonly secret: string; readonly tail: string } | null
}

/**
 * Takes a scanned text apart as a command barcode; null for any other text. An AIM identifier before it is left out.
 * Letters that only become A to Z in capitals (a long s, a dotless i) are no letters of a command.
 */
export function commandTails(text: string): CommandTails | null {
  if (text.length > longestText) return null
  const bare = text.trim().replace(aimIdentifier, '')
  if (!/^[0-9A-Z]+$/i.test(bare) || /[^\x20-\x7e]/.test(bare)) return null
  const upper = bare.toUpperCase()
  if (!upper.startsWith(secretPrefix)) return null
  const at = secretPrefix.length + secretLength
  const secret = upper.slice(secretPrefix.length, at)
  return {
    open: upper.startsWith(openPrefix) ? upper.slice(openPrefix.length) : null,
    secret: commandSecretForm.test(secret) ? { secret, tail: upper.slice(at) } : null,
  }
}

/** The command that a word behind the prefix stands for, or null. */
export function commandOfWord(word: string): Command | null {
  return commands.find((command) => command === word) ?? null
}

const digits = ['ZERO', 'ONE', 'TWO', 'THREE', 'FOUR', 'FIVE', 'SIX', 'SEVEN', 'EIGHT', 'NINE'] as const

/** The command that stands for a digit, or null: there is none for what is not 0 to 9. */
export function digitCommand(digit: number): Command | null {
  return digits[digit] ?? null
}

/** The digit that a command stands for, or null. */
export function digitOf(command: Command): number | null {
  const digit = digits.findIndex((one) => one === command)
  return digit < 0 ? null : digit
}
