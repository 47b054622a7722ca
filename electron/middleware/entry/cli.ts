import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { systemClock } from '#kit/clock.ts'
import { createLogger } from '#kit/logger.ts'
import { keepNewFilesPrivate } from '#kit/private-files.ts'
import {
  isLoopbackAddress,
  type StartOptions,
  startMiddleware,
  takeDatabaseFolder,
} from '../start-middleware.ts'

const usage =
  'npm run middleware -- [--port N] [--host H] [--data DIR] [--seed demo|empty] [--warehouse auto|manual]\n' +
  '                      [--sandbox [--webhook-ca FILE]] [--quirks] [--allow-demo-passwords]\n' +
  '                      [--jwt-secret-file FILE] [--signing-secret-file FILE]\n' +
  'Without --data nothing is kept; one process at a time uses DIR. The warehouse stands still in both modes so far.\n' +
  '--webhook-ca lets webhooks of a sandbox have private addresses, and trusts the certificate authority in FILE (PEM).\n' +
  '--quirks answers as the real service may: reduced variants, strange statuses and the like. On another address than\n' +
  "this machine's own the demo is served only with --allow-demo-passwords. The secrets that sign tokens and links may\n" +
  'also come from SCANDESK_JWT_SECRET and SCANDESK_SIGNING_SECRET; each has at least 32 bytes.\n' +
  'The first line on stdout is JSON: url, wms, customer, username, password, others.\n'

/** As SQLite calls a database that is kept nowhere. */
const inMemory = ':memory:'

type Command = Omit<StartOptions, 'clock' | 'logger' | 'folderPatienceMs'>

/** Reads the command line; throws with a sentence for the terminal. */
function readCommand(args: readonly string[]): Command | 'help' {
  const { values } = parseArgs({
    args: [...args],
    options: {
      port: { type: 'string', default: '0' },
      host: { type: 'string', default: '127.0.0.1' },
      data: { type: 'string' },
      seed: { type: 'string', default: 'demo' },
      warehouse: { type: 'string', default: 'auto' },
      sandbox: { type: 'boolean', default: false },
      'webhook-ca': { type: 'string' },
      quirks: { type: 'boolean', default: false },
      'allow-demo-passwords': { type: 'boolean', default: false },
      'jwt-secret-file': { type: 'string' },
      'signing-secret-file': { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) return 'help'
  const port = Number(values.port)
  if (!Number.isInteger(port) || port < 0 || port > 65535) throw new Error(`--port ${values.port} is no port`)
  if (values.seed !== 'demo' && values.seed !== 'empty') throw new Error('--seed is demo or empty')
  if (values.warehouse !== 'auto' && values.warehouse !== 'manual')
    throw new Error('--warehouse is auto or manual')
  const jwtSecret = readSecret('--jwt-secret-file', values['jwt-secret-file'], 'SCANDESK_JWT_SECRET')
  const signingSecret = readSecret(
    '--signing-secret-file',
    values['signing-secret-file'],
    'SCANDESK_SIGNING_SECRET',
  )
  const webhookCa = readWebhookCa(values['webhook-ca'], values.sandbox)
  const databaseFile = values.data === undefined ? inMemory : join(values.data, 'middleware.db')
  const { host, seed, sandbox, quirks } = values
  const allowDemoPasswords = values['allow-demo-passwords']
  return {
    port,
    host,
    databaseFile,
    seed,
    sandbox,
    webhookCa,
    quirks,
    allowDemoPasswords,
    ...(jwtSecret !== undefined && { jwtSecret }),
    ...(signingSecret !== undefined && { signingSecret }),
  }
}

const fewestSecretBytes = 32

/** Undefined: neither is given, so that the database keeps one. No sentence says what was given. */
function readSecret(option: string, file: string | undefined, variable: string): string | undefined {
  const given = process.env[variable]
  if (file !== undefined && given !== undefined)
    throw new Error(`Give the secret by ${option} or by ${variable}, not by both.`)
  // without the line end that editors and `echo` add
  const secret = file === undefined ? given : readText(option, file).replace(/\r?\n$/, '')
  if (secret !== undefined && Buffer.byteLength(secret) < fewestSecretBytes)
    throw new Error(
      `${file === undefined ? variable : option} must have at least ${fewestSecretBytes} bytes.`,
    )
  return secret
}

/** The PEM of `--webhook-ca FILE`; null without it. */
function readWebhookCa(file: string | undefined, sandbox: boolean): string | null {
  if (file === undefined) return null
  if (!sandbox) throw new Error('--webhook-ca needs --sandbox: only a sandbox may send to private addresses.')
  const pem = readText('--webhook-ca', file)
  try {
    // read for its own sake: it throws where there is no certificate
    new X509Certificate(pem).checkHost('')
  } catch {
    throw new Error(`--webhook-ca ${file} holds no certificate in PEM.`)
  }
  return pem
}

function readText(option: string, file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new Error(`${option} ${file} cannot be read.`, { cause: error })
  }
}

async function run(command: Command): Promise<void> {
  const logger = createLogger('middleware')
  if (command.databaseFile !== inMemory) takeDatabaseFolder(command.databaseFile, logger)
  const running = await startMiddleware({ ...command, clock: systemClock, logger })
  // before the first line: its reader may end the process at once
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(signal, () => {
      void running.stop()
    })
  }
  process.stdout.write(`${JSON.stringify(running.invitation)}\n`)
  if (!isLoopbackAddress(command.host))
    process.stderr.write(
      `Warning: ${running.invitation.url} is plain http, so others on the network can read passwords and tokens.\n`,
    )
}

keepNewFilesPrivate()
try {
  const command = readCommand(process.argv.slice(2))
  if (command === 'help') process.stdout.write(usage)
  else await run(command)
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 1
}
