import { type ChildProcess, execFileSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  lchownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { networkInterfaces, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { jwtVerify, SignJWT } from 'jose'
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest'
import { systemClock } from '#kit/clock.ts'
import { createLogger } from '#kit/logger.ts'
import { lockFolder } from '#middleware/data/engine/sqlite.ts'
import { startMiddleware } from '#middleware/start-middleware.ts'
import { tokens as tokensSchema } from '#shared/wire/auth.ts'
import { exitCode, firstLine, type Invitation, spawnCliWith } from '#support/middleware-children.ts'
import { send } from '#support/middleware-server.ts'

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
  return withEnvironment({}, ...args)
}

function withEnvironment(environment: Record<string, string>, ...args: string[]): ChildProcess {
  const child = spawnCliWith(environment, ...args)
  children.push(child)
  return child
}

/** Returns the exit code of a child process and its text on stderr. */
async function lastWords(child: ChildProcess): Promise<{ code: number | null; said: string }> {
  let said = ''
  child.stderr?.on('data', (chunk: Buffer) => (said += chunk.toString()))
  const code = await exitCode(child)
  return { code, said }
}

async function stop(child: ChildProcess): Promise<void> {
  child.kill('SIGTERM')
  expect(await exitCode(child)).toBe(0)
}

async function logIn(to: Invitation, password = to.password): Promise<string> {
  const reply = await send(to.url, '/wms/auth/login/', {
    method: 'POST',
    body: { username: to.username, password },
    headers: { 'x-wms-code': to.wms },
    customer: to.customer,
  })
  expect(reply.status).toBe(200)
  return tokensSchema.parse(reply.body).token
}

async function statusOf(to: Invitation, token: string): Promise<number> {
  const headers = { 'x-wms-code': to.wms }
  return (await send(to.url, '/wms/customers/', { headers, customer: to.customer, token })).status
}

/** Matches one sentence without a stack trace. */
const sentence = /^[A-Z-][^\n]+\.\n$/

describe('the data folder of the middleware', () => {
  it('is used by one process until it ends, and a second process fails with an error message of one line', async () => {
    const first = cli('--data', folder, '--sandbox')
    const invitation = await firstLine(first)
    const second = await lastWords(cli('--data', folder, '--sandbox'))
    expect(second.code).toBe(1)
    expect(second.said).toMatch(sentence)
    expect(second.said).toContain(folder)
    await logIn(invitation)
    first.kill('SIGKILL')
    await exitCode(first)
    const third = cli('--data', folder, '--sandbox')
    await logIn(await firstLine(third))
    await stop(third)
    await firstLine(cli('--data', folder, '--sandbox'))
  })

  it('makes a start fail while another process uses the folder; a start with a waiting time waits until the folder is free', async () => {
    const held = lockFolder(folder)
    expect(held).not.toBeNull()
    const options = {
      databaseFile: join(folder, 'middleware.db'),
      port: 0,
      host: '127.0.0.1',
      seed: 'empty',
      sandbox: true,
      clock: systemClock,
      logger: createLogger('test', { level: 'silent' }),
    } as const
    await expect(startMiddleware(options)).rejects.toThrow(folder)
    const patient = startMiddleware({ ...options, folderPatienceMs: 600_000 })
    await new Promise((resolve) => setImmediate(resolve))
    held?.release()
    const running = await patient
    expect(lockFolder(folder)).toBeNull()
    await running.stop()
    lockFolder(folder)?.release()
  })

  it('is not needed by a server without --data, so that two such servers can run at the same time', async () => {
    await Promise.all([firstLine(cli()), firstLine(cli())])
  })
})

describe('the first line of output of the middleware', () => {
  it('describes the existing content of the database, whatever the option --seed is', async () => {
    const first = cli('--data', folder)
    const demo = await firstLine(first)
    await stop(first)
    const second = cli('--data', folder, '--seed', 'empty')
    const again = await firstLine(second)
    expect({ ...again, url: '' }).toEqual({ ...demo, url: '' })
    expect(again).toMatchObject({
      wms: 'SANDBOX',
      customer: 'ZILVER',
      username: 'desk',
      password: 'scandesk',
    })
    expect(again.others).toMatchObject({ readOnly: { username: 'reader', password: 'scandesk' } })
    await logIn(again)
  })

  it('contains a generated password only at the start at which the server generated it', async () => {
    const first = cli('--data', folder, '--seed', 'empty')
    const made = await firstLine(first)
    await stop(first)
    const again = await firstLine(cli('--data', folder, '--seed', 'demo'))
    expect(again).toMatchObject({ wms: 'DEV', customer: 'MAIN', username: 'admin', password: null })
    expect(again.others).toEqual({ readOnly: null, customer: null, warehouse: null })
    await logIn(again, made.password)
  })
})

/** An address of this machine that other machines can reach, or the wildcard address if there is none. */
const outside =
  Object.values(networkInterfaces())
    .flatMap((each) => each ?? [])
    .find(({ internal, family }) => !internal && family === 'IPv4')?.address ?? '0.0.0.0'

describe('the middleware with --host', () => {
  it.each(['0.0.0.0', outside, '::', '127.0.0.1.nip.invalid'])(
    'does not start on %s with the public passwords of the demo',
    async (host) => {
      const { code, said } = await lastWords(cli('--host', host))
      expect(code).toBe(1)
      expect(said).toMatch(sentence)
      expect(said).toContain('--allow-demo-passwords')
    },
  )

  it('does not start on 0.0.0.0 with demo users, and adds no demo users to a new database', async () => {
    const first = cli('--data', folder)
    await firstLine(first)
    await stop(first)
    const { code, said } = await lastWords(cli('--data', folder, '--seed', 'empty', '--host', '0.0.0.0'))
    expect([code, said.includes('--allow-demo-passwords')]).toEqual([1, true])
    const fresh = join(folder, 'fresh')
    expect((await lastWords(cli('--data', fresh, '--host', '0.0.0.0'))).code).toBe(1)
    expect(await firstLine(cli('--data', fresh, '--seed', 'empty'))).toMatchObject({ username: 'admin' })
  })

  it('starts on 0.0.0.0 if it has --allow-demo-passwords or no demo users, and then warns of plain http', async () => {
    for (const args of [['--allow-demo-passwords'], ['--seed', 'empty']]) {
      const child = cli('--host', '0.0.0.0', ...args)
      const words = lastWords(child)
      const invitation = await firstLine(child)
      const { port } = new URL(invitation.url)
      await logIn({ ...invitation, url: `http://127.0.0.1:${port}` })
      child.kill('SIGTERM')
      const { code, said } = await words
      expect(code).toBe(0)
      expect(said).toMatch(/^Warning: [^\n]*plain http[^\n]*\.\n$/)
    }
  })

  it.each(['127.0.0.1', '127.3.2.1', 'localhost', '::1'])(
    'starts with demo users on the loopback address %s without a warning',
    async (host) => {
      const child = cli('--host', host)
      const words = lastWords(child)
      const { url } = await firstLine(child)
      expect((await fetch(`${url}/nothing`)).status).toBe(404)
      child.kill('SIGTERM')
      expect(await words).toEqual({ code: 0, said: '' })
    },
  )
})

describe('the middleware with --proxy', () => {
  it('counts a refused login that comes through the proxy against the client in X-Forwarded-For', async () => {
    const invitation = await firstLine(cli('--proxy', '::1, 127.0.0.1'))
    const statusFrom = async (address: string, password: string | null): Promise<number> => {
      const { url, wms, username, customer } = invitation
      const headers = { 'x-wms-code': wms, 'x-forwarded-for': address }
      const call = { method: 'POST', body: { username, password }, headers, customer }
      return (await send(url, '/wms/auth/login/', call)).status
    }
    for (let guess = 0; guess < 10; guess++) expect(await statusFrom('192.0.2.1', 'wrong')).toBe(401)
    expect(await statusFrom('192.0.2.1', invitation.password)).toBe(429)
    expect(await statusFrom('192.0.2.2', invitation.password)).toBe(200)
  })

  it.each(['', 'proxy.example', '10.0.0.0/8', '10.0.0.1,'])(
    'fails with an error message of one line if a proxy is no IP address: "%s"',
    async (proxy) => {
      const { code, said } = await lastWords(cli('--proxy', proxy))
      expect([code, said]).toEqual([1, '--proxy needs IP addresses of proxies, with commas between.\n'])
    },
  )
})

describe('the middleware with --public-url', () => {
  it('fails with an error message of one line if the URL is plain http to another machine', async () => {
    const { code, said } = await lastWords(cli('--public-url', 'http://returns.example.org'))
    expect([code, sentence.test(said), said.includes('--public-url')]).toEqual([1, true, true])
  })

  it('prints no warning about --proxy; without --public-url it prints one', async () => {
    for (const args of [['--public-url', 'https://returns.example.org/eu/'], []]) {
      const child = cli('--proxy', '127.0.0.1', ...args)
      const words = lastWords(child)
      await firstLine(child)
      child.kill('SIGTERM')
      const { code, said } = await words
      expect(code).toBe(0)
      expect(said).toMatch(args.length > 0 ? /^$/ : /^Warning: [^\n]*--public-url[^\n]*\.\n$/)
    }
  })
})

describe('secret options of the middleware', () => {
  const jwt = 'a-secret-for-tokens-of-32-bytes-or-more'
  const signing = 'a-secret-for-links-of-32-bytes-or-more'
  const names = ['jwt_secret', 'signing_secret']
  const emptyFile = join(mkdtempSync(join(tmpdir(), 'middleware-secret-')), 'empty')
  writeFileSync(emptyFile, '', { mode: 0o600 })
  afterAll(() => rmSync(dirname(emptyFile), { recursive: true }))

  /** Returns the content of all files in the folder as text. */
  function everything(): string {
    return readdirSync(folder)
      .map((file) => readFileSync(join(folder, file), 'latin1'))
      .join('')
  }

  it('are read from files or the environment, and make the middleware remove the earlier secrets from its database', async () => {
    const first = cli('--data', folder)
    await firstLine(first)
    await stop(first)
    const kept = [...everything().matchAll(/_secret([0-9a-f]{64})/g)].map(([, secret = '']) => secret)
    expect(kept).toHaveLength(2)
    const file = join(mkdtempSync(join(tmpdir(), 'middleware-secret-')), 'jwt')
    writeFileSync(file, `${jwt}\n`, { mode: 0o600 })
    const child = withEnvironment(
      { SCANDESK_SIGNING_SECRET: signing, SCANDESK_LOG: 'trace' },
      '--data',
      folder,
      '--jwt-secret-file',
      file,
    )
    const words = lastWords(child)
    const invitation = await firstLine(child)
    const token = await logIn(invitation)
    expect(await statusOf(invitation, token)).toBe(200)
    const sign = (secret: string): Promise<string> => {
      const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as object
      return new SignJWT({ ...claims })
        .setProtectedHeader({ alg: 'HS256' })
        .sign(new TextEncoder().encode(secret))
    }
    expect(await statusOf(invitation, await sign(jwt))).toBe(200)
    expect(await statusOf(invitation, await sign(kept[0] ?? ''))).toBe(401)
    for (const text of [...kept, ...names, jwt, signing]) expect(everything()).not.toContain(text)
    child.kill('SIGTERM')
    const { said } = await words
    expect(said.length).toBeGreaterThan(100)
    for (const text of [jwt, signing]) expect(said).not.toContain(text)
    for (const text of [...kept, ...names, jwt, signing]) expect(everything()).not.toContain(text)
    rmSync(file)
  })

  it('are refused from a file of 31 bytes, and accepted from a file of 32 bytes that are not valid UTF-8', async () => {
    const file = join(folder, 'secret')
    // Each of these bytes is invalid UTF-8, and would become a character of three bytes if the file were read as text.
    writeFileSync(file, Buffer.alloc(31, 0xff), { mode: 0o600 })
    const { code, said } = await lastWords(cli('--jwt-secret-file', file))
    expect([code, /--jwt-secret-file.*32 bytes/.test(said)]).toEqual([1, true])
    const secret = Buffer.alloc(32, 0xff)
    writeFileSync(file, secret)
    const invitation = await firstLine(cli('--jwt-secret-file', file))
    const token = await logIn(invitation)
    expect((await jwtVerify(token, secret)).payload.exp).toBeGreaterThan(0)
    expect(await statusOf(invitation, token)).toBe(200)
  })

  it.skipIf(process.platform === 'win32').each([0o644, 0o640, 0o604, 0o622])(
    'are refused from a file that other accounts can read or change: mode %o',
    async (mode) => {
      const file = join(folder, 'secret')
      writeFileSync(file, jwt)
      chmodSync(file, mode)
      for (const option of ['--jwt-secret-file', '--signing-secret-file']) {
        const { code, said } = await lastWords(cli(option, file))
        expect(code).toBe(1)
        expect(said).toMatch(sentence)
        expect(said).toContain(`${option} ${file}`)
        expect(said).not.toContain(jwt)
      }
    },
  )

  it.skipIf(process.getuid?.() !== 0)('are refused from a file that belongs to another account', async () => {
    const file = join(folder, 'secret')
    writeFileSync(file, jwt, { mode: 0o600 })
    chownSync(file, 65_534, 65_534)
    const { code, said } = await lastWords(cli('--jwt-secret-file', file))
    expect([code, sentence.test(said)]).toEqual([1, true])
  })

  it.skipIf(process.getuid?.() !== 0)(
    'are refused if their file is a symbolic link that belongs to another account',
    async () => {
      const [file, link] = [join(folder, 'secret'), join(folder, 'link')]
      writeFileSync(file, jwt, { mode: 0o600 })
      symlinkSync(file, link)
      // A symbolic link that belongs to the same account is accepted, because many installations use such links.
      const invitation = await firstLine(cli('--jwt-secret-file', link))
      expect(await statusOf(invitation, await logIn(invitation))).toBe(200)
      lchownSync(link, 65_534, 65_534)
      const { code, said } = await lastWords(cli('--jwt-secret-file', link))
      expect([code, sentence.test(said), /link of another account/.test(said)]).toEqual([1, true, true])
    },
  )

  it.skipIf(process.platform === 'win32').each([
    ['a pipe', () => execFileSync('mkfifo', ['-m', '600', join(folder, 'secret')]), /is not a file/],
    ['a device without an end', () => symlinkSync('/dev/zero', join(folder, 'secret')), /is not a file/],
    ['a folder', () => mkdirSync(join(folder, 'secret')), /is not a file/],
    [
      'a file of more than 64 kB',
      () => writeFileSync(join(folder, 'secret'), 'x'.repeat(64 * 1024 + 1), { mode: 0o600 }),
      /has more than 64 kB/,
    ],
  ])('are refused from %s', async (_, make, words) => {
    make()
    for (const args of [['--jwt-secret-file'], ['--sandbox', '--webhook-ca']]) {
      const { code, said } = await lastWords(cli(...args, join(folder, 'secret')))
      expect([code, sentence.test(said)]).toEqual([1, true])
      expect(said).toMatch(words)
    }
  })

  it.each([
    [
      'a secret of fewer than 32 bytes',
      { SCANDESK_JWT_SECRET: 'x'.repeat(31) },
      [],
      /SCANDESK_JWT_SECRET.*32 bytes/,
    ],
    ['an empty secret', { SCANDESK_SIGNING_SECRET: '' }, [], /SCANDESK_SIGNING_SECRET.*32 bytes/],
    [
      'a file that does not exist',
      {},
      ['--jwt-secret-file', '/nonexistent'],
      /--jwt-secret-file.*\/nonexistent/,
    ],
    ['a file that is too short', {}, ['--signing-secret-file', emptyFile], /--signing-secret-file.*32 bytes/],
    [
      'two sources of the same secret',
      { SCANDESK_JWT_SECRET: jwt },
      ['--jwt-secret-file', '/dev/null'],
      /SCANDESK_JWT_SECRET/,
    ],
  ] as const)(
    'are refused with an error message of one line that does not show the secret: %s',
    async (_, environment, args, words) => {
      const { code, said } = await lastWords(withEnvironment(environment, ...args))
      expect(code).toBe(1)
      expect(said).toMatch(sentence)
      expect(said).toMatch(words)
      expect(said).not.toMatch(/xxx/)
    },
  )
})
