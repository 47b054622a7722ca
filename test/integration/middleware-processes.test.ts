import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import BetterSqlite from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { lockFolder, openSqliteDatabase } from '#middleware/data/engine/sqlite.ts'
import { tokens as tokensSchema } from '#shared/wire/auth.ts'
import {
  exitCode,
  firstLine,
  forkUtility,
  type Invitation,
  invitation,
  spawnCliWith,
} from '#support/middleware-children.ts'
import { type Reply, send } from '#support/middleware-server.ts'

const ready = invitation.extend({ type: z.literal('ready') })

let folder: string
let children: ChildProcess[]
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'middleware-'))
  children = []
})
afterEach(() => {
  for (const child of children) child.kill('SIGKILL')
  rmSync(folder, { recursive: true })
})

function cli(...args: string[]): ChildProcess {
  return cliWith({}, ...args)
}

function cliWith(environment: Readonly<Record<string, string>>, ...args: string[]): ChildProcess {
  const child = spawnCliWith(environment, ...args)
  children.push(child)
  return child
}

/** Returns the access modes of a folder and of all files in it. */
function modesOf(path: string): string[] {
  const modeOf = (at: string): string => (statSync(at).mode & 0o777).toString(8)
  return [modeOf(path), ...readdirSync(path).map((name) => `${name} ${modeOf(join(path, name))}`)].toSorted()
}
const privateModes = [
  '700',
  ...['middleware.db 600', 'middleware.db-shm 600', 'middleware.db-wal 600'],
  ...['middleware.lock 600', 'middleware.lock-journal 600'],
]

function sendLogin(to: Invitation, password = to.password): Promise<Reply> {
  return send(to.url, '/wms/auth/login/', {
    method: 'POST',
    body: { username: to.username, password: password ?? 'none' },
    headers: { 'x-wms-code': to.wms },
    customer: to.customer,
  })
}

async function logIn(to: Invitation, password = to.password): Promise<number> {
  const reply = await sendLogin(to, password)
  if (reply.status === 200) tokensSchema.parse(reply.body)
  return reply.status
}

describe('the middleware from the command line', () => {
  it('prints valid logins as JSON, and ends with exit code 0 on SIGTERM', async () => {
    const child = cli('--data', folder, '--sandbox')
    const demo = await firstLine(child)
    expect(await logIn(demo)).toBe(200)
    const { readOnly, customer } = demo.others
    expect(customer).not.toBe(demo.customer)
    expect(await logIn({ ...demo, ...readOnly, customer: customer ?? '' })).toBe(200)
    child.kill('SIGTERM')
    expect(await exitCode(child)).toBe(0)
    const again = await firstLine(cli('--data', folder))
    expect(await logIn(again)).toBe(200)
  })

  it.skipIf(process.platform === 'win32')(
    'makes its database files private, also those that other accounts could read before',
    async () => {
      const data = join(folder, 'data')
      const child = cli('--data', data)
      const demo = await firstLine(child)
      expect(await logIn(demo)).toBe(200)
      expect(modesOf(data)).toEqual(privateModes)
      child.kill('SIGKILL')
      await exitCode(child)
      chmodSync(data, 0o755)
      for (const name of readdirSync(data)) chmodSync(join(data, name), 0o644)
      writeFileSync(join(data, 'notes.txt'), '', { mode: 0o644 })
      expect(await logIn(await firstLine(cli('--data', data)))).toBe(200)
      expect(modesOf(data)).toEqual([...privateModes, 'notes.txt 644'])
    },
  )

  it('continues if the program that reads its log has ended, and ends with code 0 at SIGTERM', async () => {
    const child = cliWith({ SCANDESK_LOG: 'info' })
    const demo = await firstLine(child)
    child.stderr?.destroy()
    // the first line of the log after the end of its reader fails, and so do all later lines
    for (let call = 0; call < 3; call += 1) expect(await logIn(demo)).toBe(200)
    child.kill('SIGTERM')
    expect(await exitCode(child)).toBe(0)
  })

  it('ends with code 0 at SIGTERM if no program reads the lines of its log', async () => {
    const child = cliWith({ SCANDESK_LOG: 'info' })
    const demo = await firstLine(child)
    const { token } = tokensSchema.parse((await sendLogin(demo)).body)
    // the lines of 1000 calls have more bytes than a pipe and the stream of this process hold
    for (let call = 0; call < 1000; call += 20)
      await Promise.all(
        Array.from({ length: 20 }, () =>
          send(demo.url, '/wms/batches/?limit=1', { token, customer: demo.customer }),
        ),
      )
    child.kill('SIGTERM')
    expect(await exitCode(child)).toBe(0)
  })

  it.skipIf(process.platform === 'win32')(
    'replaces its secrets, with a warning, only if other accounts could read the database file',
    async () => {
      const data = join(folder, 'data')
      const file = join(data, 'middleware.db')
      const first = await secretsAfterRun(data)
      expect(first.secrets).toHaveLength(2)
      const closed = await secretsAfterRun(data)
      expect(closed).toEqual({ secrets: first.secrets, warnings: [] })
      chmodSync(file, 0o644)
      const opened = await secretsAfterRun(data)
      expect(opened.secrets).toHaveLength(2)
      for (const secret of opened.secrets) expect(first.secrets).not.toContain(secret)
      expect(opened.warnings).toEqual([expect.stringMatching(/secrets.*access tokens and links/)])
      expect(await secretsAfterRun(data)).toEqual({ secrets: opened.secrets, warnings: [] })
      // The first start fails, because another process holds the folder. The next start must replace the secrets, which
      // other accounts could read.
      chmodSync(file, 0o644)
      const holder = lockFolder(data)
      expect(await exitCode(cli('--data', data, '--seed', 'empty'))).toBe(1)
      holder?.release()
      for (const secret of (await secretsAfterRun(data)).secrets) expect(opened.secrets).not.toContain(secret)
    },
  )

  it.skipIf(process.platform === 'win32')(
    'starts with a warning if other accounts can change a parent folder of its data',
    async () => {
      const above = join(folder, 'above')
      mkdirSync(above)
      const run = async (): Promise<string> => {
        const child = cli('--data', join(above, 'data'))
        const said = text(child.stderr ?? Readable.from([]))
        expect(await logIn(await firstLine(child))).toBe(200)
        child.kill('SIGTERM')
        expect(await exitCode(child)).toBe(0)
        return said
      }
      expect(await run()).not.toContain('replace the data folder')
      chmodSync(above, 0o777)
      expect(await run()).toMatch(/"msg":"[^"]*replace the data folder/)
    },
  )

  it.skipIf(process.getuid?.() !== 0).each(['.', 'middleware.db', 'middleware.db-wal', 'middleware.lock'])(
    'refuses a folder in which %s belongs to another account, and changes nothing in this folder',
    async (name) => {
      const data = join(folder, 'data')
      mkdirSync(data, { mode: 0o755 })
      const path = join(data, name)
      if (name !== '.') writeFileSync(path, '', { mode: 0o600 })
      chownSync(path, 65_534, 65_534)
      const before = modesOf(data)
      const child = cli('--data', data)
      const said = text(child.stderr ?? Readable.from([]))
      expect(await exitCode(child)).toBe(1)
      expect(await said).toMatch(/^[^\n]+ belongs to another account [^\n]+\.\n$/)
      expect(modesOf(data)).toEqual(before)
      const starting = utility()
      expect(await reply(starting, join(data, 'middleware.db'))).toMatchObject({
        type: 'failed',
        reason: expect.stringContaining('another account') as unknown,
      })
    },
  )

  it.each(['auto', 'manual'])(
    'accepts --warehouse %s, and returns an order reference as an array with --quirks and as a text without it',
    async (warehouse) => {
      const child = cli('--warehouse', warehouse, ...(warehouse === 'manual' ? ['--quirks'] : []))
      const { url, wms, customer, username, password } = await firstLine(child)
      const headers = { 'x-wms-code': wms, 'x-customer-code': customer, 'content-type': 'application/json' }
      const login = { method: 'POST', headers, body: JSON.stringify({ username, password }) }
      const { token } = tokensSchema.parse(await (await fetch(`${url}/wms/auth/login/`, login)).json())
      const authorized = { headers: { ...headers, authorization: `Bearer ${token}` } }
      const list: unknown = await (await fetch(`${url}/wms/shipments/?limit=1`, authorized)).json()
      const someText: unknown = expect.any(String)
      const reference = warehouse === 'manual' ? [someText] : someText
      expect(list).toMatchObject([{ order_external_reference: reference }])
    },
  )

  it('creates a user with a password for an empty database and prints the password once', async () => {
    const child = cli('--data', folder, '--seed', 'empty')
    const first = await firstLine(child)
    expect(await logIn(first)).toBe(200)
    child.kill('SIGTERM')
    await exitCode(child)
    const again = await firstLine(cli('--data', folder, '--seed', 'empty'))
    expect(again).toMatchObject({ username: first.username, password: null, customer: first.customer })
    expect(await logIn(again, first.password)).toBe(200)
  })

  it.each([
    ['--port', '70000'],
    ...['', ' ', '0x50', '1e3', '1.0', '٣'].map((port) => ['--port', port]),
    ['--data', ''],
    ['--data', ' '],
    ['--host', ''],
    ['--host', ' '],
    ['--seed', 'some'],
    ['--warehouse', 'asleep'],
    ['--pace', '0'],
    ['--pace', 'slow'],
    ['--pace', '1e9'],
    ['--nonsense'],
  ])('refuses %s "%s" with an error message of one line that names the option', async (...args) => {
    const child = cli(...args)
    let said = ''
    child.stderr?.on('data', (chunk: Buffer) => (said += chunk.toString()))
    expect(await exitCode(child)).toBe(1)
    expect(said).toContain(args[0])
    expect(said.trim().split('\n')).toHaveLength(1)
  })
})

/** Starts and stops the server. Returns the secrets in its database and the texts of its warnings. */
async function secretsAfterRun(data: string): Promise<{ secrets: string[]; warnings: string[] }> {
  const child = cli('--data', data, '--seed', 'empty')
  const said = text(child.stderr ?? Readable.from([]))
  await firstLine(child)
  child.kill('SIGTERM')
  expect(await exitCode(child)).toBe(0)
  const database = openSqliteDatabase(join(data, 'middleware.db'))
  const rows = await database.selectFrom('meta').select('value').where('key', 'like', '%_secret').execute()
  await database.destroy()
  const logLine = z.object({ level: z.union([z.number(), z.string()]), msg: z.string() })
  const lines = (await said).split('\n').filter((line) => line.includes('secrets'))
  return {
    secrets: rows.map(({ value }) => value),
    warnings: lines.map((line) => logLine.parse(JSON.parse(line)).msg),
  }
}

function utility(): ChildProcess {
  const child = forkUtility()
  children.push(child)
  return child
}

/** Returns the first message of a utility process. */
async function reply(child: ChildProcess, databaseFile: string, port = 0): Promise<unknown> {
  child.send({ databaseFile, port, sandbox: true })
  const [message] = (await once(child, 'message')) as [unknown]
  return message
}

describe('the middleware as a utility process', () => {
  function answer(child: ChildProcess, port: number): Promise<unknown> {
    return reply(child, join(folder, 'sandbox', 'middleware.db'), port)
  }

  it('reports that it is ready, and after a kill starts again on the same port with the same data', async () => {
    const child = utility()
    const first = ready.parse(await answer(child, 0))
    expect(await logIn(first)).toBe(200)
    child.kill('SIGKILL')
    await exitCode(child)
    const second = ready.parse(await answer(utility(), Number(new URL(first.url).port)))
    expect(second.url).toBe(first.url)
    expect(await logIn(second)).toBe(200)
  })

  it.skipIf(process.platform === 'win32')('makes its data folder and database files private', async () => {
    mkdirSync(join(folder, 'sandbox'), { mode: 0o755 })
    expect(await logIn(ready.parse(await answer(utility(), 0)))).toBe(200)
    expect(modesOf(join(folder, 'sandbox'))).toEqual(privateModes)
  })

  it('reports a failure with its cause when the port is in use', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    await once(other, 'listening')
    const { port } = z.object({ port: z.number() }).parse(other.address())
    expect(await answer(utility(), port)).toMatchObject({ type: 'failed', cause: 'port_in_use' })
    other.close()
  })

  it('reports that its database is damaged, and leaves the file unchanged', async () => {
    const file = join(folder, 'sandbox', 'middleware.db')
    mkdirSync(join(folder, 'sandbox'), { mode: 0o700 })
    writeFileSync(file, 'not a database '.repeat(100), { mode: 0o600 })
    expect(await answer(utility(), 0)).toMatchObject({ type: 'failed', cause: 'damaged' })
    expect(readFileSync(file, 'utf8')).toBe('not a database '.repeat(100))
  })

  it('keeps a database of another version under another name, in place of an older one that has this name, and creates new practice data', async () => {
    const file = join(folder, 'sandbox', 'middleware.db')
    mkdirSync(join(folder, 'sandbox'), { mode: 0o700 })
    const aside = `${file}.other-version`
    for (const ending of ['', '-wal', '-shm']) writeFileSync(aside + ending, 'older', { mode: 0o600 })
    const old = new BetterSqlite(file)
    old.exec(
      "create table meta (key text, value text); insert into meta values ('k', 'old'); pragma user_version = 7",
    )
    old.close()
    chmodSync(file, 0o600)
    expect(await logIn(ready.parse(await answer(utility(), 0)))).toBe(200)
    const named = readdirSync(join(folder, 'sandbox')).filter((name) => name.includes('other-version'))
    expect(named).toEqual(['middleware.db.other-version'])
    const kept = new BetterSqlite(aside)
    expect(kept.prepare('select value from meta').pluck().all()).toEqual(['old'])
    kept.close()
  })

  it.each([{ type: 'stop' }, 'SIGTERM'] as const)('ends cleanly on %j', async (how) => {
    const child = utility()
    ready.parse(await answer(child, 0))
    if (how === 'SIGTERM') child.kill(how)
    else child.send(how)
    expect(await exitCode(child)).toBe(0)
  })
})
