import { type LanguageCommand, languages } from './languages.ts'
import type { ReprintReason } from './print-job.ts'

/**
 * Barcodes that steer the desk.
 *
 *     command := PREFIX WORD | PREFIX NAME "1" KEY CHECK
 *     PREFIX  := "SDCMD" | "SD" SECRET
 *
 * SDCMD is the prefix of the sandbox. A station at a real server has a SECRET of five characters of Crockford's base 32
 * (25 bits) there: a parcel may hold any text, but its sender does not know the secret. A WORD stands for itself: upper-case
 * letters only, which survive Caps Lock and need no Shift on most layouts. No word is the beginning of another, so that
 * half a barcode is never a whole command. A NAME points at one thing of many; the digit behind it ends
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

/**
 * Where a command works: `anywhere`, or where what it is for is shown. `primary`: a place with a large button; `card`: the
 * card of a parcel or a label; `label`: the card of a label; `print`: a label, its form, the sheets; `reason`: the question
 * why a label is printed again; `form`: the form of a label; `list`: a list; `booking`: the booking that is put together;
 * `digit`: a choice, or a number of pieces; `queue`, `paper`: an entry of what waits, of the prints.
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

/** Commands that stand together on paper, in the order of the groups there. */
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

interface CommandRow {
  readonly group: CommandGroup
  readonly works: CommandPlace
  /**
   * On the stage: whether the command means the card of the scan before it, and so waits until that is looked up. `stays`:
   * the card stays, so that the scans behind it need not wait; `leaves`: another place opens, and they wait, too.
   */
  readonly waits: 'no' | 'stays' | 'leaves'
}

/** Each language has a command of its own. */
const languageRow = { group: 'languages', works: 'anywhere', waits: 'no' } as const satisfies CommandRow
const languageRows = Object.fromEntries(
  Object.values(languages).map(({ command }) => [command, languageRow]),
) as Record<LanguageCommand, typeof languageRow>

/** Every command once, in the order in which they stand on paper. A new one is a row here and a message of its words. */
const rows = {
  PRIMARY: { group: 'always', works: 'primary', waits: 'stays' },
  /** The next entry of a list, the next step of a form. */
  NEXT: { group: 'always', works: 'list', waits: 'no' },
  HOME: { group: 'always', works: 'anywhere', waits: 'no' },
  UNDO: { group: 'always', works: 'booking', waits: 'no' },
  HELP: { group: 'always', works: 'anywhere', waits: 'no' },
  LOGOUT: { group: 'always', works: 'anywhere', waits: 'no' },
  /** Prints, or prints as well, where the large button only saves; MAKEONLY the other way round. */
  PRINTNOW: { group: 'label', works: 'print', waits: 'stays' },
  REPRINT: { group: 'label', works: 'label', waits: 'stays' },
  MAKEONLY: { group: 'label', works: 'form', waits: 'no' },
  METHOD: { group: 'label', works: 'card', waits: 'leaves' },
  ADDRESS: { group: 'label', works: 'card', waits: 'leaves' },
  CANCEL: { group: 'label', works: 'label', waits: 'stays' },
  /** Opens the modification that is being put together. */
  BOOK: { group: 'book', works: 'anywhere', waits: 'no' },
  LOST: { group: 'book', works: 'booking', waits: 'no' },
  DEFECTIVE: { group: 'book', works: 'booking', waits: 'no' },
  CORRECTION: { group: 'book', works: 'booking', waits: 'no' },
  /** Whether the next scan adds a piece or takes one away. */
  PLUS: { group: 'book', works: 'booking', waits: 'no' },
  MINUS: { group: 'book', works: 'booking', waits: 'no' },
  SEARCH: { group: 'places', works: 'anywhere', waits: 'no' },
  EXPIRING: { group: 'places', works: 'anywhere', waits: 'no' },
  LABELS: { group: 'places', works: 'anywhere', waits: 'no' },
  HAND: { group: 'places', works: 'anywhere', waits: 'no' },
  LOCATIONS: { group: 'places', works: 'anywhere', waits: 'no' },
  QUEUE: { group: 'places', works: 'anywhere', waits: 'no' },
  PRINTS: { group: 'places', works: 'anywhere', waits: 'no' },
  SHEETS: { group: 'places', works: 'anywhere', waits: 'no' },
  /** The answers to "did it come out?". */
  YES: { group: 'paper', works: 'paper', waits: 'no' },
  NO: { group: 'paper', works: 'paper', waits: 'no' },
  /** Why a label is printed once more. */
  DAMAGED: { group: 'paper', works: 'reason', waits: 'stays' },
  GONE: { group: 'paper', works: 'reason', waits: 'stays' },
  FAINT: { group: 'paper', works: 'reason', waits: 'stays' },
  OTHER: { group: 'paper', works: 'reason', waits: 'stays' },
  /** What the operator knows of the write that is open in the queue: a record is it, none is, not decided yet. */
  ADOPT: { group: 'queue', works: 'queue', waits: 'no' },
  RESEND: { group: 'queue', works: 'queue', waits: 'no' },
  LATER: { group: 'queue', works: 'queue', waits: 'no' },
  /** The next language; each has a command of its own as well. */
  LANGUAGE: { group: 'languages', works: 'anywhere', waits: 'no' },
  ...languageRows,
  /** Pieces of the line that was scanned last: digits, then taken or given up. No other barcode changes a quantity. */
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
/** The commands that work in one of these places, so that a table of them misses none. */
export type CommandsOf<P extends CommandPlace> = {
  [C in Command]: (typeof rows)[C]['works'] extends P ? C : never
}[Command]

export const commands = Object.keys(rows) as readonly Command[]

/** What is known of a command, see `CommandRow`. */
export function commandRow(command: Command): CommandRow {
  return rows[command]
}

/** Whether a command works in one of these places. */
export function worksIn<P extends CommandPlace>(
  command: Command,
  ...places: readonly P[]
): command is CommandsOf<P> {
  return places.some((place) => place === rows[command].works)
}

/** The commands that stand together on a sheet, in their order. */
export function commandsOfGroup(group: CommandGroup): readonly Command[] {
  return commands.filter((command) => rows[command].group === group)
}

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

/** Commands that point at one thing of many: a shipping method, a printer, a station (and so its customer). */
export const namedCommands = ['VIA', 'ONTO', 'DESK'] as const
export type NamedCommand = (typeof namedCommands)[number]

export interface Named {
  readonly name: NamedCommand
  /** `commandKey` of what is meant. */
  readonly key: string
}

const version = '1'
const keyLength = 6
const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ'
const form = new RegExp(`^(${namedCommands.join('|')})${version}([0-9A-Z]{${String(keyLength)}})[0-9A-Z]$`)

/**
 * What a barcode calls a thing by: six characters made of all that tells it from others. Uuids would be a hundred
 * millimetres wide. Two things of one desk may share a key, though hardly ever: then neither is selected.
 */
export function commandKey(...identity: readonly string[]): string {
  // FNV-1a of 64 bits, over UTF-16 units; a NUL between parts, which none of them holds
  let hash = 0xcbf29ce484222325n
  const text = identity.join('\0')
  for (let i = 0; i < text.length; i++)
    hash = BigInt.asUintN(64, (hash ^ BigInt(text.charCodeAt(i))) * 0x100000001b3n)
  // the upper half is folded in: the lowest bits alone mix badly
  const folded = (hash ^ (hash >> 32n)) % BigInt(alphabet.length) ** BigInt(keyLength)
  return folded.toString(alphabet.length).toUpperCase().padStart(keyLength, '0')
}

/** The text of a named command's barcode. `secret` as in `commandBarcode`. */
export function namedBarcode(name: NamedCommand, key: string, secret: string | null = null): string {
  const body = `${name}${version}${key}`
  return commandPrefix(secret) + body + checkCharacter(body)
}

/**
 * What a scanned text is as a command barcode.
 * `none`: laid out as none, so it may be a parcel, an article or a place.
 * `foreign`: a command without this station's secret, or with another one. The two are never told apart.
 * `unreadable`: has this station's prefix, and no command behind it: misread, or of another version.
 */
export type CommandReading =
  | { readonly kind: 'command'; readonly command: Command }
  | { readonly kind: 'named'; readonly named: Named }
  | { readonly kind: 'none' | 'foreign' | 'unreadable' }

/**
 * Reads a scanned text as a command barcode of the station whose secret is given; null at the sandbox, which obeys
 * commands without a secret only. Case is ignored: a keyboard scanner inverts it under Caps Lock.
 */
export function readCommand(text: string, secret: string | null): CommandReading {
  const tails = commandTails(text)
  if (tails === null) return { kind: 'none' }
  const carried = tails.secret && { ...tails.secret, reading: readTail(tails.secret.tail) }
  if (secret !== null && carried && isSame(carried.secret, secret))
    return carried.reading ?? { kind: 'unreadable' }
  if (secret === null && tails.open !== null) return readTail(tails.open) ?? { kind: 'unreadable' }
  // behind another prefix only a whole command is one: any code may begin with SD
  return tails.open !== null || carried?.reading ? { kind: 'foreign' } : { kind: 'none' }
}

/** Whether a text is laid out as a command of any station: never an article, a parcel or a place. */
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

/** Whether two texts of one length are equal, at the same cost wherever they differ. */
function isSame(text: string, other: string): boolean {
  let difference = text.length ^ other.length
  for (let at = 0; at < text.length; at++) difference |= text.charCodeAt(at) ^ other.charCodeAt(at)
  return difference === 0
}

/** The one thing that a key means, or null where none or more than one has it. */
export function onlyWithKey<T>(things: readonly T[], key: string, keyOf: (thing: T) => string): T | null {
  const [only, second] = things.filter((thing) => keyOf(thing) === key)
  return only !== undefined && second === undefined ? only : null
}

/** ISO 7064, MOD 37,36: finds each single wrong character, and nearly each pair that changed places. */
function checkCharacter(text: string): string {
  const base = alphabet.length
  let product = base
  for (const character of text) {
    const sum = (product + alphabet.indexOf(character)) % base || base
    product = (sum * 2) % (base + 1)
  }
  return alphabet.charAt((base + 1 - product) % base)
}

/** A shipping method is itself, whatever it is called. */
export function methodKey({ id }: { readonly id: string }): string {
  return commandKey(id)
}

/** Also of what operators call it: a sheet printed before the printer was renamed selects nothing. */
export function printerKey({ name, title }: { readonly name: string; readonly title: string }): string {
  return commandKey(name, title)
}

/** Of whose work is done where, and not of this computer: one sheet serves all desks of a customer. */
export function stationKey(station: {
  readonly baseUrl: string
  readonly wmsCode: string
  readonly customerCode: string
}): string {
  return commandKey(station.baseUrl, station.wmsCode, station.customerCode)
}

/** Reasons that somebody is asked for; `not_out` is what the desk knows itself. */
export type AskedReason = Exclude<ReprintReason, 'not_out'>

/** The commands that say why a label is printed once more, in the order in which they are offered. */
export const reprintCommands = {
  damaged: 'DAMAGED',
  lost: 'GONE',
  misprint: 'FAINT',
  other: 'OTHER',
} as const satisfies Record<AskedReason, Command>

export const askedReasons = ['damaged', 'lost', 'misprint', 'other'] as const satisfies readonly AskedReason[]

/** The reason that a command stands for, or null. */
export function reprintReasonOf(command: Command): AskedReason | null {
  return askedReasons.find((reason) => reprintCommands[reason] === command) ?? null
}
