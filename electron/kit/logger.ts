import { homedir } from 'node:os'
import { parse } from 'node:path'
import { pino, type Logger } from 'pino'

export type { Logger }

/** Keys whose values never reach a log, at any depth that is logged. */
const secretKeys = [
  'password',
  'passphrase',
  'secret',
  'secrets',
  'commandSecret',
  'hash_secret',
  'hashSecret',
  'jwtSecret',
  'signingSecret',
  'token',
  'refresh_token',
  'access_token',
  'accessToken',
  'refreshToken',
  'authorization',
  'Authorization',
  'cookie',
  'apiKey',
  'demoLogin',
]
const redact = {
  paths: secretKeys.flatMap((key) => [key, `*.${key}`, `*.*.${key}`]),
  censor: '[secret]',
}

/**
 * Secrets in a text, such as the message of an error, have no key. No pattern can match a part of its own match again, so
 * that the time for a line grows only with its length.
 */
const secretTexts: readonly (readonly [RegExp, string])[] = [
  // a JSON web token
  [/(?<=^|[^\w-]|\\[bfnrt])eyJ[\w-]+(?:\.[\w-]+){1,2}/g, '[secret]'],
  [/\b(?<scheme>Bearer|Basic) [^\s"\\,]+/gi, '$<scheme> [secret]'],
  // name and password in an address
  [/:\/\/[^\s/"\\@?#]+@/g, '://[secret]@'],
  // the query of an address: it may carry a signature
  [/\?[\w.-]+=[^\s"\\]*/g, '?[query]'],
]

/** The path of the home folder often contains the name of a person. */
const home = homedir()
const homeInJson = home === parse(home).root ? null : JSON.stringify(home).slice(1, -1)

/** Returns the line of the log without the secrets in its texts. */
export function withoutSecrets(line: string): string {
  const censored = secretTexts.reduce((text, [pattern, instead]) => text.replace(pattern, instead), line)
  return homeInJson === null ? censored : censored.replaceAll(homeInJson, '~')
}

interface LineTarget {
  write(line: string): void
}

/**
 * Creates a logger that writes JSON lines to the given stream (stderr by default). It uses no transports, because their
 * workers do not survive bundling.
 */
export function createLogger(
  name: string,
  options: { level?: string; destination?: LineTarget } = {},
): Logger {
  const target = options.destination ?? process.stderr
  return pino(
    { name, level: options.level ?? standardLevel(), redact },
    { write: (line) => void target.write(withoutSecrets(line)) },
  )
}

/** A logger that writes to two targets; the second one has its own level. */
export interface ForkedLogger {
  readonly logger: Logger
  /** Returns a logger with the same targets and levels, whose lines have another name. */
  readonly named: (name: string) => Logger
  /** Sets the least level of the lines that the second target gets. */
  readonly keepFrom: (level: string) => void
}

/**
 * Writes to stderr as `createLogger` does, and from `level` on to `kept`. The lines do not name the computer, whose name is
 * often that of a person.
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
  const target = {
    [pino.symbols.needsMetadataGsym]: true as const,
    /** Set by pino before each line. */
    lastLevel: 0,
    write(line: string): void {
      const clean = withoutSecrets(line)
      if (this.lastLevel >= numberOf(shownFrom)) shown.write(clean)
      if (this.lastLevel >= keptFrom) kept.write(clean)
    },
  }
  const lower = (one: string): string => (numberOf(one) < numberOf(shownFrom) ? one : shownFrom)
  let least = lower(level)
  const loggers: Logger[] = []
  const named = (one: string): Logger => {
    const logger = pino({ name: one, level: least, base: { name: one, pid: process.pid }, redact }, target)
    loggers.push(logger)
    return logger
  }
  return {
    logger: named(name),
    named,
    keepFrom: (next) => {
      keptFrom = numberOf(next)
      least = lower(next)
      for (const logger of loggers) logger.level = least
    },
  }
}

/** Returns the level that the environment sets, otherwise `warn`. */
function standardLevel(): string {
  return process.env['SCANDESK_LOG'] ?? 'warn'
}
