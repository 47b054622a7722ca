import { _electron, test as base, type ElectronApplication, type Page } from '@playwright/test'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'

export { expect } from '@playwright/test'

export type Engine = 'electron' | 'stand-in'

const repo = resolve(import.meta.dirname, '../..')

function hasElectron(): boolean {
  const folder = join(repo, 'node_modules/electron')
  const pathFile = join(folder, 'path.txt')
  return existsSync(pathFile) && existsSync(join(folder, 'dist', readFileSync(pathFile, 'utf8')))
}

/**
 * Whether the specs run in real Electron or in its stand-in. The stand-in is used if Electron is not installed or
 * E2E_ENGINE=stand-in is set.
 */
export const engine: Engine =
  process.env['E2E_ENGINE'] !== 'stand-in' && hasElectron() ? 'electron' : 'stand-in'
if (engine === 'stand-in') process.env['ELECTRON_OVERRIDE_DIST_PATH'] = join(repo, 'test/electron-stand-in')
else delete process.env['ELECTRON_OVERRIDE_DIST_PATH']

/**
 * APIs that do nothing in the stand-in and may be called all the same. The product calls only some of them. No spec may
 * depend on their effect.
 */
const inert = [
  'app.setAboutPanelOptions',
  'app.setAppUserModelId', // setAppUserModelId has an effect only on Windows
  'BrowserWindow.on:responsive', // never emitted, because pages of the stand-in never hang
  'BrowserWindow.on:unresponsive',
  'BrowserWindow.setAutoHideMenuBar',
  'BrowserWindow.setBackgroundColor',
  'BrowserWindow.setIcon',
  'crashReporter.start',
  'powerMonitor.on', // the stand-in emits no event of powerMonitor; specs emit these events
  'session.clearStorageData', // without effect: the stand-in cannot clear its profile, where the window stores nothing
  'session.setDevicePermissionHandler',
  'session.setDisplayMediaRequestHandler',
  'session.setProxy', // called before main looks up the system's proxy; in the stand-in, STANDIN_PROXY is that proxy
  'session.setSpellCheckerEnabled',
  'webContents.on:will-attach-webview', // never emitted, because plain Chromium has no <webview>
  'webContents.setVisualZoomLevelLimits',
  'webContents.setWebRTCIPHandlingPolicy', // main also sets the WebRTC policy with a command-line switch of Chromium
]

/**
 * The environment of every launch. In the stand-in for Electron, a call of an API that has no effect there throws an
 * error, unless `inert` contains this API.
 */
export const launchEnvironment: Record<string, string> = {
  ...Object.fromEntries(
    Object.entries(process.env).filter((entry): entry is [string, string] => entry[1] !== undefined),
  ),
  STANDIN_STRICT: '1',
  STANDIN_INERT: inert.join(','),
  // Turns off the simulated warehouse of the embedded sandbox unless the caller sets SCANDESK_WAREHOUSE.
  SCANDESK_WAREHOUSE: process.env['SCANDESK_WAREHOUSE'] ?? 'manual',
}

interface RestartOptions {
  readonly fresh?: boolean
  /** Changes files in the data folder while no app uses it. */
  readonly between?: () => void
}

/** The running desk of a spec file. */
export interface Desk {
  readonly app: ElectronApplication
  /** The first window. It is a new object after a restart. */
  readonly page: Page
  /** The data folder (`--data-dir`), which is removed after the tests of the spec file have ended. */
  readonly dataDir: string
  readonly engine: Engine
  /** Closes the app and starts it again with the same data. `fresh`: without data. */
  restart(options?: RestartOptions): Promise<void>
}

class RunningDesk implements Desk {
  readonly engine = engine
  readonly file: string
  dataDir = ''
  readonly #args: readonly string[]
  readonly #preloads: readonly string[]
  readonly #output: string[] = []
  #started: { app: ElectronApplication; page: Page } | undefined

  constructor(file: string, args: readonly string[], preloads: readonly string[] = []) {
    this.file = file
    this.#args = args
    this.#preloads = preloads
  }

  get app(): ElectronApplication {
    return this.#running.app
  }

  get page(): Page {
    return this.#running.page
  }

  get #running(): { app: ElectronApplication; page: Page } {
    if (!this.#started) throw new Error('The desk is not running')
    return this.#started
  }

  /** Returns all output of the app on stdout and stderr. */
  get output(): string {
    return this.#output.join('')
  }

  async start(): Promise<void> {
    if (this.dataDir === '') this.dataDir = mkdtempSync(join(tmpdir(), 'scandesk-e2e-'))
    const app = await _electron.launch({
      args: [
        ...this.#preloads.flatMap((file) => ['-r', file]),
        '.',
        `--data-dir=${this.dataDir}`,
        '--lang=en',
        ...this.#args,
      ],
      cwd: repo,
      env: launchEnvironment,
    })
    const { stdout, stderr } = app.process()
    for (const stream of [stdout, stderr]) stream?.on('data', (text) => this.#output.push(String(text)))
    try {
      const page = await app.firstWindow()
      // Waits for the first navigation, because Playwright reports a window before its first page is loaded.
      await page.waitForURL(/^(?!about:)/)
      this.#started = { app, page }
    } catch (cause) {
      app.process().kill('SIGKILL')
      throw new Error(`The desk of ${this.file} opened no window\n${this.output}`, { cause })
    }
  }

  async restart({ fresh = false, between }: RestartOptions = {}): Promise<void> {
    await this.#close()
    if (fresh) this.#forget()
    between?.()
    await this.start()
  }

  async stop(): Promise<void> {
    await this.#close()
    this.#forget()
  }

  /** Quits the app. If the app does not quit within ten seconds, it is killed and the spec file fails. */
  async #close(): Promise<void> {
    const running = this.#started
    this.#started = undefined
    if (!running) return
    const child = running.app.process()
    const timer = setTimeout(() => child.kill('SIGKILL'), 10_000)
    await running.app.close()
    clearTimeout(timer)
    if (child.signalCode === 'SIGKILL')
      throw new Error(`The desk of ${this.file} did not quit\n${this.output}`)
  }

  #forget(): void {
    if (this.dataDir !== '') rmSync(this.dataDir, { recursive: true, force: true, maxRetries: 5 })
    this.dataDir = ''
  }
}

/** Starts one more desk with its own data, for tests of several desks at one service. The caller stops it. */
export async function startAnotherDesk(file: string): Promise<Desk & { stop(): Promise<void> }> {
  const desk = new RunningDesk(file, [])
  await desk.start()
  return desk
}

interface TestFixtures {
  desk: Desk
}

interface WorkerFixtures {
  /** Further command-line arguments of the app: `test.use({ deskArgs: ['--server=…'] })` at the top of a spec file. */
  deskArgs: string[]
  /** Paths of modules that Electron loads before the app. With them a test replaces functions of the system. */
  deskPreloads: string[]
  deskOf: (file: string) => Promise<RunningDesk>
}

/**
 * `desk`: the app, which runs once for all tests of a spec file. `page`: the window of the app when the test starts.
 */
export const test = base.extend<TestFixtures, WorkerFixtures>({
  deskArgs: [[], { option: true, scope: 'worker' }],
  deskPreloads: [[], { option: true, scope: 'worker' }],

  // One worker runs many spec files. When the next file requests its app, the app of the previous file is closed.
  deskOf: [
    async ({ deskArgs, deskPreloads }, use, workerInfo) => {
      if (workerInfo.workerIndex === 0) console.log(`e2e engine: ${engine}`)
      let current: RunningDesk | undefined
      await use(async (file) => {
        if (current?.file === file) return current
        await current?.stop()
        current = new RunningDesk(file, deskArgs, deskPreloads)
        await current.start()
        return current
      })
      await current?.stop()
    },
    { scope: 'worker' },
  ],

  desk: async ({ deskOf }, use, testInfo) => {
    const desk = await deskOf(testInfo.file)
    await use(desk)
    if (testInfo.status === testInfo.expectedStatus) return
    await testInfo.attach('app output', { body: desk.output, contentType: 'text/plain' })
  },

  page: async ({ desk }, use) => use(desk.page),
})

/** Saves a screenshot as out/test/shots/<name>.png and returns its path. */
export async function shot(page: Page, name: string): Promise<string> {
  const path = join(repo, 'out/test/shots', `${name}.png`)
  mkdirSync(dirname(path), { recursive: true })
  await page.screenshot({ path })
  return path
}
