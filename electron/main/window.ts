import { join } from 'node:path'
import { BrowserWindow, Menu, type Session } from 'electron'
import type { Logger } from '#kit/logger.ts'
import { appOrigin } from './app-files.ts'

/** Creates the only window. It is shown after its first paint, so that no empty frame is visible. */
export function createWindow(options: {
  preload: string
  session: Session
  title: string
  dark: boolean
}): BrowserWindow {
  const window = new BrowserWindow({
    width: 1366,
    height: 768,
    minWidth: 1024,
    minHeight: 640,
    show: false,
    title: options.title,
    backgroundColor: options.dark ? '#14171a' : '#f6f5f1',
    webPreferences: {
      preload: options.preload,
      session: options.session,
      sandbox: true,
      contextIsolation: true,
      nodeIntegration: false,
      webSecurity: true,
      webviewTag: false,
      spellcheck: false,
    },
  })
  window.once('ready-to-show', () => window.show())
  return window
}

/** Loads the app's page, or the page of the development server (`devServer`: see `devServerOf`). */
export async function loadApp(window: BrowserWindow, devServer: string | null): Promise<void> {
  await window.loadURL(`${devServer ?? appOrigin}/index.html`)
}

/** Maximum number of loads after crashes in `crashPeriodMs` milliseconds. */
const mostReloads = 3
const crashPeriodMs = 60_000

/** Maximum time between the failure of a load and Electron's report that the process of the page has ended. */
const crashReportMs = 1_000

interface LoadParts {
  readonly load: () => Promise<void>
  /** Returns monotonic milliseconds. */
  readonly ticks: () => number
  /** Shows the operator, until the signal is aborted, that the page has ended several times. */
  readonly tell: (signal: AbortSignal) => Promise<void>
  readonly logger: Pick<Logger, 'error'>
}

/**
 * Loads the page with `load`, and again each time after its process has ended, for example because its memory was full.
 * Main has all data that must not be lost, so the new page continues the work. After three further loads within a
 * minute, the next one waits until that minute has passed, because a page that crashes at each start would keep the
 * processor busy; `tell` runs during this wait. Rejects if the first load fails while the process of the page runs.
 */
export async function keepLoaded(
  window: Pick<BrowserWindow, 'webContents' | 'isDestroyed'>,
  { load, ticks, tell, logger }: LoadParts,
): Promise<void> {
  let reloads: number[] = []
  window.webContents.on('render-process-gone', (_, { reason, exitCode }) => {
    logger.error({ reason, exitCode }, 'the process of the page has ended; the page loads again')
    reloads = reloads.filter((at) => ticks() - at < crashPeriodMs)
    const [first = 0] = reloads
    const waitMs = reloads.length < mostReloads ? 0 : first + crashPeriodMs - ticks()
    reloads.push(ticks() + waitMs)
    const told = new AbortController()
    if (waitMs > 0)
      tell(told.signal).catch((error: unknown) => logger.error({ err: error }, 'no dialog can be shown'))
    // uses a timer even if `waitMs` is 0, because Electron is still handling the end of the process, so the page must
    // load later
    setTimeout(() => {
      told.abort()
      if (window.isDestroyed()) return
      load().catch((error: unknown) => logger.error({ err: error }, 'the page cannot load again'))
    }, waitMs)
  })
  try {
    await load()
  } catch (error) {
    // waits for Electron's report that the process of the page has ended, because Electron can reject the load before
    // it
    if (reloads.length === 0) await new Promise((resolve) => setTimeout(resolve, crashReportMs))
    if (reloads.length === 0) throw error
  }
}

/** Lets F12 open and close the developer tools. For development only, because a scanner can send any key. */
export function openToolsByKey({ webContents }: Pick<BrowserWindow, 'webContents'>): void {
  webContents.on('before-input-event', (event, { type, key }) => {
    if (type !== 'keyDown' || key !== 'F12') return
    event.preventDefault()
    webContents.toggleDevTools()
  })
}

/**
 * Returns the listener for a further start of the app by the user. It brings the window to the front. If the window is
 * closed, the app is ending, so the listener calls `relaunch` once: the app then starts again after its end.
 */
export function onFurtherStart(
  window: Pick<BrowserWindow, 'isDestroyed' | 'isMinimized' | 'restore' | 'show' | 'focus'>,
  relaunch: () => void,
): () => void {
  let isRelaunching = false
  return () => {
    if (window.isDestroyed()) {
      if (!isRelaunching) relaunch()
      isRelaunching = true
      return
    }
    if (window.isMinimized()) window.restore()
    window.show()
    window.focus()
  }
}

/** Returns the paths of the built preload, renderer and middleware, relative to the bundle of main. */
export function bundlePaths(mainFolder: string): { preload: string; renderer: string; middleware: string } {
  return {
    preload: join(mainFolder, '../preload/preload.cjs'),
    renderer: join(mainFolder, '../renderer'),
    middleware: join(mainFolder, 'middleware.js'),
  }
}

/**
 * Resolves when the first screen is painted. The renderer shows this by writing the screen's name on the root element.
 */
export async function painted(window: BrowserWindow): Promise<void> {
  await window.webContents.executeJavaScript(`new Promise((resolve) => {
    const look = () => {
      const { screen } = document.documentElement.dataset
      if (screen && screen !== 'starting') requestAnimationFrame(() => setTimeout(resolve, 0, true))
      else setTimeout(look, 20)
    }
    look()
  })`)
}

/**
 * Removes the menu, because its shortcuts (reload, zoom, developer tools) are keys that a scanner can send. On macOS an
 * Edit menu stays, because copy and paste do not work without it.
 */
export function installMenu(platform: NodeJS.Platform): void {
  Menu.setApplicationMenu(
    platform === 'darwin' ? Menu.buildFromTemplate([{ role: 'appMenu' }, { role: 'editMenu' }]) : null,
  )
}
