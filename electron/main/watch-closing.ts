import { app, type BrowserWindow, powerMonitor } from 'electron'
import type { ClosingGuard } from './closing.ts'

type Guard = Pick<ClosingGuard, 'allow' | 'mayClose' | 'windowAnswers'>

/**
 * Lets the guard decide whether the window may close: when the operator closes the window and, on macOS, when a menu
 * quits the app. On other systems the guard decides nothing when the app quits: the app quits only after its window has
 * closed, or when its process or the system ends.
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
  // Windows sends `query-session-end` before it closes windows and ends apps; from then on the window closes without a
  // question
  if (process.platform === 'win32') window.on('query-session-end', () => guard.allow())
  if (process.platform !== 'darwin') return
  powerMonitor.on('shutdown', () => guard.allow())
  // Only macOS needs these handlers of signals: on other systems no question is asked before the app quits, so
  // Electron's own handlers of the signals are sufficient. SIGHUP: the user closed the terminal in which the app was
  // started.
  for (const signal of ['SIGTERM', 'SIGHUP'] as const)
    process.on(signal, () => {
      guard.allow()
      app.quit()
    })
}
