import { beforeEach, describe, expect, it, vi } from 'vitest'
import { ok, type Result } from '#shared/errors/result.ts'
import type { DeskHost } from '../../../electron/main/desk-host.ts'
import { Stations } from '../../../electron/main/stations.ts'
import { callLogInto } from '#support/call-log.ts'
import { pcSettings } from '#support/pc-settings.ts'

type Handler = (event: unknown, args?: unknown) => Promise<Result<unknown>> | Result<unknown>

const handlers = new Map<string, Handler>()
vi.mock('electron', () => ({
  ipcMain: { handle: (channel: string, handler: Handler) => void handlers.set(channel, handler) },
}))
// test files of one worker share modules, but each has its own electron mock
vi.resetModules()
const { bindDomain } = await import('../../../electron/main/ipc/bind.ts')
const { deskHandlers } = await import('../../../electron/main/ipc/desk.ipc.ts')
const { stationHandlers } = await import('../../../electron/main/ipc/station.ipc.ts')

const call = async (channel: string, args?: unknown): Promise<unknown> => {
  const event = { senderFrame: { parent: null, url: 'app://desk/index.html' } }
  const result = await handlers.get(channel)?.(event, args)
  return result?.ok === false ? result.error.code : 'taken'
}

const signedOut = { state: 'signed_out', username: null, roles: [], customer: null, keepsLogin: false }
let logins: number
let stations: Stations

beforeEach(() => {
  logins = 0
  stations = new Stations(pcSettings())
  const session = { login: () => (logins++, Promise.resolve(ok(signedOut))) }
  const host = {
    desk: () => Promise.resolve({ session }),
    open: () => Promise.resolve(),
  } as unknown as DeskHost
  const log = callLogInto()
  const testConnection = (): never => {
    throw new Error('not tested')
  }
  const settings = { update: () => undefined }
  bindDomain('session', deskHandlers({ host, settings, stations }).session, log)
  bindDomain('station', stationHandlers({ stations, host, testConnection }), log)
})

const draft = (path: string): Record<string, string> => ({
  name: path,
  baseUrl: `https://desk.example/${path}`,
  wmsCode: 'W',
  customerCode: 'C',
  documentHosts: '',
})
const logIn = (): Promise<unknown> => call('session:login', { username: 'what it', password: 'knows' })

describe('a compromised page', () => {
  it('can log in ten times in a minute at a saved station, and no more', async () => {
    const saved = stations.save(draft('own') as never)
    stations.use(saved.ok ? saved.value.id : '')
    const results: unknown[] = []
    for (let count = 0; count < 12; count++) results.push(await logIn())
    expect(results.slice(0, 10)).toEqual(Array.from({ length: 10 }, () => 'taken'))
    expect(results.slice(10)).toEqual(['session.too_many_logins', 'session.too_many_logins'])
    expect(logins).toBe(10)
  })

  it('can log in at the sandbox without a limit, because that is a process of this PC', async () => {
    for (let count = 0; count < 12; count++) expect(await logIn()).toBe('taken')
  })

  it('can add ten stations in a minute, removed ones counted, and change existing ones', async () => {
    for (let count = 0; count < 10; count++) {
      expect(await call('station:save', draft(`data-${count}`))).toBe('taken')
      for (const { id } of stations.list().slice(2)) stations.remove(id)
    }
    expect(await call('station:save', draft('data-10'))).toBe('station.too_many_new')
    expect(stations.list().map(({ baseUrl }) => baseUrl)).not.toContain('https://desk.example/data-10')
    expect(await call('station:save', { ...draft('data-0'), name: 'Another name' })).toBe('taken')
  })
})
