import { beforeEach, describe, expect, it, vi } from 'vitest'
import { LoginState } from '#features/login/login.state.svelte.ts'
import { StageState } from '#features/stage/stage.state.svelte.ts'
import { MemoryDesk } from '#bridge/memory-bridge.ts'
import { productionStation, sampleStatus, sandboxStation, signedIn } from '#bridge/sample-views.ts'
import { getLocale } from '#messages/runtime.js'
import { SoundPlayer } from '#scanner/sound.ts'
import { failure } from '#shared/errors/catalogue.ts'
import { AppState } from '../../../src/app/app-state.svelte.ts'
import { routeScan } from '../../../src/app/route-scan.ts'

let desk: MemoryDesk
let app: AppState

beforeEach(async () => {
  desk = new MemoryDesk()
  app = new AppState(desk.bridge)
  await app.load()
})

describe('the screen', () => {
  it('is the login until somebody is logged in', () => {
    expect(app.screen).toBe('login')
    app.signedIn(signedIn)
    expect(app.screen).toBe('stage')
  })

  it('stays the stage when the session expires, and asks for a login when told to', () => {
    app.start()
    app.signedIn(signedIn)
    desk.putSession({ ...signedIn, state: 'expired' })
    expect(app.screen).toBe('stage')
    app.openLogin()
    expect(app.screen).toBe('login')
    app.signedIn(signedIn)
    expect(app.screen).toBe('stage')
  })

  it('is the login again after a logout', async () => {
    app.signedIn(signedIn)
    await app.logout()
    expect(app.screen).toBe('login')
  })

  it('is the setup once, when the command line names another server', async () => {
    desk.world.info = { ...desk.world.info, suggestedServer: 'https://wms.example.com' }
    await app.load()
    expect(app.screen).toBe('setup')
    app.back()
    await app.load()
    expect(app.screen).toBe('login')
  })

  it('is still starting, with the reason, where there is no station', async () => {
    desk.world.failures['station:current'] = failure('station.none')
    const fresh = new AppState(desk.bridge)
    await fresh.load()
    expect(fresh.screen).toBe('starting')
    expect(fresh.failure?.code).toBe('station.none')
  })
})

it('follows status and stops following', () => {
  const stop = app.start()
  const offline = {
    ...sampleStatus(0),
    line: { state: 'offline' as const, since: new Date(0).toISOString() },
  }
  desk.emit('status', offline)
  expect(app.status?.line.state).toBe('offline')
  stop()
  desk.emit('status', sampleStatus(0))
  expect(app.status?.line.state).toBe('offline')
})

it('loads everything anew for another station', async () => {
  desk.world.stations = [sandboxStation, productionStation]
  desk.world.currentStation = productionStation.id
  app.openSetup()
  await app.stationUsed()
  expect(app.station?.environment).toBe('production')
  expect(app.screen).toBe('login')
})

it('changes the language of every message, and keeps it in main', async () => {
  await app.switchLanguage()
  expect(getLocale()).toBe('nl')
  expect(desk.world.info.language).toBe('nl')
  await app.switchLanguage()
  expect(getLocale()).toBe('en')
})

describe('a scan before the login', () => {
  it('reaches no parcel, and is answered; commands work', async () => {
    const login = new LoginState(desk.bridge, (session) => {
      app.signedIn(session)
    })
    login.prefill(sandboxStation)
    const sounds = new SoundPlayer()
    const play = vi.spyOn(sounds, 'play').mockReturnValue()
    const stage = new StageState({
      bridge: desk.bridge,
      session: () => signedIn,
      play: () => undefined,
      onCommand: () => undefined,
    })
    const places = { app, login, stage, sounds }
    routeScan('SHP00000000412', places)
    expect(desk.calls).not.toContain('scan:submit')
    expect(login.scanned).toBe(true)
    expect(play).toHaveBeenCalledWith('look')
    routeScan('SDCMDPRIMARY', places)
    await vi.waitFor(() => {
      expect(app.screen).toBe('stage')
    })
    routeScan('SHP00000000412', places)
    expect(desk.calls).toContain('scan:submit')
  })
})
