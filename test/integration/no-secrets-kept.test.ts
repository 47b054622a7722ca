import { mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { strFromU8, unzipSync } from 'fflate'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { Desk } from '#desk/desk.ts'
import { systemClock } from '#kit/clock.ts'
import { createForkedLogger, createLogger } from '#kit/logger.ts'
import { hashPassword } from '#middleware/services/access/passwords.ts'
import { type RunningMiddleware, startMiddleware } from '#middleware/start-middleware.ts'
import { sandbox } from '#shared/domain/sandbox.ts'
import { embeddedBaseUrl } from '#shared/domain/scope.ts'
import type { Result } from '#shared/errors/result.ts'
import { tokens } from '#shared/wire/auth.ts'
import { DeskBench, eventually } from '#support/desk-bench.ts'
import { pcSettings } from '#support/pc-settings.ts'
import { holdSettings } from '../../electron/main/app-settings.ts'
import { CallLog } from '../../electron/main/ipc/call-log.ts'
import { LogFile } from '../../electron/main/log-file.ts'
import { Stations } from '../../electron/main/stations.ts'
import { SpeedToday } from '../../electron/main/speed-today.ts'
import { saveBundle } from '../../electron/main/support-bundle.ts'

type Handler = (event: unknown, args?: unknown) => Promise<Result<unknown>>

const handlers = new Map<string, Handler>()
vi.mock('electron', () => ({
  ipcMain: { handle: (channel: string, handler: Handler) => void handlers.set(channel, handler) },
}))
// Resets the modules, so that the next imports use the replacement of the module `electron`.
vi.resetModules()
const { bindDomain } = await import('../../electron/main/ipc/bind.ts')
const { deskHandlers } = await import('../../electron/main/ipc/desk.ipc.ts')

const ownFrame = { senderFrame: { parent: null, url: 'app://desk/index.html' } }
const call = async (channel: string, args?: unknown): Promise<Result<unknown>> => {
  const handler = handlers.get(channel)
  if (!handler) throw new Error(`nothing is bound to ${channel}`)
  return handler(ownFrame, args)
}

/**
 * Secrets of the test. No secret is a part of another secret or of any other text, so that a search finds each one
 * reliably.
 */
const password = 'canary-password-5f1d'
const wrongPassword = 'canary-wrong-77ae'
const hashSecret = 'canary-hash-secret-c09b'
/** Matches the header of a JSON web token. */
const token = /eyJ[\w-]{10,}\.eyJ/

/**
 * A desk and a middleware store their files in the same data directory, as in the sandbox, with the most detailed log.
 */
describe('secrets that a desk and its sandbox use', () => {
  let middleware: RunningMiddleware
  let bench: DeskBench
  let file: LogFile | null = null
  /**
   * The content of each file in the data directory, by its path. The path of a file in a support bundle begins with the
   * name of the bundle.
   */
  let kept: Map<string, string>
  /** Single-use tokens that the service issued. */
  const refreshTokens: string[] = []
  const serverLog: string[] = []

  beforeAll(async () => {
    bench = await DeskBench.create()
    const databaseFile = join(bench.dataDir, 'sandbox', 'middleware.db')
    mkdirSync(join(bench.dataDir, 'sandbox'))
    middleware = await startMiddleware({
      ...{ databaseFile, port: 0, host: '127.0.0.1', seed: 'demo', sandbox: true, clock: systemClock },
      logger: createLogger('middleware', {
        level: 'trace',
        destination: { write: (line) => void serverLog.push(line) },
      }),
    })
    await changePassword(databaseFile)
    const { url } = middleware.invitation
    await registerWebhook(url)

    const log = new LogFile()
    file = log
    const forked = createForkedLogger('desk', log, 'debug', { write: () => undefined })
    log.open(bench.dataDir)
    const calls = new CallLog(forked)
    const settings = pcSettings()
    const scope = {
      ...{ baseUrl: embeddedBaseUrl, wmsCode: sandbox.wmsCode, customerCode: sandbox.customerCode },
    }
    const desk = await bench.open(() => url, { scope, timeouts: {}, logger: forked.logger })
    const domains = deskHandlers({
      host: { desk: () => Promise.resolve(desk) },
      settings,
      stations: new Stations(settings),
    })
    bindDomain('session', domains.session, calls)
    bindDomain('scan', domains.scan, calls)
    await work(desk)
    const held = holdSettings(settings, {}, 'en')
    await saveBundle(
      {
        ...{ dataDir: bench.dataDir, version: '1.2.3', engine: 'Electron 1' },
        settings: () => settings.read(),
        held: () => held.read(),
        status: () => desk.status(),
        failures: () => calls.last,
        logFault: () => log.fault,
        speed: () => new SpeedToday().view(),
      },
      Date.now(),
    )
    refreshTokens.push(...bench.secrets.values())
    kept = new Map(filesBelow(bench.dataDir))
    await bench.close(desk)
    for (const [name, content] of filesBelow(bench.dataDir)) kept.set(`${name}, closed`, content)
  }, 120_000)

  afterAll(async () => {
    await middleware.stop()
    file?.close()
    await bench.dispose()
  })

  /**
   * Performs actions of an operator, of which some succeed and some fail. Every call contains a password or follows a
   * call with a password.
   */
  async function work(desk: Desk): Promise<void> {
    const login = { username: sandbox.username, password }
    expect(await call('session:login', { ...login, password: wrongPassword })).toMatchObject({ ok: false })
    // The password is too long, or a field has a wrong type, so the call is refused before the desk receives the
    // password.
    expect(await call('session:login', { ...login, password: password.repeat(100) })).toMatchObject({
      ok: false,
    })
    expect(await call('session:login', { username: 7, password, [password]: password })).toMatchObject({
      ok: false,
    })
    expect(await call('session:login', login)).toMatchObject({ ok: true, value: { state: 'signed_in' } })
    await eventually(() => desk.status().index.syncedAt !== null)
    await call('scan:submit', { raw: sandbox.exampleShipment, expect: 'anything' })
    await call('scan:submit', { raw: 'NOBODY-KNOWS-THIS', expect: 'anything' })
    expect(await call('session:logout')).toMatchObject({ ok: true })
    // The desk stores the token of this login, and the tests search for this token.
    expect(await call('session:login', login)).toMatchObject({ ok: true })
  }

  /** The data directory must contain the files that are named here, otherwise the search for secrets proves nothing. */
  it('are searched for in files of all kinds that a desk writes', () => {
    const names = [...kept.keys()]
    for (const name of ['desk.db', 'recent.db', 'logs/desk.log', 'sandbox/middleware.db'])
      expect(names).toContain(name)
    for (const part of ['journal/', 'support/', '/settings.json', '/counts.json', '/logs/desk.log'])
      expect(
        names.some((name) => name.includes(part)),
        part,
      ).toBe(true)
    expect(refreshTokens).toHaveLength(1)
    const log = kept.get('logs/desk.log') ?? ''
    expect(log).toContain('"channel":"session.login","code":"session.invalid_credentials"')
    expect(log).toContain('too_big at password')
    // A second error within ten seconds is only counted, not logged again.
    const errors = [...kept].find(([name]) => name.endsWith('.zip/errors.json'))?.[1] ?? ''
    const rejected = { channel: 'session.login', code: 'bridge.invalid_arguments', count: 2 }
    expect(JSON.parse(errors)).toContainEqual(expect.objectContaining(rejected))
  })

  it('are in no file of the data directory if they are passwords or tokens', () => {
    const found = [...kept].filter(
      ([, content]) =>
        [password, wrongPassword, ...refreshTokens].some((secret) => content.includes(secret)) ||
        token.test(content),
    )
    expect(found.map(([name]) => name)).toEqual([])
  })

  it('are not in the log of the sandbox at any log level', () => {
    expect(serverLog.length).toBeGreaterThan(0)
    const log = serverLog.join('')
    for (const secret of [password, wrongPassword, hashSecret, ...refreshTokens])
      expect(log).not.toContain(secret)
    expect(log).not.toMatch(token)
  })

  it('are in the database of the sandbox and in no other file if they sign webhook notifications', () => {
    const holders = [...kept].filter(([, content]) => content.includes(hashSecret)).map(([name]) => name)
    expect(holders.length).toBeGreaterThan(0)
    expect(holders.filter((name) => !name.startsWith('sandbox/middleware.db'))).toEqual([])
  })
})

/** Replaces the password of the demo by a secret of this test, because the demo's own password is public. */
async function changePassword(databaseFile: string): Promise<void> {
  const hash = await hashPassword(password, { N: 2 ** 10, r: 8, p: 1 })
  const database = new Database(databaseFile)
  const { changes } = database
    .prepare('UPDATE users SET password_hash = ? WHERE username = ?')
    .run(hash, sandbox.username)
  database.close()
  expect(changes).toBe(1)
}

async function registerWebhook(url: string): Promise<void> {
  const codes = { 'X-Wms-Code': sandbox.wmsCode, 'X-Customer-Code': sandbox.customerCode }
  const post = async (path: string, body: object, headers = {}): Promise<unknown> => {
    const answer = await fetch(`${url}/${path}/`, {
      method: 'POST',
      headers: { ...codes, ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    const text = await answer.text()
    expect(answer.ok, text).toBe(true)
    return JSON.parse(text) as unknown
  }
  const login = tokens.parse(await post('wms/auth/login', { username: sandbox.username, password }))
  await post(
    'webhooks',
    {
      ...{ url: 'https://receiver.example.com/', group: 'shipment', action: 'updated' },
      hash_secret: hashSecret,
    },
    { Authorization: `Bearer ${login.token}` },
  )
}

/**
 * Returns the content of every file below a folder by its path, with bytes as Latin-1. The files in a zip file are
 * returned instead of the zip file.
 */
function filesBelow(folder: string): [string, string][] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).flatMap((name): [string, string][] => {
    const path = join(folder, name)
    if (!statSync(path).isFile()) return []
    const bytes = readFileSync(path)
    if (!name.endsWith('.zip')) return [[name, bytes.toString('latin1')]]
    return Object.entries(unzipSync(bytes)).map(([inner, content]) => [
      `${name}/${inner}`,
      strFromU8(content, true),
    ])
  })
}
