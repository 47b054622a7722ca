import { app, type BrowserWindow, powerMonitor } from 'electron'
import type { ClosingGuard } from './closing.ts'

type Guard = Pick<ClosingGuard, 'allow' | 'mayClose' | 'windowAnswers'>

/**
 * Asks the guard whenever somebody closes the window, and where a menu can quit the app (macOS) before that too. What
 * quits the app elsewhere is the end of its process or of the system, or a window that is closed already.
 */
export function watchClosing(window: BrowserWindow, guard: Guard): void {
  window.on('close', (event) => {
    if (!guard.mayClose()) event.preventDefault()
  })
  window.webContents.on('render-process-gone', () => guard.windowAnswers(false))
  window.webContents.on('did-finish-load', () => guard.windowAnswers(true))
  window.on('unresponsive', () => guard.windowAnswers(false))
  window.on('responsive', () => guard.windowAnswers(true))
  app.on('before-quit', (event) => {
    if (process.platform !== 'darwin' || window.isDestroyed() || guard.mayClose()) guard.allow()
    else event.preventDefault()
  })
  // the system tells before it closes windows and quits apps
  if (process.platform === 'win32') window.on('query-session-end', () => guard.allow())
  if (process.platform !== 'darwin') return
  powerMonitor.on('shutdown', () => guard.allow())
  // elsewhere Electron's own answer to the signal is as good, since nothing asks there before it quits
  // SIGHUP: the terminal that it was started from was closed
  for (const signal of ['SIGTERM', 'SIGHUP'] as const)
    process.on(signal, () => {
      guard.allow()
      app.quit()
    })
}
