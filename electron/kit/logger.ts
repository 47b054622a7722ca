import { pino, type Logger } from 'pino'

export type { Logger }

/** Keys whose values never reach a log, at any depth that is logged. */
const secretKeys = ['password', 'token', 'refresh_token', 'authorization', 'accessToken', 'refreshToken']

/**
 * Creates a logger that writes JSON lines to the given stream (stderr by default). It uses no transports, because their
 * workers do not survive bundling.
 */
export function createLogger(
  name: string,
  options: { level?: string; destination?: { write(line: string): void } } = {},
): Logger {
  return pino(
    {
      name,
      level: options.level ?? process.env['SCANDESK_LOG'] ?? 'warn',
      redact: { paths: secretKeys.flatMap((key) => [key, `*.${key}`, `*.*.${key}`]), censor: '[secret]' },
    },
    options.destination ?? process.stderr,
  )
}
