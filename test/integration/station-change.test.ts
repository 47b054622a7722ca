import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { LabelFormState } from '#features/labels/label-form.state.svelte.ts'
import { LoginState } from '#features/login/login.state.svelte.ts'
import { createFolderPrinter } from '#printing/folder-printer.ts'
import { createPrinterBoard } from '#printing/printer-board.ts'
import { createLogger } from '#kit/logger.ts'
import { channelName, channels, type Domain } from '#shared/bridge/channels.ts'
import type { ScandeskBridge } from '#shared/bridge/contract.ts'
import type { StationView } from '#shared/bridge/views.ts'
import { fail, ok, type Result } from '#shared/errors/result.ts'
import { callLogInto } from '#support/call-log.ts'
import { DeskBench, eventually, memorySecrets, quickOptions } from '#support/desk-bench.ts'
import { byHand } from '#support/label-wishes.ts'
import { MemoryDesk } from '#support/memory-desk/memory-desk.ts'
import { pcSettings } from '#support/pc-settings.ts'
import { ScriptedService } from '#support/scripted-service.ts'
import { composeDesk } from '../../electron/compose-desk.ts'
import { DeskHost } from '../../electron/main/desk-host.ts'
import { scopeOf, Stations } from '../../electron/main/stations.ts'
import { AppState } from '../../src/app/app-state.svelte.ts'

type Handler = (event: unknown, args: unknown, station?: unknown) => Promise<Result<unknown>>

const handlers = new Map<string, Handler>()
vi.mock('electron', () => ({
  ipcMain: { handle: (channel: string, handler: Handler) => void handlers.set(channel, handler) },
}))
const { bindDomain } = await import('../../electron/main/ipc/bind.ts')
const { deskHandlers } = await import('../../electron/main/ipc/desk.ipc.ts')
const { stationHandlers } = await import('../../electron/main/ipc/main.ipc.ts')

let alder: ScriptedService
let birch: ScriptedService
let bench: DeskBench
let host: DeskHost
let stations: Stations
/** Called when a desk is to be closed. The desk closes only after the returned promise has resolved. */
let onClose: () => Promise<unknown>
let app: AppState
let login: LoginState

beforeEach(async () => {
  alder = new ScriptedService()
  birch = new ScriptedService()
  await Promise.all([alder.start(), birch.start()])
  bench = await DeskBench.create()
  onClose = () => Promise.resolve()
  stations = new Stations(pcSettings())
  host = new DeskHost(
    async (station) => {
      const desk = await composeDesk({
        ...quickOptions,
        // the usual time limits, because no test here waits for one
        timeouts: {},
        dataDir: bench.dataDir,
        scope: scopeOf(station),
        embedded: () => null,
        secrets: memorySecrets(bench.secrets),
        printers: createPrinterBoard([createFolderPrinter('folder', bench.printFolder)]),
        logger: createLogger('test', { level: 'debug', destination: { write: () => undefined } }),
      })
      const close = async (): Promise<void> => {
        await onClose()
        await desk.close()
      }
      return { ...desk, close }
    },
    () => undefined,
  )
  const settings = { update: () => undefined }
  const addresses = { confirmService: () => Promise.resolve(ok(undefined)), forgetUnused: () => undefined }
  const testConnection = (): never => {
    throw new Error('not tested')
  }
  const main = {
    ...deskHandlers({ host, settings, stations }),
    station: stationHandlers({ stations, host, addresses, testConnection }),
  }
  const domains = Object.keys(main) as (keyof typeof main)[]
  for (const domain of domains) bindDomain<Domain>(domain, main[domain], callLogInto())
  // the bridge calls the handlers in `main` as the preload script does; the in-memory desk serves all other domains
  const event = { senderFrame: { parent: null, url: 'app://desk/index.html' } }
  const bound = domains.map((domain) => {
    const calls = channels[domain].map((method) => [
      method,
      (args: unknown, station?: unknown) => handlers.get(channelName(domain, method))?.(event, args, station),
    ])
    return [domain, Object.fromEntries(calls)] as const
  })
  const bridge = { ...new MemoryDesk().bridge, ...(Object.fromEntries(bound) as Partial<ScandeskBridge>) }
  app = new AppState(bridge)
  login = new LoginState(app.bridge, (session) => {
    app.signedIn(session)
  })
})

afterEach(async () => {
  await host.close()
  await bench.dispose()
  await Promise.all([alder.stop(), birch.stop()])
})

/** Saves a station with the address of the service, and returns the station. */
function saved(service: ScriptedService, customerCode: string): StationView {
  const draft = { name: customerCode, baseUrl: service.url, wmsCode: 'DEV', documentHosts: '' }
  const station = stations.save({ ...draft, customerCode })
  if (!station.ok) throw new Error(station.error.code)
  return station.value
}

/**
 * Uses the station ALDER and fills in the login form for it. Returns the station BIRCH, which is saved but not used
 * yet.
 */
async function openAtAlder(): Promise<StationView> {
  const { id } = saved(alder, 'ALDER')
  const next = saved(birch, 'BIRCH')
  await app.bridge.station.use({ id })
  await app.load()
  if (app.station) login.prefill(app.station)
  return next
}

/**
 * Begins to use the station. Resolves when the close of the previous station's desk has begun. The returned function
 * lets the previous station's desk close, and resolves when the station is in use.
 */
async function beginUse({ id }: StationView): Promise<() => Promise<void>> {
  const held = Promise.withResolvers<undefined>()
  const closing = Promise.withResolvers<undefined>()
  onClose = () => {
    closing.resolve(undefined)
    return held.promise
  }
  const used = app.bridge.station.use({ id })
  await closing.promise
  return async () => {
    held.resolve(undefined)
    expect(await used).toMatchObject({ ok: true })
  }
}

it('a login that is typed for a station never goes to the server of the station that is used next', async () => {
  const end = await beginUse(await openAtAlder())
  login.username = 'sam-of-alder'
  login.password = 'secret-of-alder'
  const early = login.submit()
  await end()
  await early
  expect(login.failure?.code).toBe('station.changed')
  // after the refused login the window shows the next station, BIRCH, but the login form still belongs to the station
  // before, ALDER
  await eventually(() => app.station?.customerCode === 'BIRCH')
  await login.submit()
  expect(login.failure?.code).toBe('station.changed')
  expect([alder, birch].map((service) => service.count('POST', /login/))).toEqual([0, 0])
  expect(app).toMatchObject({ screen: 'login', failure: null })

  if (app.station) login.prefill(app.station)
  login.username = 'beth'
  login.password = 'right'
  await login.submit()
  expect([alder, birch].map((service) => service.count('POST', /login/))).toEqual([0, 1])
  expect(app.screen).toBe('stage')
})

it('a call to make a label fails while another station is being opened, and neither of the two stations makes the label', async () => {
  const next = await openAtAlder()
  login.username = 'sam'
  login.password = 'right'
  await login.submit()
  const end = await beginUse(next)
  const make = { mode: byHand('ALDER-REF-1'), request: false, seen: null }
  const early = app.bridge.returnLabel.make(make)
  const scan = app.bridge.scan.submit({ raw: '3SALDER1', expect: 'anything' })
  await end()
  expect(await early).toEqual(fail('station.changed'))
  expect(await scan).toEqual(fail('station.changed'))
  await eventually(() => app.station?.customerCode === 'BIRCH')
  expect(app).toMatchObject({ screen: 'login', session: { state: 'signed_out' } })
  expect(await app.bridge.returnLabel.recent()).toEqual(ok([]))
  expect(await app.bridge.scan.recent()).toEqual(ok([]))
  for (const service of [alder, birch]) expect(service.count('POST', /return-labels/)).toBe(0)
  expect(birch.calls.filter(({ method }) => method === 'POST')).toEqual([])
})

it('a label stays in the queue of the station at which it was made if another station is opened before the label is sent', async () => {
  const next = await openAtAlder()
  login.username = 'sam'
  login.password = 'right'
  await login.submit()
  alder.script = ({ method }) => (method === 'POST' ? 'reset_before' : null)
  const early = app.bridge.returnLabel.make({ mode: byHand('ALDER-REF-1'), request: false, seen: null })
  const end = await beginUse(next)
  await end()
  expect(await early).toMatchObject({ ok: true })
  const desk = await host.desk()
  const [first] = stations.list().filter(({ customerCode }) => customerCode === 'ALDER')
  expect(first && desk.waitingAt(scopeOf(first))).toBe(1)
})

it('an address that is typed while another station is opened is never saved as the draft of that station', async () => {
  const next = await openAtAlder()
  const form = new LabelFormState({
    bridge: app.bridge,
    stationId: () => app.stationId(),
    session: () => ({ state: 'signed_out', username: null, roles: [], customer: null, keepsLogin: true }),
    play: () => undefined,
    onDone: () => undefined,
    onCancel: () => undefined,
  })
  await form.open({ kind: 'hand' })
  const end = await beginUse(next)
  form.type('addressed_to', 'Anna of Alder')
  await end()
  await app.stationUsed()
  expect(app.station?.customerCode).toBe('BIRCH')
  await form.reset()
  expect(await app.bridge.returnLabel.readDraft()).toEqual(ok(null))
})
