import { join } from 'node:path'
import { BrowserWindow, Menu } from 'electron'
import { appOrigin } from './app-files.ts'

/** The one window. Shown when painted, so that nobody sees an empty frame. */
export function createWindow(options: { preload: string; title: string; dark: boolean }): BrowserWindow {
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

/** `devServer`: see `devServerOf`. */
export async function loadApp(window: BrowserWindow, devServer: string | null): Promise<void> {
  await window.loadURL(`${devServer ?? appOrigin}/index.html`)
}

/** F12 opens and closes the developer tools. For development alone: a scanner can send any key. */
export function openToolsByKey({ webContents }: Pick<BrowserWindow, 'webContents'>): void {
  webContents.on('before-input-event', (event, { type, key }) => {
    if (type !== 'keyDown' || key !== 'F12') return
    event.preventDefault()
    webContents.toggleDevTools()
  })
}

/** Brings the window to the front for a second start. Once it is closed the app is ending: then it throws, if touched. */
export function showAgain(
  window: Pick<BrowserWindow, 'isDestroyed' | 'isMinimized' | 'restore' | 'show' | 'focus'>,
): void {
  if (window.isDestroyed()) return
  if (window.isMinimized()) window.restore()
  window.show()
  window.focus()
}

/** Where the build put preload and renderer, relative to the main bundle. */
export function bundlePaths(mainFolder: string): { preload: string; renderer: string; middleware: string } {
  return {
    preload: join(mainFolder, '../preload/preload.cjs'),
    renderer: join(mainFolder, '../renderer'),
    middleware: join(mainFolder, 'middleware.js'),
  }
}

/** Resolves when the first screen has been painted: the renderer names its screen on the root element. */
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
 * No menu on a returns desk: its accelerators (reload, zoom, developer tools) are keys that a scanner can send.
 * macOS needs an Edit menu for copy and paste to work at all.
 */
export function installMenu(platform: NodeJS.Platform): void {
  Menu.setApplicationMenu(
    platform === 'darwin' ? Menu.buildFromTemplate([{ role: 'appMenu' }, { role: 'editMenu' }]) : null,
  )
}
