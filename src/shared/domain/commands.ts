import { type LanguageCommand, languages } from './languages.ts'
import type { ReprintReason } from './print-job.ts'

/**
 * Barcodes that control the desk.
 *
 *     command := PREFIX WORD | PREFIX NAME "1" KEY CHECK
 *     PREFIX  := "SDCMD" | "SD" SECRET
 *
 * SDCMD is the prefix of the sandbox. A station at a real server uses SD and a SECRET instead: five characters of
 * Crockford's base 32 (25 bits). A parcel may bear any text, but its sender does not have the secret.
 * Case is ignored. A WORD is one command. It consists of letters, because Caps Lock changes only their case.
 * No word is the beginning of another, so half a barcode is never a whole command.
 * A NAME selects one thing of many. The digit behind it ends the name, identifies the format of the rest and
 * distinguishes the two forms, because no word contains a digit. A KEY is six characters of 0-9 and A-Z. A CHECK is one
 * character (ISO 7064, MOD 37,36, over everything behind the prefix), so one wrong character selects nothing.
 */
const openPrefix = 'SDCMD'
const secretPrefix = 'SD'
const secretLength = 5
/**
 * Crockford's base 32, without I, L, O and U. A badge begins with SDUSR (badge.ts). The U in this prefix cannot occur
 * in a secret, so no command barcode is read as a badge.
 */
const secretAlphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
export const commandSecretForm: RegExp = /^[0-9A-HJKMNP-TV-Z]{5}$/

/** Derives a secret from five random bytes. Uses five bits of each byte. Throws RangeError if there are fewer bytes. */
export function commandSecretFrom(bytes: Uint8Array): string {
  if (bytes.length < secretLength) throw new RangeError('a command secret needs five random bytes')
  return Array.from(bytes.subarray(0, secretLength), (byte) => secretAlphabet.charAt(byte & 31)).join('')
}

/**
 * Where a command works: `anywhere`, or only where its subject is shown. `primary`: a place with a large button;
 * `card`: the card of a parcel or a label; `label`: the card of a label; `print`: a label, its form, the sheets;
 * `reason`: the question why a label is printed again; `form`: the form of a label; `list`: a list; `booking`: the
 * booking being entered; `digit`: a choice, or a number of pieces; `queue`: an entry of the queue; `paper`: an entry of
 * the prints, where PRINTNOW, REPRINT and the commands of `reason` work too.
 */
export type CommandPlace =
  | 'anywhere'
  | 'primary'
  | 'card'
  | 'label'
  | 'print'
  | 'reason'
  | 'form'
  | 'list'
  | 'booking'
  | 'digit'
  | 'queue'
  | 'paper'

/** Groups of commands that are printed together, in the order of the sheet. */
export const commandGroups = [
  'always',
  'label',
  'book',
  'places',
  'paper',
  'queue',
  'languages',
  'number',
] as const
export type CommandGroup = (typeof commandGroups)[number]

/**
 * Where the window shows the button of a command that works anywhere: `footer`: below every place; `home`: on the home
 * screen; `none`: no button.
 */
export type CommandEntrance = 'footer' | 'home' | 'none'

/**
 * The places of the commands that act on the record found by the last scan. These commands work on the screen of that
 * record.
 */
export const cardPlaces = [
  'primary',
  'print',
  'card',
  'label',
  'reason',
] as const satisfies readonly CommandPlace[]
type CardPlace = (typeof cardPlaces)[number]

/** The screens that are shown instead of the stage: before a login, or while the set-up is open. */
export type ScreenBeforeStage = 'login' | 'setup'

/**
 * The rules of one command. `beforeLogin`: the screens before the stage on which the command works; absent: none of
 * them. `waits`: on the stage, a command may apply to the card of the previous scan or answer its question. Such a
 * command waits until that scan is looked up. With `stays` the card stays open, so later scans need not wait for the
 * command. With `leaves` another place opens, so later scans wait for the command.
 */
type CommandRow = { readonly group: CommandGroup; readonly beforeLogin?: readonly ScreenBeforeStage[] } & (
  | { readonly works: 'anywhere'; readonly entrance: CommandEntrance; readonly waits: 'no' }
  | { readonly works: CardPlace | 'digit'; readonly waits: 'stays' | 'leaves' }
  | { readonly works: Exclude<CommandPlace, CardPlace | 'digit' | 'anywhere'>; readonly waits: 'no' }
)

/** Each language has its own command. */
const languageRow = {
  group: 'languages',
  works: 'anywhere',
  beforeLogin: ['login', 'setup'],
  entrance: 'none',
  waits: 'no',
} as const satisfies CommandRow
const languageRows = Object.fromEntries(
  Object.values(languages).map(({ command }) => [command, languageRow]),
) as Record<LanguageCommand, typeof languageRow>

/**
 * Every command once, in the order in which they are printed. A new command needs a row here and a message for its
 * label.
 */
const rows = {
  PRIMARY: { group: 'always', works: 'primary', beforeLogin: ['login'], waits: 'stays' },
  /** Selects the next entry of a list, or the next step of a form. */
  NEXT: { group: 'always', works: 'list', waits: 'no' },
  HOME: {
    group: 'always',
    works: 'anywhere',
    beforeLogin: ['login', 'setup'],
    entrance: 'footer',
    waits: 'no',
  },
  UNDO: { group: 'always', works: 'booking', waits: 'no' },
  HELP: { group: 'always', works: 'anywhere', entrance: 'footer', waits: 'no' },
  LOGOUT: { group: 'always', works: 'anywhere', entrance: 'footer', waits: 'no' },
  /**
   * Prints, even in a place where the large button of the window saves without printing. MAKEONLY makes a label without
   * printing it.
   */
  PRINTNOW: { group: 'label', works: 'print', waits: 'stays' },
  REPRINT: { group: 'label', works: 'label', waits: 'stays' },
  MAKEONLY: { group: 'label', works: 'form', waits: 'no' },
  METHOD: { group: 'label', works: 'card', waits: 'leaves' },
  ADDRESS: { group: 'label', works: 'card', waits: 'leaves' },
  CANCEL: { group: 'label', works: 'label', waits: 'stays' },
  /** Opens the draft of a modification. */
  BOOK: { group: 'book', works: 'anywhere', entrance: 'footer', waits: 'no' },
  LOST: { group: 'book', works: 'booking', waits: 'no' },
  DEFECTIVE: { group: 'book', works: 'booking', waits: 'no' },
  CORRECTION: { group: 'book', works: 'booking', waits: 'no' },
  /** PLUS and MINUS decide whether the next scan of an article adds a piece or removes one. */
  PLUS: { group: 'book', works: 'booking', waits: 'no' },
  MINUS: { group: 'book', works: 'booking', waits: 'no' },
  SEARCH: { group: 'places', works: 'anywhere', entrance: 'footer', waits: 'no' },
  EXPIRING: { group: 'places', works: 'anywhere', entrance: 'home', waits: 'no' },
  LABELS: { group: 'places', works: 'anywhere', entrance: 'home', waits: 'no' },
  HAND: { group: 'places', works: 'anywhere', entrance: 'home', waits: 'no' },
  LOCATIONS: { group: 'places', works: 'anywhere', entrance: 'home', waits: 'no' },
  QUEUE: { group: 'places', works: 'anywhere', entrance: 'none', waits: 'no' },
  PRINTS: { group: 'places', works: 'anywhere', entrance: 'none', waits: 'no' },
  SHEETS: { group: 'places', works: 'anywhere', entrance: 'none', waits: 'no' },
  /** YES and NO answer the question whether the paper came out of the printer, and the question whether to leave. */
  YES: { group: 'paper', works: 'paper', waits: 'no' },
  NO: { group: 'paper', works: 'paper', waits: 'no' },
  /** The four answers to the question why a label is printed again. */
  DAMAGED: { group: 'paper', works: 'reason', waits: 'stays' },
  GONE: { group: 'paper', works: 'reason', waits: 'stays' },
  FAINT: { group: 'paper', works: 'reason', waits: 'stays' },
  OTHER: { group: 'paper', works: 'reason', waits: 'stays' },
  /**
   * Answers to the question about the open write in the queue. `ADOPT`: the shown record belongs to this write.
   * `RESEND`: no shown record does, so the write is to be sent. `LATER`: the operator decides later.
   */
  ADOPT: { group: 'queue', works: 'queue', waits: 'no' },
  RESEND: { group: 'queue', works: 'queue', waits: 'no' },
  LATER: { group: 'queue', works: 'queue', waits: 'no' },
  /** Switches to the next language. Each language also has its own command. */
  LANGUAGE: { ...languageRow, entrance: 'footer' },
  ...languageRows,
  /**
   * The commands that enter the number of pieces of the line that changed last: digits, then ENTER or CLEAR. No other
   * barcode enters a number of pieces. A digit also answers a question with numbered choices.
   */
  ONE: { group: 'number', works: 'digit', waits: 'stays' },
  TWO: { group: 'number', works: 'digit', waits: 'stays' },
  THREE: { group: 'number', works: 'digit', waits: 'stays' },
  FOUR: { group: 'number', works: 'digit', waits: 'stays' },
  FIVE: { group: 'number', works: 'digit', waits: 'stays' },
  SIX: { group: 'number', works: 'digit', waits: 'stays' },
  SEVEN: { group: 'number', works: 'digit', waits: 'stays' },
  EIGHT: { group: 'number', works: 'digit', waits: 'stays' },
  NINE: { group: 'number', works: 'digit', waits: 'stays' },
  CLEAR: { group: 'number', works: 'booking', waits: 'no' },
  ZERO: { group: 'number', works: 'digit', waits: 'stays' },
  ENTER: { group: 'number', works: 'booking', waits: 'no' },
} as const satisfies Record<string, CommandRow>

export type Command = keyof typeof rows
/** The commands that work in a place of the type `P`. A table keyed by this type must contain all of them. */
export type CommandsOf<P extends CommandPlace> = {
  [C in Command]: (typeof rows)[C]['works'] extends P ? C : never
}[Command]

/** The commands that apply to a card. The stage has a handler for each of them. */
export type CardCommand = CommandsOf<CardPlace>

/**
 * The commands whose button the window shows at `E` (see CommandEntrance). A table keyed by this type must contain all
 * of these commands.
 */
export type CommandsAt<E extends CommandEntrance> = {
  [C in Command]: (typeof rows)[C] extends { readonly entrance: E } ? C : never
}[Command]

/**
 * The commands that also work on a screen that is shown instead of the stage. A table keyed by this type must contain
 * all of them.
 */
export type CommandsBeforeLogin = {
  [C in Command]: (typeof rows)[C] extends { readonly beforeLogin: unknown } ? C : never
}[Command]

export const commands = Object.keys(rows) as readonly Command[]

/** Returns the rules of a command. */
export function commandRow(command: Command): CommandRow {
  return rows[command]
}

/** Whether a command works in one of the given places. */
export function worksIn<P extends CommandPlace>(
  command: Command,
  ...places: readonly P[]
): command is CommandsOf<P> {
  return places.some((place) => place === rows[command].works)
}

/** Whether a command works on this screen, which the window shows instead of the stage. */
export function worksBefore(command: Command, screen: ScreenBeforeStage): command is CommandsBeforeLogin {
  return commandRow(command).beforeLogin?.includes(screen) ?? false
}

/** Returns the commands that are printed together on a sheet, in their order. */
export function commandsOfGroup(group: CommandGroup): readonly Command[] {
  return commands.filter((command) => rows[command].group === group)
}

/** Returns the prefix of every command barcode of a station. `secret` is null at the sandbox, which has none. */
export function commandPrefix(secret: string | null): string {
  return secret === null ? openPrefix : secretPrefix + secret
}

/** Returns the text of a command's barcode: `SDCMDPRIMARY`, or `SD7K2QXPRIMARY` at a station with the secret 7K2QX. */
export function commandBarcode(command: Command, secret: string | null = null): string {
  return commandPrefix(secret) + command
}

/**
 * Maximum length of a text that may be a command barcode, in characters. Every command is shorter, also with the
 * characters that a scanner adds before and after it.
 */
const longestText = 80
const aimIdentifier = /^\][A-Z][0-9A-Z]/i

/**
 * The rest of a command barcode behind each of the two possible prefixes, in capitals; null if the text does not begin
 * with that prefix.
 */
export interface CommandTails {
  /** The text of a command barcode after SDCMD. */
  readonly open: string | null
  /**
   * For a text that begins with the prefix SD and five characters in the form of a secret: these five characters, and
   * the rest of the text behind them. It is not yet known whether they are the station's secret.
   */
  readonly secret: { readonly secret: string; readonly tail: string } | null
}

/**
 * Splits a scanned text as a command barcode. Ignores a leading AIM identifier. Returns null for a text that is too
 * long, does not begin with SD, or contains other characters than ASCII letters and digits, such as a letter that
 * becomes A to Z only in capitals (a long s, a dotless i).
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

/** Returns the command with this word behind the prefix, or null. */
export function commandOfWord(word: string): Command | null {
  return commands.find((command) => command === word) ?? null
}

const digits = ['ZERO', 'ONE', 'TWO', 'THREE', 'FOUR', 'FIVE', 'SIX', 'SEVEN', 'EIGHT', 'NINE'] as const

/** Returns the command for a digit, or null for a number other than 0 to 9. */
export function digitCommand(digit: number): Command | null {
  return digits[digit] ?? null
}

/** Returns the digit of a command, or null. */
export function digitOf(command: Command): number | null {
  const digit = digits.findIndex((one) => one === command)
  return digit < 0 ? null : digit
}

/**
 * The commands that select one thing among many: a shipping method, a printer, a station (and with it the customer).
 */
export const namedCommands = ['VIA', 'ONTO', 'DESK'] as const
export type NamedCommand = (typeof namedCommands)[number]

export interface Named {
  readonly name: NamedCommand
  /** The `commandKey` of the shipping method, printer or station that the barcode selects. */
  readonly key: string
}

const version = '1'
const keyLength = 6
const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ'
const form = new RegExp(`^(${namedCommands.join('|')})${version}([0-9A-Z]{${String(keyLength)}})[0-9A-Z]$`)

/**
 * Returns the key of a thing in a barcode: six characters derived from all fields that identify the thing. A barcode
 * with a UUID would be a hundred millimetres wide. If two things of one desk have the same key, which is very rare, the
 * key selects neither.
 */
export function commandKey(...identity: readonly string[]): string {
  // FNV-1a of 64 bits over UTF-16 units, with a NUL between two parts; no part contains a NUL
  let hash = 0xcbf29ce484222325n
  const text = identity.join('\0')
  for (let i = 0; i < text.length; i++)
    hash = BigInt.asUintN(64, (hash ^ BigInt(text.charCodeAt(i))) * 0x100000001b3n)
  // the upper half of the hash is combined with its lower half, because the lowest bits alone are not well mixed
  const folded = (hash ^ (hash >> 32n)) % BigInt(alphabet.length) ** BigInt(keyLength)
  return folded.toString(alphabet.length).toUpperCase().padStart(keyLength, '0')
}

/** Returns the barcode text of a command that selects one of several things. For `secret` see `commandBarcode`. */
export function namedBarcode(name: NamedCommand, key: string, secret: string | null = null): string {
  const body = `${name}${version}${key}`
  return commandPrefix(secret) + body + checkCharacter(body)
}

/**
 * The result of reading a scanned text as a command barcode. `none`: not in the format of a command, so it may be a
 * parcel, an article or a location. `foreign`: a command with the secret of another station, or any text that begins
 * with SDCMD at a station that has a secret. The two cases are not distinguished. `unreadable`: has this station's
 * prefix but no valid command behind it, because it was misread or belongs to another version of the program.
 */
export type CommandReading =
  | { readonly kind: 'command'; readonly command: Command }
  | { readonly kind: 'named'; readonly named: Named }
  | { readonly kind: 'none' | 'foreign' | 'unreadable' }

/**
 * Reads a scanned text as a command barcode of the station with this secret. The secret is null at the sandbox, which
 * accepts only commands without a secret. Case is ignored, because a keyboard scanner inverts it under Caps Lock.
 */
export function readCommand(text: string, secret: string | null): CommandReading {
  const tails = commandTails(text)
  if (tails === null) return { kind: 'none' }
  const carried = tails.secret && { ...tails.secret, reading: readTail(tails.secret.tail) }
  if (secret !== null && carried && isSame(carried.secret, secret))
    return carried.reading ?? { kind: 'unreadable' }
  if (secret === null && tails.open !== null) return readTail(tails.open) ?? { kind: 'unreadable' }
  // A code that is no command can also begin with the prefix SD. Therefore, if five characters in the form of another
  // station's secret follow SD, the text counts as a command only if a complete command follows them.
  return tails.open !== null || carried?.reading ? { kind: 'foreign' } : { kind: 'none' }
}

/**
 * Whether a text has the format of a command of any station: it begins with SDCMD, or a valid command follows SD and a
 * secret. Such a text is never an article, a parcel or a location.
 */
export function looksLikeCommand(text: string): boolean {
  return readCommand(text, null).kind !== 'none'
}

function readTail(tail: string): Extract<CommandReading, { kind: 'command' | 'named' }> | null {
  const command = commandOfWord(tail)
  if (command !== null) return { kind: 'command', command }
  const found = form.exec(tail)
  const name = namedCommands.find((one) => one === found?.[1])
  const key = found?.[2]
  if (name === undefined || key === undefined) return null
  return checkCharacter(tail.slice(0, -1)) === tail.at(-1) ? { kind: 'named', named: { name, key } } : null
}

/** Whether two texts of the same length are equal. The time does not depend on the position at which they differ. */
function isSame(text: string, other: string): boolean {
  let difference = text.length ^ other.length
  for (let at = 0; at < text.length; at++) difference |= text.charCodeAt(at) ^ other.charCodeAt(at)
  return difference === 0
}

/** Returns the only thing with this key; null if no thing or more than one thing has the key. */
export function onlyWithKey<T>(things: readonly T[], key: string, keyOf: (thing: T) => string): T | null {
  const [only, second] = things.filter((thing) => keyOf(thing) === key)
  return only !== undefined && second === undefined ? only : null
}

/**
 * Computes the check character of ISO 7064, MOD 37,36, which detects every single wrong character, and almost every
 * swap of two adjacent characters.
 */
function checkCharacter(text: string): string {
  const base = alphabet.length
  let product = base
  for (const character of text) {
    const sum = (product + alphabet.indexOf(character)) % base || base
    product = (sum * 2) % (base + 1)
  }
  return alphabet.charAt((base + 1 - product) % base)
}

/**
 * Returns the key of a shipping method. It is derived only from the method's id, so that it stays the same after the
 * method was renamed.
 */
export function methodKey({ id }: { readonly id: string }): string {
  return commandKey(id)
}

/**
 * Returns the key of a printer. It is derived also from the name that operators see, so a sheet printed before the
 * printer was renamed selects nothing.
 */
export function printerKey({ name, title }: { readonly name: string; readonly title: string }): string {
  return commandKey(name, title)
}

/**
 * Returns the key of a station. It is derived from the server's address, the WMS code and the customer, so that it is
 * the same on all desks of a customer. A printed sheet works on all desks that have the same command secret.
 */
export function stationKey(station: {
  readonly baseUrl: string
  readonly wmsCode: string
  readonly customerCode: string
}): string {
  return commandKey(station.baseUrl, station.wmsCode, station.customerCode)
}

/** The reasons that the operator can choose for printing a label again; the desk itself sets `not_out`. */
export type CommandReason = Exclude<ReprintReason, 'not_out'>

/** The commands for the reasons to print a label again, in the order in which they are offered. */
export const reprintCommands = {
  damaged: 'DAMAGED',
  lost: 'GONE',
  misprint: 'FAINT',
  other: 'OTHER',
} as const satisfies Record<CommandReason, Command>

export const commandReasons = [
  'damaged',
  'lost',
  'misprint',
  'other',
] as const satisfies readonly CommandReason[]

/** Returns the reason that a command stands for, or null. */
export function reprintReasonOf(command: Command): CommandReason | null {
  return commandReasons.find((reason) => reprintCommands[reason] === command) ?? null
}
