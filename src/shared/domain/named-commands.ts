import { type Command, commandOfWord, commandPrefix, commandTails } from './commands.ts'

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
