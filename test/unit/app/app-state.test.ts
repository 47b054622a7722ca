import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { useCommandsOf } from '#place/station-commands.svelte.ts'
import { getLocale } from '#messages/runtime.js'
import { languageCodes } from '#shared/domain/languages.ts'
import { failure } from '#shared/errors/catalogue.ts'
import { MemoryDesk } from '#support/memory-desk/memory-desk.ts'
import {
  brokenProvisioning,
  lostSettings,
  productionStation,
  sampleStatus,
  sandboxStation,
  signedIn,
} from '#support/memory-desk/station.ts'
import { AppState } from '../../../src/app/app-state.svelte.ts'
import { useLanguage } from '../../../src/app/language.svelte.ts'
import { heard } from '#support/desk-window.ts'
import { ScanLine } from '../../../src/app/scan-line.ts'
import { DeskWindow } from '../../../src/app/window.svelte.ts'

let desk: MemoryDesk
let app: AppState

afterEach(() => {
  useLanguage('en')
  useCommandsOf(null)
})

beforeEach(async () => {
  desk = new MemoryDesk()
  app = new AppState(desk.bridge)
  await app.load()
})

describe('AppState while it reads the state of the window', () => {
  it('keeps the session of a login that ends after the older session was read', async () => {
    const slow = Promise.withResolvers<undefined>()
    const { info } = desk.bridge.app
    vi.spyOn(desk.bridge.app, 'info').mockImplementation(async (...args) => {
      await slow.promise
      return info(...args)
    })
    const loaded = app.load()
    await new Promise((resolve) => setTimeout(resolve))
    expect(app.screen).toBe('login')
    app.signedIn(signedIn)
    slow.resolve(undefined)
    await loaded
    expect(app.screen).toBe('stage')
  })
})

describe('AppState after the settings were lost or the set-up file was refused', () => {
  const notices = [
    { refused: null, lost: lostSettings(0) },
    { refused: brokenProvisioning(), lost: null },
  ]

  it.each(notices)(
    'stays on the login screen even if an operator is logged in at the sandbox',
    async (notice) => {
      desk.world.setupNotice = notice
      desk.putSession(signedIn)
      await app.load()
      expect(app).toMatchObject({ isHeld: true, screen: 'login', notice })
      desk.putSession({ ...signedIn, state: 'expired' })
      await app.load()
      app.openLogin()
      expect(app.behind).toBeNull()
    },
  )

  it('shows the stage, and keeps the notice, when an operator is logged in at a station that is not the sandbox', async () => {
    desk.world.setupNotice = { refused: brokenProvisioning(), lost: null }
    desk.world.stations = [productionStation]
    desk.world.currentStation = productionStation.id
    desk.putSession(signedIn)
    await app.load()
    expect(app).toMatchObject({ isHeld: false, screen: 'stage' })
    expect(app.notice?.refused).not.toBeNull()
  })

  it('removes the notice, and no longer holds operators on the login screen, after the notice is acknowledged', async () => {
    desk.world.setupNotice = { refused: brokenProvisioning(), lost: lostSettings(0) }
    await app.load()
    await app.acknowledgeSetup()
    expect(app).toMatchObject({ isHeld: false, notice: null, screen: 'login' })
  })

  it('keeps the operator on the login screen of the sandbox when the notice cannot be acknowledged', async () => {
    desk.world.setupNotice = { refused: brokenProvisioning(), lost: null }
    await app.load()
    desk.world.failures['app:acknowledgeSetup'] = failure('internal.unexpected')
    await app.acknowledgeSetup()
    expect(app.isHeld).toBe(true)
  })
})

describe('the screen of AppState', () => {
  it('is the login until an operator is logged in', () => {
    expect(app.screen).toBe('login')
    app.signedIn(signedIn)
    expect(app.screen).toBe('stage')
  })

  it('remains the stage when the session expires, and becomes the login when the operator opens the login', () => {
    app.start()
    app.signedIn(signedIn)
    desk.putSession({ ...signedIn, state: 'expired' })
    expect(app.screen).toBe('stage')
    app.openLogin()
    expect(app.screen).toBe('login')
    app.signedIn(signedIn)
    expect(app.screen).toBe('stage')
  })

  it('changes, when the set-up closes, to the screen from which the set-up was opened', () => {
    app.start()
    app.openSetup()
    expect(app.behind).toBe('login')
    app.back()
    expect([app.screen, app.behind]).toEqual(['login', null])
    app.signedIn(signedIn)
    app.openSetup()
    expect(app.behind).toBe('stage')
    app.back()
    desk.putSession({ ...signedIn, state: 'expired' })
    app.openLogin()
    expect(app.behind).toBe('stage')
    app.openSetup()
    expect(app.behind).toBe('login')
    app.back()
    expect([app.screen, app.behind]).toEqual(['login', 'stage'])
    app.back()
    expect(app.screen).toBe('stage')
  })

  it('becomes the login again after a logout', async () => {
    app.signedIn(signedIn)
    await app.logout()
    expect(app.screen).toBe('login')
  })

  it('remains the set-up when the operator opened it before the response to the logout arrived', async () => {
    // the event that reports the logout arrives before the response to the logout
    const { promise, resolve: answer } = Promise.withResolvers<null>()
    const { session } = desk.bridge
    const slow = new AppState({
      ...desk.bridge,
      session: {
        ...session,
        logout: async () => {
          const result = await session.logout()
          await promise
          return result
        },
      },
    })
    slow.start()
    await slow.load()
    slow.signedIn(signedIn)
    const leaving = slow.logout()
    await vi.waitFor(() => expect(slow.screen).toBe('login'))
    slow.openSetup()
    answer(null)
    await leaving
    expect(slow.screen).toBe('setup')
  })

  it('if the command line names another server, is the set-up at the first load, but not at later loads', async () => {
    desk.world.info = { ...desk.world.info, suggestedServer: 'https://wms.example.com' }
    await app.load()
    expect(app.screen).toBe('setup')
    app.back()
    await app.load()
    expect(app.screen).toBe('login')
  })

  it('remains the start screen and shows the reason when no station can be read', async () => {
    desk.world.failures['station:current'] = failure('station.none')
    const fresh = new AppState(desk.bridge)
    await fresh.load()
    expect(fresh.screen).toBe('starting')
    expect(fresh.failure?.code).toBe('station.none')
  })
})

describe('AppState', () => {
  it('follows the status that the desk reports until AppState is stopped', () => {
    const stop = app.start()
    const offline = {
      ...sampleStatus(0),
      line: { state: 'offline' as const, since: new Date(0).toISOString(), failure: null },
    }
    desk.emit('status', offline)
    expect(app.status?.line.state).toBe('offline')
    stop()
    desk.emit('status', sampleStatus(0))
    expect(app.status?.line.state).toBe('offline')
  })

  it('reads the station again, and shows the login, when the desk uses another station', async () => {
    desk.world.stations = [sandboxStation, productionStation]
    desk.world.currentStation = productionStation.id
    app.openSetup()
    await app.stationUsed()
    expect(app.station?.environment).toBe('production')
    expect(app.screen).toBe('login')
  })

  it('sends the id of the shown station with each call, and reads its own state again if main refuses a call because another station is open', async () => {
    const heard: unknown[] = []
    const { scan, session } = desk.bridge
    const bound = new AppState({
      ...desk.bridge,
      scan: { ...scan, submit: (args, station) => (heard.push(station), scan.submit(args)) },
      session: { ...session, logout: (_, station) => (heard.push(station), session.logout()) },
    })
    await bound.load()
    desk.world.stations = [sandboxStation, productionStation]
    desk.world.currentStation = productionStation.id
    desk.world.failures['scan:submit'] = failure('station.changed')
    expect(await bound.bridge.scan.submit({ raw: 'A', expect: 'anything' })).toMatchObject({ ok: false })
    await vi.waitFor(() => expect(bound.station?.id).toBe(productionStation.id))
    await bound.logout()
    expect(heard).toEqual([sandboxStation.id, productionStation.id])
  })

  it('shows no session of the previous station if the desk of the next station cannot be opened', async () => {
    app.signedIn(signedIn)
    desk.world.stations = [sandboxStation, productionStation]
    desk.world.currentStation = productionStation.id
    desk.world.failures['session:state'] = failure('store.unavailable')
    await app.load()
    expect(app).toMatchObject({ session: null, screen: 'starting', failure: { code: 'store.unavailable' } })
  })

  it('changes the language of all messages, and stores the chosen language in main', async () => {
    for (const language of [...languageCodes.slice(1), 'en']) {
      await app.switchLanguage()
      expect(getLocale()).toBe(language)
      expect(desk.world.info.settings.language).toBe(language)
    }
  })
})

describe('a scan before the login', () => {
  it('of a parcel or of BOOK is not looked up, and causes a notice and a sound; a scan of PRIMARY logs in', async () => {
    const play = vi.fn<(sound: string) => void>()
    const window = new DeskWindow(desk.bridge, play)
    const scans = new ScanLine(window)
    await window.app.load()
    window.login.prefill(sandboxStation)
    scans.take(heard('SHP00000000412'))
    scans.take(heard('SDCMDBOOK'))
    expect(desk.calls).not.toContain('scan:submit')
    expect(window.login.scanned).toBe(true)
    expect(play).toHaveBeenCalledWith('look')
    scans.take(heard('SDCMDPRIMARY'))
    await vi.waitFor(() => {
      expect(window.app.screen).toBe('stage')
    })
    scans.take(heard('SHP00000000412'))
    expect(desk.calls).toContain('scan:submit')
  })
})
