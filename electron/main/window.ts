import { join } from 'node:path'
import { BrowserWindow, Menu, type Session } from 'electron'
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

/** Lets F12 open and close the developer tools. For development only, because a scanner can send any key. */
export function openToolsByKey({ webContents }: Pick<BrowserWindow, 'webContents'>): void {
  webContents.on('before-input-event', (event, { type, key }) => {
    if (type !== 'keyDown' || key !== 'F12') return
    event.preventDefault()
    webContents.toggleDevTools()
  })
}

/**
 * Brings the window to the front when a user starts the app again. Does nothing if the window is closed, because
 * methods of a closed window throw.
 */
export function showAgain(
  window: Pick<BrowserWindow, 'isDestroyed' | 'isMinimized' | 'restore' | 'show' | 'focus'>,
): void {
  if (window.isDestroyed()) return
  if (window.isMinimized()) window.restore()
  window.show()
  window.focus()
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
