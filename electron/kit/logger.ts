import { homedir } from 'node:os'
import { parse } from 'node:path'
import { pino, stdSerializers, type Logger } from 'pino'

export type { Logger }

// This file has over 400 lines. Most lines remove secrets from a log line; the other lines determine where and how
// often log lines are written.

/** Names of keys, headers, parameters and variables whose values must never reach a log. */
const secretName =
  /pass[ _-]?(?:wor[dt]|phrase|code|wd)|pwd|wachtwoord|kennwort|secret|token|authorization|cookie|credential|(?:api|private)[ _-]?key|sess(?:ion)?[ _-]?id(?![a-z])|signature|demologin|^(?:auth|pass|pw|otp|sig)$/i

const secret = '[secret]'

/**
 * Names of failure params whose values are codes. Other params contain titles, names and scanned codes, which are not
 * logged.
 */
const namesOfCodes = new Set(['cause', 'kind', 'role', 'fault', 'by', 'policy', 'side'])
export const isCode = /^[\w.:-]{1,60}$/

/** Returns those params of a failure that a log may contain: numbers and codes. */
export function loggedParams(params: Readonly<Record<string, unknown>>): Record<string, string | number> {
  const kept = Object.entries(params).filter(
    (entry): entry is [string, string | number] =>
      typeof entry[1] === 'number' ||
      (typeof entry[1] === 'string' && namesOfCodes.has(entry[0]) && isCode.test(entry[1])),
  )
  return Object.fromEntries(kept)
}

/**
 * Patterns that find secrets in free text, such as the message of an error, in which no field name shows that a value
 * is secret. The time to search a line with a pattern is proportional to the length of the line.
 */
const secretTexts: readonly (readonly [RegExp, string])[] = [
  // matches a JSON web token
  [/(?<=^|[^\w-]|\\[bfnrt]|%[\dA-Fa-f]{2})eyJ[\w-]+(?:\.[\w-]+){1,2}/g, secret],
  [/(?<![a-z])(?<scheme>Bearer|Basic)(?:[\s:=]+|\+|%20)[^\s"\\,:=][^\s"\\,]*/gi, `$<scheme> ${secret}`],
  // matches a query string without an address before it
  [/\?[^\s"\\?#=]*=[^\s"\\]*/g, '?[query]'],
  // matches a random token, or a key of 256 bits or more, in hexadecimal digits; a text of decimal digits alone is not
  // replaced, because it may be a barcode
  [/(?<![\da-f])(?=\d*[a-f])[\da-f]{64,}/gi, secret],
]

/** Returns the text without the secrets in it. The time is proportional to the length of the text. */
function withoutSecretTexts(text: string): string {
  const bare = text.replace(/[^\s"\\]+/g, (word) => {
    const at = word.indexOf('://')
    if (at === -1) return withoutLogin(word)
    return withoutLogin(word.slice(0, at)) + withoutSecretsOfAddress(word.slice(at))
  })
  return withoutNamedSecrets(
    secretTexts.reduce((left, [pattern, instead]) => left.replace(pattern, instead), bare),
  )
}

/**
 * Removes name and password of an address without a scheme: from `//name:password@host`, and from `name:password@host`
 * if a port or a path follows. Without a port or path the text could be `mail:kim@example.org`.
 */
function withoutLogin(word: string): string {
  const at = word.lastIndexOf('@')
  if (at === -1) return word
  const slashes = word.slice(0, at).indexOf('//')
  const start = slashes === -1 ? 0 : slashes + 2
  const colon = word.slice(0, at).indexOf(':', start)
  if (colon === -1) return word
  const censoredFrom = (from: number): string => `${word.slice(0, from)}${secret}${word.slice(at)}`
  const head = word.slice(start, colon)
  if (slashes !== -1) return head.includes('/') ? word : censoredFrom(start)
  const [name = ''] = /(?<![\w.%+-])[\w.%+-]+$/.exec(head) ?? []
  // the colon does not separate a name from a password: no name precedes it, or it belongs to a Windows path (`C:/`),
  // or a quoted value follows it
  const isOther = name === '' || "/'".includes(word.charAt(colon + 1))
  const isAddress = /^(?:\[[\da-f:.]+\]|[\w.-]+)(?::\d|\/)/i.test(word.slice(at + 1))
  return isAddress && !isOther ? censoredFrom(colon - name.length) : word
}

/**
 * Removes name and password, query, fragment and path parameters (`;jsessionid=x`) of each address in the text. A query
 * may contain a signature. `text` begins with `://` and may contain further addresses.
 */
function withoutSecretsOfAddress(text: string): string {
  const queryAt = text.search(/[?#]|;[^;/]*=/)
  const [, ...addresses] = (queryAt === -1 ? text : text.slice(0, queryAt)).split('://')
  const kept = addresses.map((address) => {
    const [authority = ''] = address.split('/', 1)
    // the password ends at the last `@` of the whole address, not only of `authority` (the text before the first `/`),
    // because a password may contain `/`. Exceptions: `authority` contains an `@`, or is a host name with or without a
    // port
    const hasPort = /^(?:\[[^\]]*\]|[^:]*)(?::(?:\d+(?:[^\w@][^@]*)?)?)?$/.test(authority)
    const at = hasPort || authority.includes('@') ? authority.lastIndexOf('@') : address.lastIndexOf('@')
    if (at !== -1) return `${secret}${address.slice(at)}`
    return hasPort ? address : secret + address.slice(authority.length)
  })
  return `://${kept.join('://')}${queryAt === -1 ? '' : '?[query]'}`
}

/**
 * Matches a name before its value: `name=`, `name: `, `name => `, `"name":`, also in JSON that is a string of other
 * JSON, `name[0]=`, `form['name']=`, `name.key=`, `name%3D`, `name\u003d`. Some names may have a blank:
 * `pass phrase: `. Also matches an option of a command: `--name value`, `"--name", "value"`. `name.key:` does not
 * match, because it can be a file name before a line number: `token.ts:10`.
 */
const namedValue =
  /(?<![\w-])(?:(?<name>(?:pass (?:word|phrase|code)|(?:api|private) key|session id)(?![\w-])|[\w-]+)(?<keys>(?:(?:\[|%5B)(?:\\*["'])?[\w-]*(?:\\*["'])?(?:\]|%5D)){0,4}(?:(?:\.[\w-]+){1,4}(?=\s*(?:=|%(?:25)*3D)))?)(?:%2[27]|\\*(?:["']\]?)?)\s*(?:[:=]+>?|%(?:25)*3[AD]|(?<=\\)(?:u00|x)3[AD])\s*|--(?<option>[\w-]+)(?:\s+|\\*["']\s*,\s*)(?=\S)(?!\\*["']?-))/gi

/** Keys whose value is the name of another value in the same object: `{ name: 'password', value: 'x' }`. */
const nameOfValue = /^(?:name|key|field|header)$/i

function withoutNamedSecrets(text: string): string {
  let kept = ''
  let from = 0
  let isValueSecret = false
  for (const { 0: found, index, groups } of text.matchAll(namedValue)) {
    if (index < from) continue
    const { name = '', keys = '', option = '' } = groups ?? {}
    const start = index + found.length
    const names = [name, ...(keys.match(/[\w-]+/g) ?? [])]
    const last = names.at(-1) ?? ''
    if (nameOfValue.test(last)) isValueSecret = secretName.test(wordAt(text, start))
    const isNamed = names.some((each) => secretName.test(each)) || (last === 'value' && isValueSecret)
    if (!isNamed && !isSecretOption(option)) continue
    const [end, instead] = valueAt(text, start, last)
    kept += text.slice(from, start) + instead
    from = end
  }
  return kept + text.slice(from)
}

/** Whether the argument after this option of a command is a secret. A file name is not a secret. */
function isSecretOption(name: string): boolean {
  return secretName.test(name) && !/(?:file|path|dir)$/i.test(name)
}

/** Returns the word at a position, without the quotation mark before it. */
function wordAt(text: string, start: number): string {
  return /^\\*["']?(?<word>[\w-]*)/.exec(text.slice(start, start + 100))?.groups?.['word'] ?? ''
}

/**
 * Returns the end of the secret value that begins at `start`, and the text that replaces the value. A value without an
 * end continues to the end of the text.
 */
function valueAt(text: string, start: number, name: string): readonly [end: number, instead: string] {
  const slashes = slashesAt(text, start)
  const open = text.charAt(start + slashes)
  const mark = text.slice(start, start + slashes) + open
  if (open === '"' || open === "'") {
    const end = endOfQuote(text, start + mark.length, open, slashes)
    return [end, mark + secret + mark]
  }
  if (open === '{' || open === '[') return [endOfBrackets(text, start), secret]
  const isHeader =
    /authorization|cookie/i.test(name) && !/^(?:bearer|basic) /i.test(text.slice(start, start + 7))
  const end = isHeader ? endOfHeader(text, start + slashes) : endOfPlain(text, start + slashes)
  const value = text.slice(start, end)
  return [end, /^(?:|null|true|false|undefined)$/.test(value) ? value : secret]
}

function endOfPlain(text: string, start: number): number {
  const ends = /[\s"'\\,;&)}\]]/g
  ends.lastIndex = start
  return ends.exec(text)?.index ?? text.length
}

/**
 * Returns the end of a header: the end of its line, or the end of the quoted text around the header. Quoted parts of
 * the header, as in `Digest username="x"`, do not end it.
 */
function endOfHeader(text: string, start: number): number {
  const ends = /=\\*"[^"\\\r\n]*\\*"|["\\\r\n]/g
  ends.lastIndex = start
  let found = ends.exec(text)
  while (found?.[0].startsWith('=')) found = ends.exec(text)
  return found?.index ?? text.length
}

/** Returns the number of backslashes that follow from a position on. */
function slashesAt(text: string, at: number): number {
  let end = at
  while (text.charAt(end) === '\\') end += 1
  return end - at
}

/**
 * Returns the end of a quoted text. A quotation mark inside the quoted text has more backslashes than the marks around
 * it, or is written as two apostrophes, as in SQL.
 */
function endOfQuote(text: string, start: number, quote: string, slashes: number): number {
  for (let at = start; at < text.length; at += 1) {
    const before = slashesAt(text, at)
    at += before
    if (text.charAt(at) !== quote || before > slashes) continue
    if (quote === '"' || text.charAt(at + 1) !== quote) return at + 1
    at += 1
  }
  return text.length
}

function endOfBrackets(text: string, start: number): number {
  let depth = 0
  for (let at = start; at < text.length; at += 1) {
    const sign = text.charAt(at)
    if (sign === '{' || sign === '[') depth += 1
    else if (sign === '}' || sign === ']') depth -= 1
    else if (sign === '"' || sign === "'") at = endOfQuote(text, at + 1, sign, slashesBefore(text, at)) - 1
    if (depth === 0) return at + 1
  }
  return text.length
}

function slashesBefore(text: string, at: number): number {
  let start = at
  while (text.charAt(start - 1) === '\\') start -= 1
  return at - start
}

/** Maximum number of levels of a logged value. Objects and lists in deeper levels are replaced by `[deep]`. */
const deepest = 32

/** Returns a parsed value without secrets. */
function withoutSecretValues(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return withoutSecretTexts(value)
  if (typeof value !== 'object' || value === null) return value
  if (depth >= deepest) return '[deep]'
  if (Array.isArray(value)) return censoredList(value, depth)
  const { code, params, ...rest } = value as Record<string, unknown>
  // the value is a failure of the error catalogue (shared/errors/catalogue.ts)
  if (typeof code === 'string' && typeof params === 'object' && params !== null && isCode.test(code))
    return { code, params: loggedParams(params as Record<string, unknown>), ...censoredEntries(rest, depth) }
  return censoredEntries(value, depth)
}

/**
 * Returns a list without its secrets. A list may contain the arguments of a command, or a name and its value.
 * `hasNames`: names and values alternate in the list, as in Node's raw headers.
 */
function censoredList(list: readonly unknown[], depth: number, hasNames = list.length === 2): unknown[] {
  return list.map((each, at) => {
    const before = list[at - 1]
    const { option, name } =
      typeof before === 'string'
        ? (/^(?:--(?<option>[\w-]+)|(?<name>[a-z][\w-]*))$/i.exec(before)?.groups ?? {})
        : {}
    const isNamed = hasNames && at % 2 === 1 && secretName.test(name ?? '')
    const isArgument = typeof each === 'string' && !each.startsWith('-') && isSecretOption(option ?? '')
    return (isNamed && typeof each === 'string') || isArgument ? secret : withoutSecretValues(each, depth + 1)
  })
}

function censoredEntries(value: object, depth: number): Record<string, unknown> {
  const entries = Object.entries(value)
  const isValueSecret = entries.some(
    ([name, each]) => nameOfValue.test(name) && typeof each === 'string' && secretName.test(each),
  )
  return Object.fromEntries(
    entries.map(([name, each]) => {
      const isNamed = secretName.test(name) || (isValueSecret && name === 'value')
      if (isNamed && each !== null && typeof each !== 'boolean') return [withoutSecretTexts(name), secret]
      if (Array.isArray(each) && /^rawHeaders$/i.test(name))
        return [name, censoredList(each, depth + 1, true)]
      return [withoutSecretTexts(name), withoutSecretValues(each, depth + 1)]
    }),
  )
}

/** The path of the home folder, which often contains the name of a person. */
const home = homedir()
const homeInJson = home === parse(home).root ? null : JSON.stringify(home).slice(1, -1)

/** Returns a log line without the secrets in its values and texts. The path of the home folder is replaced by `~`. */
export function withoutSecrets(line: string): string {
  const censored = censoredLine(line)
  return homeInJson === null ? censored : censored.replaceAll(homeInJson, '~')
}

function censoredLine(line: string): string {
  let parsed: unknown
  try {
    parsed = JSON.parse(line)
  } catch {
    return withoutSecretTexts(line)
  }
  return JSON.stringify(withoutSecretValues(parsed)) + (line.endsWith('\n') ? '\n' : '')
}

interface LineTarget {
  write(line: string): void
}

interface LeveledTarget extends LineTarget {
  readonly [pino.symbols.needsMetadataGsym]: true
  /** The level of the line that is written next. The logger sets it before it writes the line. */
  lastLevel: number
}

/**
 * Creates a logger that writes JSON lines to a stream (stderr by default). It uses no pino transports, because their
 * workers do not run in a bundle.
 */
export function createLogger(
  name: string,
  options: { level?: string; destination?: LineTarget } = {},
): Logger {
  const target = options.destination ?? process.stderr
  return pino(
    { name, level: options.level ?? standardLevel() },
    { write: (line) => void target.write(withoutSecrets(line)) },
  )
}

/** A logger that writes to two targets. The level of the second target can be changed. */
export interface ForkedLogger {
  readonly logger: Logger
  /**
   * A logger whose lines of level `info` and above are written to the second target, whatever level `keepFrom` has set.
   * It is for events that a compromised page could otherwise hide.
   */
  readonly always: Logger
  /** Returns a logger with the same targets and levels and another name in its lines. */
  readonly named: (name: string) => Logger
  /** Sets the lowest level of the lines that are written to the second target. */
  readonly keepFrom: (level: string) => void
}

/**
 * Creates a logger that writes to `shown` as `createLogger` writes to its stream. It also writes the lines of `level`
 * and of higher levels to `kept`. The lines do not contain the name of the computer, which is often that of a person.
 */
export function createForkedLogger(
  name: string,
  kept: LineTarget,
  level: string,
  shown: LineTarget = process.stderr,
): ForkedLogger {
  const { values } = pino.levels
  const numberOf = (one: string): number => values[one] ?? values['info'] ?? 0
  const shownFrom = standardLevel()
  let keptFrom = numberOf(level)
  const targetFrom = (from: () => number): LeveledTarget => ({
    [pino.symbols.needsMetadataGsym]: true,
    lastLevel: 0,
    write(line) {
      const clean = withoutSecrets(line)
      if (this.lastLevel >= numberOf(shownFrom)) shown.write(clean)
      if (this.lastLevel >= from()) kept.write(clean)
    },
  })
  const target = targetFrom(() => keptFrom)
  const create = (one: string, lowest: string, to: LeveledTarget): Logger =>
    pino({ name: one, level: lowest, base: { name: one, pid: process.pid } }, to)
  const lower = (one: string): string => (numberOf(one) < numberOf(shownFrom) ? one : shownFrom)
  let least = lower(level)
  const loggers: Logger[] = []
  const named = (one: string): Logger => {
    const logger = create(one, least, target)
    loggers.push(logger)
    return logger
  }
  return {
    logger: named(name),
    always: create(
      name,
      'info',
      targetFrom(() => 0),
    ),
    named,
    keepFrom: (next) => {
      keptFrom = numberOf(next)
      least = lower(next)
      for (const logger of loggers) logger.level = least
    },
  }
}

/** Returns the level that the environment variable `SCANDESK_LOG` sets; `warn` if it is not set. */
function standardLevel(): string {
  return process.env['SCANDESK_LOG'] ?? 'warn'
}

const hourMs = 3600_000

/**
 * Limits the number of bytes of log lines in each hour of the clock. If the budgets of calls and the budget of faults
 * are all used up in each hour, the 6 MiB of the log contain eight hours.
 */
export class HourBudget {
  readonly #most: number
  #hour = 0
  #bytes = 0
  #leftOut = 0

  constructor(mostBytes: number) {
    this.#most = mostBytes
  }

  /**
   * Begins a new hour if the clock has reached it. Returns the number of lines that were left out in the previous hour;
   * 0 if the hour has not changed.
   */
  leftOutBefore(now: number): number {
    const hour = Math.floor(now / hourMs)
    if (hour === this.#hour) return 0
    const lines = this.#leftOut
    this.#hour = hour
    this.#bytes = 0
    this.#leftOut = 0
    return lines
  }

  /** Counts the bytes of a line. Returns false if the budget of the hour has too few bytes left for it. */
  take(bytes: number): boolean {
    const hasSpace = this.#bytes + bytes <= this.#most
    if (hasSpace) this.#bytes += bytes
    else this.#leftOut++
    return hasSpace
  }
}

/** Maximum length of a logged fault, in characters. A longer fault is logged without its message. */
const longestFault = 8_000
const longestStack = 4_000
/**
 * Maximum number of places in the program for which the first fault is always written. The program has far fewer places
 * that throw.
 */
const mostPlaces = 200

/**
 * Logs faults of this program with their stacks. A compromised page may cause the same fault any number of times. So
 * only the first fault at each place in the program is always written; further faults are written while the budget of
 * the hour has bytes left.
 */
export class FaultLog {
  readonly #now: () => number
  readonly #budget = new HourBudget(100_000)
  readonly #places = new Set<string>()

  /** `now`: milliseconds since 1970. */
  constructor(now: () => number = Date.now) {
    this.#now = now
  }

  write(logger: Logger, error: unknown, text: string): void {
    const lines = this.#budget.leftOutBefore(this.#now())
    if (lines > 0) logger.error({ lines }, 'lines about faults were left out')
    const place = placeOf(error)
    const isFirst = !this.#places.has(place) && this.#places.size < mostPlaces
    if (isFirst) this.#places.add(place)
    const { err, length } = shortened(error, place)
    if (this.#budget.take(length + text.length) || isFirst) logger.error({ err }, text)
  }
}

/**
 * The log of faults of this process. All desks share it, and with it the limit on the amount of logged text. If each
 * desk had a separate log, a page could exceed the limit by opening a desk again.
 */
export const sharedFaultLog = new FaultLog()

/**
 * Returns the name and the stack of an error, cut to `longestStack` characters; for any other value its type. The
 * message is left out, because it may contain another value each time.
 */
function placeOf(error: unknown): string {
  if (!(error instanceof Error)) return typeof error
  const frames = (error.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line))
  return [error.name, ...frames].join('\n').slice(0, longestStack)
}

function shortened(error: unknown, place: string): { readonly err: unknown; readonly length: number } {
  const length = lengthOf(error instanceof Error ? stdSerializers.err(error) : error)
  if (length <= longestFault) return { err: error, length }
  return { err: { type: 'too long', stack: place }, length: place.length }
}

/** Returns the length of a value as JSON. A circular value has no JSON and counts as too long. */
function lengthOf(value: unknown): number {
  try {
    const text: unknown = JSON.stringify(value)
    return typeof text === 'string' ? text.length : 0
  } catch {
    return Number.POSITIVE_INFINITY
  }
}
