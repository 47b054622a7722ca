import { isUtf8 } from 'node:buffer'
import { X509Certificate } from 'node:crypto'
import { closeSync, constants, fstatSync, lstatSync, openSync, readSync, type Stats } from 'node:fs'
import { isIP } from 'node:net'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { systemClock } from '#kit/clock.ts'
import { createLogger } from '#kit/logger.ts'
import { keepNewFilesPrivate } from '#kit/private-files.ts'
import { type WarehouseRole, warehouseRoles, wireRole } from '#shared/wire/roles.ts'
import type { WarehouseMode } from '../app.ts'
import {
  addWarehouseUser,
  isLoopbackAddress,
  type StartOptions,
  startMiddleware,
  takeDatabaseFolder,
} from '../start-middleware.ts'
import { readPublicUrl } from './public-url.ts'

const usage =
  'npm run middleware -- [--port N] [--host H] [--data DIR | --database URL] [--seed demo|empty]\n' +
  '                      [--warehouse auto|manual|external] [--pace SECONDS]\n' +
  '                      [--sandbox [--webhook-ca FILE]] [--webhook-retry-seconds N]\n' +
  '                      [--quirks] [--allow-demo-passwords]\n' +
  '                      [--proxy ADDRESS,ADDRESS] [--public-url URL]\n' +
  '                      [--jwt-secret-file FILE] [--signing-secret-file FILE]\n' +
  'npm run middleware -- [--data DIR | --database URL] --add-warehouse-user NAME [--roles ROLE,ROLE]\n' +
  'Data are stored by SQLite in DIR, or by PostgreSQL at URL (postgres://user:password@host/name; also DATABASE_URL), and\n' +
  'not at all without both. One process at a time can use DIR. Any number can use URL, with the same options and secrets;\n' +
  'they share the work, and a load balancer in front of them distributes the calls.\n' +
  '--warehouse auto, the default with --seed demo: a simulated warehouse ships, receives and decides, a step every\n' +
  '--pace seconds (5). manual: it does so only on a call of /sandbox/. external: your warehouse calls\n' +
  '/warehouse/ as the user that the first line names.\n' +
  '--webhook-ca lets webhooks of a sandbox have private addresses, and trusts the certificate authority in FILE (PEM).\n' +
  'A notification that fails is sent again after --webhook-retry-seconds (3600), ten times at most.\n' +
  '--quirks responds in unusual but allowed forms, such as reduced variants and undocumented statuses. On an address that\n' +
  'other machines can reach, the demo requires --allow-demo-passwords. The secrets that sign tokens and links may\n' +
  'also come from SCANDESK_JWT_SECRET and SCANDESK_SIGNING_SECRET; each has at least 32 bytes, and no other account may\n' +
  'read its file.\n' +
  '--proxy names IP addresses of proxies. Refused logins on their connections are counted for the last address in\n' +
  'X-Forwarded-For, which the proxy must add.\n' +
  '--public-url is the address of a proxy with TLS in front of the server: https://name[:port][/path]. Links in responses\n' +
  'begin with it, and its name is also served.\n' +
  '--add-warehouse-user adds a user who may call /warehouse/ to the database, and prints its password. No server may use\n' +
  `DIR at that time. Its roles, all by default: ${warehouseRoles.map(shortRole).join(', ')}.\n` +
  'The first line on stdout is JSON: url, wms, customer, username, password, others (readOnly, customer, warehouse).\n'

/** SQLite's name for a database in memory. */
const inMemory = ':memory:'

type Command = Omit<StartOptions, 'clock' | 'logger' | 'folderPatienceMs'>

/** Parses the command line. Throws a readable message for an unknown option. */
function readOptions(args: readonly string[]) {
  const { values } = parseArgs({
    args: [...args],
    options: {
      port: { type: 'string', default: '0' },
      host: { type: 'string', default: '127.0.0.1' },
      data: { type: 'string' },
      database: { type: 'string' },
      seed: { type: 'string', default: 'demo' },
      warehouse: { type: 'string' },
      pace: { type: 'string', default: '5' },
      sandbox: { type: 'boolean', default: false },
      'webhook-ca': { type: 'string' },
      'webhook-retry-seconds': { type: 'string', default: '3600' },
      quirks: { type: 'boolean', default: false },
      'allow-demo-passwords': { type: 'boolean', default: false },
      proxy: { type: 'string' },
      'public-url': { type: 'string' },
      'jwt-secret-file': { type: 'string' },
      'signing-secret-file': { type: 'string' },
      'add-warehouse-user': { type: 'string' },
      roles: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  })
  return values
}

type Options = ReturnType<typeof readOptions>

/** Converts the options of the command line to a command. Throws a readable message for the terminal. */
function readCommand(values: Options): Command {
  if (values.roles !== undefined) throw new Error('--roles needs --add-warehouse-user.')
  const port = /^\d{1,5}$/.test(values.port) ? Number(values.port) : Number.NaN
  if (!(port <= 65_535)) throw new Error('--port is a number from 0 to 65535, in digits only.')
  if (values.host.trim() === '') throw new Error('--host needs a name or an address of this machine.')
  if (values.seed !== 'demo' && values.seed !== 'empty') throw new Error('--seed is demo or empty')
  const warehouse = values.warehouse ?? (values.seed === 'demo' ? 'auto' : 'manual')
  if (!isWarehouseMode(warehouse)) throw new Error('--warehouse is auto, manual or external')
  const pace = Number(values.pace)
  if (!(pace > 0 && pace <= longestPace))
    throw new Error(`--pace ${values.pace} is not a number of seconds above 0 and up to ${longestPace}`)
  const jwtSecret = readSecret('--jwt-secret-file', values['jwt-secret-file'], 'SCANDESK_JWT_SECRET')
  const signingSecret = readSecret(
    '--signing-secret-file',
    values['signing-secret-file'],
    'SCANDESK_SIGNING_SECRET',
  )
  const retryMs = readRetrySeconds(values['webhook-retry-seconds']) * 1000
  const webhookCa = readWebhookCa(values['webhook-ca'], values.sandbox)
  const publicBaseUrl = readPublicUrl(values['public-url'])
  const databaseFile = values.data === undefined ? inMemory : databaseIn(values.data)
  const { host, seed, sandbox, quirks } = values
  const allowDemoPasswords = values['allow-demo-passwords']
  return {
    port,
    host,
    databaseFile,
    databaseUrl: readDatabaseUrl(values),
    seed,
    sandbox,
    webhookCa,
    deliveries: { retryMs },
    quirks,
    allowDemoPasswords,
    proxies: readProxies(values.proxy),
    warehouse,
    paceMs: pace * 1000,
    ...(publicBaseUrl !== undefined && { publicBaseUrl }),
    ...(jwtSecret !== undefined && { jwtSecret }),
    ...(signingSecret !== undefined && { signingSecret }),
  }
}

/**
 * Returns the URL of the PostgreSQL database, or null for SQLite. The environment variable counts only without
 * `--data`, because that option selects SQLite.
 */
function readDatabaseUrl({ data, database }: Options): string | null {
  if (data !== undefined && database !== undefined)
    throw new Error('Give --data for SQLite or --database for PostgreSQL, not both.')
  const url = data === undefined ? (database ?? process.env['DATABASE_URL']) : undefined
  if (url === undefined) return null
  // the message must not contain the URL, because a URL may contain a password
  if (!/^postgres(ql)?:\/\//.test(url) || !URL.canParse(url))
    throw new Error(
      `${database === undefined ? 'DATABASE_URL' : '--database'} needs the URL of a PostgreSQL database: postgres://user:password@host/name`,
    )
  return url
}

function databaseIn(folder: string): string {
  if (folder.trim() === '') throw new Error('--data needs the name of a folder.')
  return join(folder, 'middleware.db')
}

/** Maximum length of a user name, in characters. */
const longestUsername = 100

/** Adds a warehouse user, and prints the name, the generated password and the roles as JSON. */
async function addUser(username: string, options: Options): Promise<void> {
  const { data, roles } = options
  const databaseUrl = readDatabaseUrl(options)
  if (data === undefined && databaseUrl === null)
    throw new Error('--add-warehouse-user needs --data with the folder of a database, or --database.')
  if (!/^\S.*\S$|^\S$/.test(username) || username.length > longestUsername)
    throw new Error(`--add-warehouse-user needs a name of at most ${longestUsername} characters.`)
  const held = roles === undefined ? warehouseRoles : readRoles(roles)
  const databaseFile = data === undefined ? inMemory : databaseIn(data)
  const password = await addWarehouseUser({
    place: { databaseFile, databaseUrl },
    username,
    roles: held,
    logger: createLogger('middleware'),
  })
  process.stdout.write(`${JSON.stringify({ username, password, roles: held.map(wireRole) })}\n`)
}

/** Returns the short name of a role: `WAREHOUSE_ORDERS` -> `ORDERS`. */
function shortRole(role: WarehouseRole): string {
  return role.replace('WAREHOUSE_', '')
}

/** Parses the names of roles: short names, or the full names that tokens contain. Letter case does not matter. */
function readRoles(text: string): WarehouseRole[] {
  const names = text.split(',').map((name) => name.trim().toUpperCase())
  const known = warehouseRoles.filter((role) =>
    [shortRole(role), role, wireRole(role)].some((name) => names.includes(name)),
  )
  if (known.length !== names.length)
    throw new Error(`--roles are some of ${warehouseRoles.map(shortRole).join(', ')}, with commas between.`)
  return known
}

/** Parses the IP addresses of `--proxy`. Without the option there are none. */
function readProxies(text: string | undefined): string[] {
  const addresses = text?.split(',').map((address) => address.trim()) ?? []
  if (addresses.some((address) => isIP(address) === 0))
    throw new Error('--proxy needs IP addresses of proxies, with commas between.')
  return addresses
}

/** Maximum time between two steps of the warehouse, in seconds. It is one day. */
const longestPace = 86_400

function isWarehouseMode(word: string): word is WarehouseMode {
  return word === 'auto' || word === 'manual' || word === 'external'
}

const fewestSecretBytes = 32

/**
 * Returns a secret from a file or an environment variable. Undefined: neither is set, so the database stores a
 * generated secret. No message contains the secret.
 */
function readSecret(option: string, file: string | undefined, variable: string): Buffer | undefined {
  const given = process.env[variable]
  if (file !== undefined && given !== undefined)
    throw new Error(`Give the secret by ${option} or by ${variable}, not by both.`)
  if (file === undefined && given === undefined) return undefined
  const secret = file === undefined ? Buffer.from(given ?? '') : readSecretFile(option, file)
  if (secret.length < fewestSecretBytes)
    throw new Error(
      `${file === undefined ? variable : option} must have at least ${fewestSecretBytes} bytes.`,
    )
  return secret
}

/**
 * Reads the file of a secret. Removes the line end that editors and `echo` add to a text. Except on Windows, throws if
 * other accounts may read the file, or if the file or a link to it belongs to another account.
 */
function readSecretFile(option: string, file: string): Buffer {
  const { bytes, stats, link } = readWithStats(option, file)
  if (process.platform !== 'win32' && ((stats.mode & 0o077) !== 0 || isOfAnother(stats)))
    throw new Error(
      `${option} ${file} can be read by other accounts of this computer. Make it private (chmod 600).`,
    )
  if (process.platform !== 'win32' && isOfAnother(link))
    throw new Error(
      `${option} ${file} is a link of another account of this computer. Give the path of the file itself.`,
    )
  // removes the line end of a text file; a file that is not UTF-8 has binary data, which stays unchanged
  return isUtf8(bytes) ? Buffer.from(bytes.toString().replace(/\r?\n$/, '')) : bytes
}

/**
 * Whether a file belongs to another account. Root does not count as another account, because root can read every file.
 */
function isOfAnother({ uid }: Stats): boolean {
  return uid !== 0 && uid !== process.getuid?.()
}

const mostFileBytes = 64 * 1024

/**
 * Reads the bytes and the permissions through one open file descriptor, so that both belong to the same file even if
 * the name is meanwhile given to another file. `link`: the status of the name, which may be a symbolic link. Throws a
 * readable message for a large file, and for anything except a regular file, because a pipe or a device may never end.
 */
function readWithStats(option: string, file: string): { bytes: Buffer; stats: Stats; link: Stats } {
  const { descriptor, link } = attempt(option, file, () => {
    // the file is opened without blocking, because a pipe would block the start until another process writes to it;
    // Windows has no flag for this
    const descriptor = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK)
    return { descriptor, link: lstatSync(file) }
  })
  try {
    const stats = fstatSync(descriptor)
    if (!stats.isFile()) throw new Error(`${option} ${file} is not a file.`)
    const bytes = Buffer.alloc(mostFileBytes + 1)
    const length = attempt(option, file, () => readSync(descriptor, bytes))
    if (length > mostFileBytes) throw new Error(`${option} ${file} has more than 64 kB.`)
    return { stats, link, bytes: bytes.subarray(0, length) }
  } finally {
    closeSync(descriptor)
  }
}

function attempt<Result>(option: string, file: string, read: () => Result): Result {
  try {
    return read()
  } catch (error) {
    throw new Error(`${option} ${file} cannot be read.`, { cause: error })
  }
}

/**
 * Maximum of `--webhook-retry-seconds`: a day. A notification is tried up to eleven times, so its last retry comes
 * within the 30 days for which it is kept.
 */
const longestRetrySeconds = 24 * 3600

function readRetrySeconds(text: string): number {
  const seconds = Number(text)
  if (!/^\d+(\.\d+)?$/.test(text) || seconds <= 0 || seconds > longestRetrySeconds)
    throw new Error(
      `--webhook-retry-seconds ${text} is not a number of seconds above 0 and up to ${longestRetrySeconds}`,
    )
  return seconds
}

/** Returns the PEM of `--webhook-ca FILE`, or null without the option. */
function readWebhookCa(file: string | undefined, sandbox: boolean): string | null {
  if (file === undefined) return null
  if (!sandbox) throw new Error('--webhook-ca needs --sandbox: only a sandbox may send to private addresses.')
  const pem = readWithStats('--webhook-ca', file).bytes.toString()
  try {
    // the certificate is only validated here: the constructor throws if the file has no certificate
    new X509Certificate(pem).checkHost('')
  } catch {
    throw new Error(`--webhook-ca ${file} contains no certificate in PEM.`)
  }
  return pem
}

/** Milliseconds after a stop in which the last lines of the log may still be written. */
const lastLinesMs = 1000

async function run(command: Command): Promise<void> {
  // the server continues if the program that reads its log has ended; without a listener, the next line would end it
  process.stderr.on('error', () => undefined)
  const logger = createLogger('middleware')
  if (command.databaseUrl === null && command.databaseFile !== inMemory)
    takeDatabaseFolder(command.databaseFile, logger)
  const running = await startMiddleware({ ...command, clock: systemClock, logger })
  // signals are handled before the first line is printed, because a program that reads the line may stop this process
  // at once
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(signal, () => {
      // lines that no program reads would keep the process alive; without such lines it ends before this timer
      void running.stop().finally(() => setTimeout(() => process.exit(), lastLinesMs).unref())
    })
  }
  process.stdout.write(`${JSON.stringify(running.invitation)}\n`)
  if (!isLoopbackAddress(command.host))
    process.stderr.write(
      `Warning: ${running.invitation.url} is plain http, so others on the network can read passwords and tokens.\n`,
    )
  if (command.proxies?.length && command.publicBaseUrl === undefined)
    process.stderr.write(
      'Warning: --proxy is given without --public-url, so links begin with http, and behind a proxy with TLS no desk downloads labels.\n',
    )
}

keepNewFilesPrivate()
try {
  const options = readOptions(process.argv.slice(2))
  const user = options['add-warehouse-user']
  if (options.help) process.stdout.write(usage)
  else if (user !== undefined) await addUser(user, options)
  else await run(readCommand(options))
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 1
}
