import { join } from 'node:path'
import { BrowserWindow, Menu } from 'electron'
import { appOrigin } from './app-files.ts'

/** Creates the only window. It is shown after its first paint, so that no empty frame is visible. */
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

/** Loads the page of the app, or of the development server (`devServer`: see `devServerOf`). */
export async function loadApp(window: BrowserWindow, devServer: string | null): Promise<void> {
  await window.loadURL(`${devServer ?? appOrigin}/index.html`)
}

/** Opens and closes the developer tools by F12. For development only, because a scanner can send any key. */
export function openToolsByKey({ webContents }: Pick<BrowserWindow, 'webContents'>): void {
  webContents.on('before-input-event', (event, { type, key }) => {
    if (type !== 'keyDown' || key !== 'F12') return
    event.preventDefault()
    webContents.toggleDevTools()
  })
}

/**
 * Brings the window to the front for a second start. Does nothing with a closed window, which throws when it is used
 * while the app ends.
 */
export function showAgain(
  window: Pick<BrowserWindow, 'isDestroyed' | 'isMinimized' | 'restore' | 'show' | 'focus'>,
): void {
  if (window.isDestroyed()) return
  if (window.isMinimized()) window.restore()
  window.show()
  window.focus()
}

/** Returns where the build put preload, renderer and middleware, relative to the main bundle. */
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
 * Removes the menu, because its accelerators (reload, zoom, developer tools) are keys that a scanner can send. macOS
 * keeps an Edit menu, without which copy and paste do not work.
 */
export function installMenu(platform: NodeJS.Platform): void {
  Menu.setApplicationMenu(
    platform === 'darwin' ? Menu.buildFromTemplate([{ role: 'appMenu' }, { role: 'editMenu' }]) : null,
  )
}
