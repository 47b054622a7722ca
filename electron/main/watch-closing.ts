import { app, type BrowserWindow, powerMonitor } from 'electron'
import type { ClosingGuard } from './closing.ts'

type Guard = Pick<ClosingGuard, 'allow' | 'mayClose' | 'windowAnswers'>

/**
 * Asks the guard before the operator closes the window, and before a menu quits the app (macOS). On other systems the
 * app quits only at the end of the process or of the system, or after its window has closed.
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
  // Windows sends this event before it closes windows and ends apps
  if (process.platform === 'win32') window.on('query-session-end', () => guard.allow())
  if (process.platform !== 'darwin') return
  powerMonitor.on('shutdown', () => guard.allow())
  // On other systems Electron's own handler of the signal is sufficient, because no question precedes a quit there.
  // SIGHUP: the user closed the terminal in which the app was started.
  for (const signal of ['SIGTERM', 'SIGHUP'] as const)
    process.on(signal, () => {
      guard.allow()
      app.quit()
    })
}
