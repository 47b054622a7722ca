import type { App as ElectronApp } from 'electron'
import { join } from 'node:path'
import { getPath, setPath } from './app-paths.ts'
import { browser } from './browser.ts'
import { chromiumSwitches, commandLine, givenLanguage } from './command-line.ts'
import { debug, environment } from './environment.ts'
import { createEvent } from './events.ts'
import { defineInert, FiringEmitter } from './inert.ts'
import { hasLock, releaseLock, requestLock } from './single-instance.ts'
import { openWindows } from './window-list.ts'

const fires = [
  'will-finish-launching ready window-all-closed before-quit will-quit quit second-instance browser-window-created',
  'web-contents-created browser-window-focus browser-window-blur child-process-gone render-process-gone',
  'activate', // like Electron on Linux, the stand-in never emits `activate`
].flatMap((line) => line.split(' '))

/** The fields of the app's package.json that the stand-in reads. */
export interface AppIdentity {
  appPath: string
  name: string
  version: string
}

let identity: AppIdentity = {
  appPath: process.cwd(),
  name: 'Electron',
  version: process.versions.electron,
}

class App extends FiringEmitter {
  readonly commandLine = commandLine
  readonly isPackaged = environment.packaged
  /** Whether app.enableSandbox() was called; all windows then have Chromium's sandbox. */
  sandboxed = false
  #state: 'starting' | 'ready' | 'quitting' = 'starting'
  readonly #ready = Promise.withResolvers<undefined>()

  constructor() {
    super('app', fires)
  }

  get name(): string {
    return identity.name
  }

  set name(name: string) {
    identity.name = name
  }

  whenReady(): Promise<undefined> {
    return this.#ready.promise
  }

  isReady(): boolean {
    return this.#state !== 'starting'
  }

  getName(): string {
    return identity.name
  }

  setName(name: string): void {
    identity.name = name
  }

  getVersion(): string {
    return identity.version
  }

  getAppPath(): string {
    return identity.appPath
  }

  getLocale(): string {
    return givenLanguage() ?? this.getSystemLocale()
  }

  getSystemLocale(): string {
    return Intl.DateTimeFormat().resolvedOptions().locale
  }

  getPreferredSystemLanguages(): string[] {
    return [this.getSystemLocale()]
  }

  getPath(name: string): string {
    return getPath(name, identity.name)
  }

  setPath(name: string, path: string): void {
    setPath(name, path)
  }

  setAppLogsPath(path?: string): void {
    setPath('logs', path ?? join(this.getPath('userData'), 'logs'))
  }

  enableSandbox(): void {
    if (this.isReady()) throw new Error('app.enableSandbox() can only be called before app is ready')
    this.sandboxed = true
  }

  requestSingleInstanceLock(additionalData?: unknown): boolean {
    const message = { argv: process.argv, workingDirectory: process.cwd(), additionalData }
    return requestLock(this.getPath('userData'), message, (second) => {
      this.emit(
        'second-instance',
        createEvent({}),
        second.argv,
        second.workingDirectory,
        second.additionalData,
      )
    })
  }

  hasSingleInstanceLock(): boolean {
    return hasLock()
  }

  releaseSingleInstanceLock(): void {
    releaseLock()
  }

  quit(): void {
    if (this.#state === 'quitting') return
    const event = createEvent({})
    this.emit('before-quit', event)
    if (event.defaultPrevented) return
    const before = this.#state
    this.#state = 'quitting'
    void this.#closeAllAndLeave().then((left) => {
      if (!left) this.#state = before
    })
  }

  exit(code = 0): void {
    this.#state = 'quitting'
    for (const window of openWindows) window.destroy()
    void this.#leave(code)
  }

  /** Whether windows close because the app quits. */
  get isQuitting(): boolean {
    return this.#state === 'quitting'
  }

  /**
   * Starts Chromium and emits `ready`. Called when the main bundle has been evaluated. `isDriven`: a test driver
   * watches the pages, and expects no page before the app creates one.
   */
  async start({ isDriven }: { isDriven: boolean }): Promise<void> {
    if (this.#state === 'quitting') return
    const profile = join(this.getPath('userData'), 'standin-chromium')
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => this.quit())
    const hasAppWindow = !environment.headless && !isDriven
    await browser.start(profile, chromiumSwitches(), { hasAppWindow }, (code) => {
      if (this.#state === 'quitting') return
      console.error(`stand-in: Chromium ended with ${String(code)}`)
      process.exit(1)
    })
    this.#state = 'ready'
    this.emit('will-finish-launching')
    this.emit('ready', createEvent({}), {})
    this.#ready.resolve(undefined)
  }

  /** Closes all windows and quits. @returns false if a window or a listener prevented this. */
  async #closeAllAndLeave(): Promise<boolean> {
    for (const window of openWindows) {
      window.close()
      if (!window.isClosing()) return false
    }
    await Promise.all([...openWindows].map((window) => window.closed))
    const event = createEvent({})
    this.emit('will-quit', event)
    if (event.defaultPrevented) return false
    await this.#leave(0)
    return true
  }

  async #leave(code: number): Promise<void> {
    this.emit('quit', createEvent({}), code)
    releaseLock()
    await browser.stop()
    process.exit(code)
  }
}

export const app = new App()

defineInert<ElectronApp>(app, 'app', {
  disableHardwareAcceleration: undefined,
  focus: undefined,
  getAppMetrics: [],
  getBadgeCount: 0,
  isDefaultProtocolClient: false,
  removeAsDefaultProtocolClient: false,
  setAboutPanelOptions: undefined,
  setAccessibilitySupportEnabled: undefined,
  setAppUserModelId: undefined,
  setAsDefaultProtocolClient: true,
  setBadgeCount: true,
  setDesktopName: undefined,
  setLoginItemSettings: undefined,
  setProxy: Promise.resolve(),
  relaunch: undefined,
})

/** Sets the app's identity. Called at the start, before the app's own code runs. */
export function identify(given: AppIdentity): void {
  identity = given
  debug('app', given)
}
