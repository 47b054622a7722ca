import { beforeEach, describe, expect, it, vi } from 'vitest'
import { ok, type Result } from '#shared/errors/result.ts'
import type { PrinterPort } from '#desk/ports/printers.ts'
import type { PrinterEntry } from '#shared/bridge/printer-views.ts'
import type { StationView } from '#shared/bridge/views.ts'
import { ConfirmedAddresses } from '../../../electron/main/confirmed-addresses.ts'
import type { DeskHost } from '../../../electron/main/desk-host.ts'
import { Printers } from '../../../electron/main/printers.ts'
import { Stations } from '../../../electron/main/stations.ts'
import { callLogInto } from '#support/call-log.ts'
import { pcSettings } from '#support/pc-settings.ts'

type Answer = Promise<Result<unknown>> | Result<unknown>
type Handler = (event: unknown, args?: unknown, station?: unknown) => Answer

const handlers = new Map<string, Handler>()
vi.mock('electron', () => ({
  ipcMain: { handle: (channel: string, handler: Handler) => void handlers.set(channel, handler) },
}))
// the modules are loaded again, because test files of one worker share modules and this file has its own electron mock
vi.resetModules()
const { bindDomain } = await import('../../../electron/main/ipc/bind.ts')
const { deskHandlers } = await import('../../../electron/main/ipc/desk.ipc.ts')
const { printerHandlers, stationHandlers } = await import('../../../electron/main/ipc/main.ipc.ts')

const call = async (channel: string, args?: unknown, station?: unknown): Promise<unknown> => {
  const event = { senderFrame: { parent: null, url: 'app://desk/index.html' } }
  const result = await handlers.get(channel)?.(event, args, station)
  return result?.ok === false ? result.error.code : 'taken'
}

const signedOut = { state: 'signed_out', username: null, roles: [], customer: null, keepsLogin: false }
let logins: number
let stations: Stations
let opened: string[]
let isConfirmed: boolean
let printersOf: () => readonly PrinterEntry[]

beforeEach(() => {
  logins = 0
  opened = []
  isConfirmed = false
  const stored = pcSettings()
  printersOf = () => stored.read().printers
  stations = new Stations(stored)
  const session = { login: () => (logins++, Promise.resolve(ok(signedOut))) }
  const host = {
    desk: () =>
      Promise.resolve({
        session,
        waitingAt: () => 0,
        forgetStation: () => Promise.resolve(),
        printersChanged: () => undefined,
      }),
    open: ({ baseUrl }: StationView) => (opened.push(baseUrl), Promise.resolve()),
    isAt: (id: string) => id === stations.current().id,
  } as unknown as DeskHost
  const log = callLogInto()
  const testConnection = (): never => {
    throw new Error('not tested')
  }
  const settings = { update: () => undefined }
  bindDomain('session', deskHandlers({ host, settings, stations }).session, log)
  const addresses = new ConfirmedAddresses({ settings: stored, ask: () => Promise.resolve(isConfirmed) })
  bindDomain('station', stationHandlers({ stations, host, addresses, testConnection }), log)
  const printers = new Printers(stored, () => ({}) as PrinterPort)
  const createPrinter = (): never => {
    throw new Error('not tested')
  }
  bindDomain('printer', printerHandlers({ printers, createPrinter, host, addresses }), log)
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
  it('cannot use a station that it saved, or save a network printer, before a person confirms the address', async () => {
    const saved = stations.save(draft('own') as never)
    const use = { id: saved.ok ? saved.value.id : '' }
    const zpl = { kind: 'zpl', host: 'desk.example', port: 9100, dpi: 203, widthMm: 104, media: 'label' }
    const settings = { ...zpl, darkness: null, inchesPerSecond: null, graphics: 'z64' }
    const layout = { turn: 'auto', offsetXMm: 0, offsetYMm: 0 }
    const setup = { printers: [{ id: 'own', title: 'Own', settings, layout }], routes: [] }
    expect(await call('station:use', use)).toBe('setup.not_confirmed')
    expect(await call('printer:save', setup)).toBe('setup.not_confirmed')
    expect([opened, stations.current().id, printersOf()[0]?.id]).toEqual([[], 'sandbox', 'folder'])
    expect(await call('station:use', { id: 'sandbox' })).toBe('taken')
    isConfirmed = true
    expect(await call('station:use', use)).toBe('taken')
    expect(await call('printer:save', setup)).toBe('taken')
    expect([opened, printersOf()[0]?.id]).toEqual([['embedded:', 'https://desk.example/own'], 'own'])
  })

  it('needs a new confirmation of an address after the station with this address was removed', async () => {
    isConfirmed = true
    const saved = stations.save(draft('own') as never)
    const use = { id: saved.ok ? saved.value.id : '' }
    await call('station:use', use)
    stations.use('sandbox')
    expect(await call('station:remove', use)).toBe('taken')
    isConfirmed = false
    const again = stations.save(draft('own') as never)
    expect(await call('station:use', { id: again.ok ? again.value.id : '' })).toBe('setup.not_confirmed')
  })

  it('can log in at most ten times in a minute at a saved station', async () => {
    const saved = stations.save(draft('own') as never)
    stations.use(saved.ok ? saved.value.id : '')
    const results: unknown[] = []
    for (let count = 0; count < 12; count++) results.push(await logIn())
    expect(results.slice(0, 10)).toEqual(Array.from({ length: 10 }, () => 'taken'))
    expect(results.slice(10)).toEqual(['session.too_many_logins', 'session.too_many_logins'])
    expect(logins).toBe(10)
  })

  it('can log in at the sandbox more than ten times in a minute, because the sandbox runs on this PC', async () => {
    for (let count = 0; count < 12; count++) expect(await logIn()).toBe('taken')
  })

  it('can add at most ten stations in a minute, even if it removes them, but can still change a station', async () => {
    for (let count = 0; count < 10; count++) {
      expect(await call('station:save', draft(`data-${count}`))).toBe('taken')
      for (const { id } of stations.list().slice(2)) stations.remove(id)
    }
    expect(await call('station:save', draft('data-10'))).toBe('station.too_many_new')
    expect(stations.list().map(({ baseUrl }) => baseUrl)).not.toContain('https://desk.example/data-10')
    expect(await call('station:save', { ...draft('data-0'), name: 'Another name' })).toBe('taken')
  })
  it('can add a printer at most ten times in a minute, but can save the same printers more often', async () => {
    const [folder] = printersOf()
    if (!folder) throw new Error('there is no printer')
    const setup = (id: string): object => ({ printers: [{ ...folder, id }], routes: [] })
    for (let count = 0; count < 10; count++)
      expect(await call('printer:save', setup(`folder-${String(count)}`))).toBe('taken')
    expect(await call('printer:save', setup('folder-10'))).toBe('printer.too_many_new')
    for (let count = 0; count < 20; count++)
      expect(await call('printer:save', setup('folder-9'))).toBe('taken')
  })
})

it('the routes that a page sends for a station are not saved for the station that is used next', async () => {
  const saved = stations.save(draft('next') as never)
  const setup = { printers: printersOf(), routes: [] }
  expect(await call('printer:save', setup, 'sandbox')).toBe('taken')
  stations.use(saved.ok ? saved.value.id : '')
  expect(await call('printer:save', setup, 'sandbox')).toBe('station.changed')
  expect(await call('printer:save', setup, stations.current().id)).toBe('taken')
})
