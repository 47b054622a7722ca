import { once } from 'node:events'
import { mkdtempSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { launch, readLog, removeAll, windowOf, type Started } from '#stand-in/probe/launch.ts'
import { scan } from '#support/scan.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

let dataDir: string
let first: Started
const reached: string[] = []
const outside = createServer((request, response) => {
  reached.push(request.url ?? '')
  response.end('outside')
})
let outsideUrl: string

beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'stand-in-'))
  outside.listen(0, '127.0.0.1')
  await once(outside, 'listening')
  const address = outside.address()
  outsideUrl = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`
  first = await launch(dataDir)
})

afterAll(async () => {
  await first.app.close()
  outside.closeAllConnections()
  outside.close()
  removeAll(dataDir)
})

describe('the app module of the stand-in for Electron', () => {
  it('returns its name, version, locale and windows', async () => {
    const { app, page } = first
    const facts = await app.evaluate(({ app, BrowserWindow }) => ({
      name: app.getName(),
      version: app.getVersion(),
      packaged: app.isPackaged,
      locale: app.getLocale(),
      size: BrowserWindow.getAllWindows()[0]?.getContentSize(),
    }))
    expect(facts).toEqual({
      name: 'Probe',
      version: '9.8.7',
      packaged: false,
      locale: 'nl',
      size: [640, 400],
    })
    expect(await page.evaluate(() => [innerWidth, innerHeight])).toEqual([640, 400])
    const languages = await page.evaluate(() => [
      navigator.language,
      new Intl.NumberFormat().resolvedOptions().locale,
    ])
    expect(languages).toEqual(['nl', 'nl'])
    expect((await page.screenshot()).length).toBeGreaterThan(1000)
    const window = await windowOf(first)
    expect(await window.evaluate((it) => it.isVisible())).toBe(true)
    await expect.poll(() => window.evaluate((it) => it.getTitle())).toBe('Probe')
    expect(
      await window.evaluate(async (it) => (await it.webContents.printToPDF({})).toString('latin1', 0, 5)),
    ).toBe('%PDF-')
    expect(await window.evaluate(async (it) => (await it.capturePage()).getSize())).toEqual({
      width: 640,
      height: 400,
    })
  })

  it('applies to the page the full screen mode, window size and color scheme that main sets', async () => {
    const { app, page } = first
    const window = await windowOf(first)
    await window.evaluate((it) => it.setFullScreen(true))
    await expect.poll(() => page.evaluate(() => innerWidth)).toBe(1280)
    await window.evaluate((it) => it.setFullScreen(false))
    await window.evaluate((it) => it.setSize(700, 500))
    await expect.poll(() => page.evaluate(() => [innerWidth, innerHeight])).toEqual([700, 500])
    const dark = (): Promise<boolean> =>
      page.evaluate(() => matchMedia('(prefers-color-scheme: dark)').matches)
    expect(await dark()).toBe(false)
    await app.evaluate(({ nativeTheme }) => {
      nativeTheme.themeSource = 'dark'
    })
    await expect.poll(dark).toBe(true)
  })

  it('passes the keys of a scan of any printable ASCII text to the page at their exact times', async () => {
    const { page } = first
    const printable = String.fromCharCode(...Array.from({ length: 95 }, (_, index) => 32 + index))
    await page.locator('#code').focus()
    await scan(page, `${printable}\x1d`, { gapMs: 7 })
    expect(await page.locator('#code').inputValue()).toBe(printable)
    const keys = await page.evaluate(() => window.keys)
    const typing = keys.filter(([key]) => key !== 'Shift' && key !== 'Control')
    expect(typing.map(([key]) => key)).toEqual([...Array.from(printable), ']', 'Enter'])
    expect(typing.at(-2)?.[1]).toBe('BracketRight')
    expect(keys.filter(([key]) => key === 'Shift')).toHaveLength(26 + 21)
    expect(keys.every(([, , , trusted]) => trusted)).toBe(true)
    const gaps = typing.slice(1).map(([, , stamp], index) => stamp - (typing[index]?.[2] ?? 0))
    expect(Math.max(...gaps.map((gap) => Math.abs(gap - 7)))).toBeLessThan(0.2)
  })

  it('keeps a window open if a listener prevents its close, even if the app tries to quit', async () => {
    const heard = await first.app.evaluate(async ({ app, BrowserWindow }) => {
      const events: string[] = []
      const [window] = BrowserWindow.getAllWindows()
      const keep = (event: { preventDefault(): void }): void => {
        events.push('close')
        event.preventDefault()
      }
      const note = (): void => void events.push('before-quit')
      window?.on('close', keep)
      app.on('before-quit', note)
      window?.close()
      app.quit()
      await new Promise((resolve) => setTimeout(resolve, 100))
      window?.off('close', keep)
      app.off('before-quit', note)
      return [...events, window?.isDestroyed() === false && BrowserWindow.getAllWindows().length === 1]
    })
    expect(heard).toEqual(['close', 'before-quit', 'close', true])
  })

  it('throws if main calls an API that does nothing in the stand-in, unless STANDIN_INERT declares this API', async () => {
    const { app } = first
    const undeclared = app.evaluate(({ app }) => app.setBadgeCount(3))
    await expect(undeclared).rejects.toThrow('app.setBadgeCount does nothing')
    const unheard = app.evaluate(({ app }) => void app.on('certificate-error', () => undefined))
    await expect(unheard).rejects.toThrow('app.on:certificate-error does nothing')
    await app.evaluate(({ powerMonitor }) => void powerMonitor.on('suspend', () => undefined))
  })
})

describe('IPC of the stand-in for Electron', () => {
  it('transfers structured clones in both directions', async () => {
    const back = await first.page.evaluate(async () => {
      const cycle: Record<string, unknown> = {
        bytes: new Uint8Array([1, 2, 255]),
        floats: new Float64Array([0.5, -0]),
        map: new Map<string, unknown>([['a', new Set([1n])]]),
        date: new Date(86_400_000),
        error: new RangeError('no', { cause: 'why' }),
        numbers: [NaN, -0, Infinity],
        missing: undefined,
        text: 'ü€🙂',
        pattern: /x+/gi,
      }
      cycle['self'] = cycle
      Object.defineProperty(cycle, '__proto__', { value: 'data', enumerable: true })
      const { self, ...rest } = (await window.probe.invoke('echo', cycle)) as Record<string, unknown>
      const error = rest['error']
      return {
        ...rest,
        cyclic: (self as Record<string, unknown>)['self'] === self,
        plain: Object.getPrototypeOf(self) === Object.prototype,
        proto: Object.getOwnPropertyDescriptor(self, '__proto__')?.value as unknown,
        error: error instanceof RangeError && [error.message, error.cause],
      }
    })
    expect(back).toEqual({
      proto: 'data',
      bytes: new Uint8Array([1, 2, 255]),
      floats: new Float64Array([0.5, -0]),
      map: expect.anything() as unknown,
      date: new Date(86_400_000),
      error: ['no', 'why'],
      numbers: [NaN, -0, Infinity],
      missing: undefined,
      text: 'ü€🙂',
      pattern: /x+/gi,
      cyclic: true,
      plain: true,
    })
  })

  it('passes errors on with the same messages as Electron', async () => {
    const messages = await first.page.evaluate(async () => {
      const said = (error: unknown): string =>
        error instanceof Error ? error.message : `not an error: ${String(error)}`
      const symbol = async (): Promise<unknown> => await window.probe.invoke('echo', Symbol('x'))
      return {
        thrown: await window.probe.invoke('fail').then(() => '', said),
        unknown: await window.probe.invoke('nobody').then(() => '', said),
        answer: await window.probe.invoke('function').then(() => '', said),
        argument: await symbol().then(() => '', said),
      }
    })
    expect(messages).toEqual({
      thrown: "Error invoking remote method 'fail': TypeError: boom",
      unknown: "Error invoking remote method 'nobody': Error: No handler registered for 'nobody'",
      answer: 'An object could not be cloned.',
      argument: 'An object could not be cloned.',
    })
  })

  it('sends messages to the page, and reports the app:// address of the frame to main', async () => {
    const { page } = first
    const pong = await page.evaluate(
      () =>
        new Promise<unknown[]>((done) =>
          window.probe.pong((bytes, map) => done([bytes, map instanceof Map])),
        ),
    )
    expect(pong).toEqual([new Uint8Array([1, 2]), true])
    const frame = { url: 'app://probe/index.html', origin: 'app://probe', parent: null, isMain: true }
    expect(await page.evaluate(() => window.probe.invoke('frame'))).toEqual(frame)
    expect(await page.evaluate(() => window.probe.earlyFrame())).toEqual(frame)
    expect(page.url()).toBe('https://probe.app.standin.localhost/index.html')
  })
})

describe('context isolation of the stand-in for Electron', () => {
  it('hides Node, Electron and the preload from the scripts of the page', async () => {
    const seen = await first.page.evaluate(() => ({
      leaks: ['require', 'process', 'module', 'ipcRenderer', 'electron', 'Buffer'].filter(
        (name) => name in window,
      ),
      bindings: Object.getOwnPropertyNames(window).filter(
        (name) => name.startsWith('standin') && !name.endsWith('Started'),
      ),
      frozen: Object.isFrozen(window.probe),
      replaced: Reflect.set(window, 'probe', {}),
      canRequireNode: window.probe.canRequireNode,
      sync: window.probe.add(2, 3),
      callback: window.probe.twice((value) => value * 10),
      version: window.probe.version,
    }))
    const { version, ...rest } = seen
    expect(rest).toEqual({
      leaks: [],
      bindings: [],
      frozen: true,
      replaced: false,
      canRequireNode: false,
      sync: 5,
      callback: 100,
    })
    expect(version).toMatch(/^45\./)
  })
})

describe('the stand-in for Electron', () => {
  it('applies the content security policy of the response', async () => {
    const { page } = first
    const facts = await page.evaluate(async (url) => {
      const fetched = await fetch(url).then(
        () => 'fetched',
        () => 'refused',
      )
      const script = document.createElement('script')
      script.textContent = 'window.injectedRan = true'
      document.body.append(script)
      return { fetched, inline: window.inlineRan, injected: 'injectedRan' in window }
    }, `${outsideUrl}/fetch`)
    expect(facts).toEqual({ fetched: 'refused', inline: undefined, injected: false })
    await expect
      .poll(() => page.evaluate(() => window.violations))
      .toEqual(expect.arrayContaining(['connect-src', 'script-src-elem']))
    expect(
      await page.evaluate(async () => (await fetch('/post', { method: 'POST', body: 'ü' })).text()),
    ).toBe('Ü')
    const { requests } = await readLog(page)
    expect(requests).toContain('POST probe /post')
    expect(requests).not.toContain('GET probe /favicon.ico')
  })

  it('tells the app about a navigation, so that the app can prevent it, only if the page itself starts the navigation', async () => {
    const { page } = first
    const away = `${outsideUrl}/away`
    await page.evaluate((url) => void (location.href = url), away)
    await page.evaluate((url) => document.querySelector('#away')?.setAttribute('href', `${url}-click`), away)
    await page.locator('#away').click()
    await page.evaluate((url) => {
      const form = Object.assign(document.createElement('form'), { method: 'post', action: `${url}-form` })
      document.body.append(form)
      form.submit()
    }, away)
    await expect
      .poll(async () => (await readLog(page)).navigations)
      .toEqual([away, `${away}-click`, `${away}-form`])
    expect(reached).toEqual([])

    await page.evaluate(() => void (location.href = '/allowed?x#y'))
    await page.waitForURL(/allowed/)
    const { navigations } = await readLog(page)
    expect(navigations.at(-1)).toBe('app://probe/allowed?x#y')
    await page.goto('https://probe.app.standin.localhost/index.html')
    await page.reload()
    await page.waitForFunction(() => window.moduleRan === true)
    expect((await readLog(page)).navigations).toEqual(navigations)
  })

  it('refuses new windows from scripts and links', async () => {
    const { app, page } = first
    // Tries five times, because this test must also find a fault that occurs only sometimes. The fault is that the
    // script that tried to open a refused window does not continue.
    for (let round = 0; round < 5; round++) {
      await page.evaluate(() => (window.opened = window.open('https://example.invalid/popup')))
      await expect.poll(() => page.evaluate(() => window.opened?.closed ?? true)).toBe(true)
    }
    await page.locator('#popup').click()
    await expect.poll(async () => (await readLog(page)).windows.length).toBe(6)
    expect((await readLog(page)).windows.at(-1)).toBe('https://example.invalid/help')
    await expect.poll(() => app.windows().length).toBe(1)
  })

  it('opens a window that the app allows; the window has no preload if its options name none', async () => {
    const { app, page } = first
    await app.evaluate(({ BrowserWindow }) => {
      const contents = BrowserWindow.getAllWindows()[0]?.webContents
      contents?.setWindowOpenHandler(() => ({
        action: 'allow',
        overrideBrowserWindowOptions: { title: 'Own' },
      }))
    })
    const opening = app.waitForEvent('window')
    await page.evaluate(() => (window.opened = window.open('/allowed')))
    const popup = await opening
    await popup.waitForFunction(() => window.moduleRan === true)
    expect(await popup.evaluate(() => [location.pathname, 'probe' in window])).toEqual(['/allowed', false])
    const windows = (): Promise<number> =>
      app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows().length)
    expect(await windows()).toBe(2)
    await page.evaluate(() => window.opened?.close())
    await expect.poll(windows).toBe(1)
  })

  it('asks the permission handlers and enforces their decision in Chromium', async () => {
    const { page } = first
    const states = await page.evaluate(async () => {
      const asked = [
        'geolocation',
        'camera',
        'microphone',
        'midi',
        'clipboard-read',
        'local-fonts',
        'notifications',
      ]
      const states: Record<string, string> = {}
      for (const name of asked) {
        states[name] = (await navigator.permissions.query({ name: name as PermissionName })).state
      }
      states['position'] = await new Promise((done) => {
        navigator.geolocation.getCurrentPosition(
          () => done('given'),
          ({ message }) => done(message),
        )
      })
      states['request'] = await Notification.requestPermission()
      states['sysex'] = await navigator.requestMIDIAccess({ sysex: true }).then(
        () => 'given',
        (error: unknown) => (error instanceof DOMException ? error.name : 'other'),
      )
      return states
    })
    expect(states).toEqual({
      geolocation: 'denied',
      camera: 'denied',
      microphone: 'denied',
      midi: 'denied',
      'clipboard-read': 'denied',
      'local-fonts': 'denied',
      notifications: 'granted',
      position: 'User denied Geolocation',
      request: 'granted',
      sysex: 'NotAllowedError',
    })
    expect((await readLog(page)).permissions).toContain('notifications app://probe/index.html')
  })
})
