import { writeFile } from 'node:fs/promises'
import { app, BrowserWindow, nativeTheme } from 'electron'
import { createForkedLogger } from '#kit/logger.ts'
import { keepNewFilesPrivate } from '#kit/private-files.ts'
import { trustDevServer } from './app-files.ts'
import { registerAppScheme, serveApp } from './app-protocol.ts'
import { parseCommandLine } from './command-line.ts'
import { ClosingGuard } from './closing.ts'
import { composeApp, type RunningApp } from './compose.ts'
import { tellOfCrashes } from './crash-dialog.ts'
import { foreignDeskFile } from './data-folder.ts'
import { hardenEverything, openPageSession } from './hardening.ts'
import { LogFile } from './log-file.ts'
import { closeNetwork, devServerOf } from './page-network.ts'
import { trustSystemCertificates, useProxy } from './system-network.ts'
import { watchClosing } from './watch-closing.ts'
import {
  bundlePaths,
  createWindow,
  installMenu,
  keepLoaded,
  loadApp,
  openToolsByKey,
  onFurtherStart,
  painted,
} from './window.ts'

keepNewFilesPrivate()
const commandLine = parseCommandLine(process.argv.slice(1))
// the log keeps its lines in memory until the data directory is checked and locked
const logFile = new LogFile()
const log = createForkedLogger('desk', logFile, commandLine.settings.logLevel ?? 'info')
const { logger } = log
// the handler only logs the error; afterwards the app ends, as it would without the handler
process.on('uncaughtExceptionMonitor', (error) => logger.fatal({ err: error }, 'an uncaught error'))
const paths = bundlePaths(import.meta.dirname)

if (commandLine.dataDir) app.setPath('userData', commandLine.dataDir)
app.enableSandbox()
// The build sets `import.meta.env.DEV`. In the bundles of `npm start` and of an installed app it is false, so main
// loads only the app's own page.
const devServer = import.meta.env.DEV
  ? devServerOf(app.isPackaged, process.env['ELECTRON_RENDERER_URL'])
  : null
trustDevServer(devServer)
useProxy(closeNetwork(app.commandLine, devServer))
registerAppScheme()
hardenEverything()

// the lock is in the data directory: two desks can run at the same time only if their data directories differ
if (isForeign(app.getPath('userData'))) app.exit(1)
else if (app.requestSingleInstanceLock()) {
  void app.whenReady().then(start).catch(giveUp)
} else {
  console.log(`Scandesk already runs on ${app.getPath('userData')}; its window comes to the front.`)
  app.quit()
}

async function start(): Promise<void> {
  trustSystemCertificates(logger)
  const pageSession = openPageSession(devServer, logger)
  installMenu(process.platform)
  serveApp(pageSession, paths.renderer)
  const running = composeApp({
    dataDir: app.getPath('userData'),
    version: app.getVersion(),
    engine: `Electron ${process.versions.electron}`,
    systemLanguage: app.getLocale(),
    middlewareBundle: paths.middleware,
    commandLine,
    log,
    logFile,
    onUnsaved: (unsaved) => guard.windowHolds(unsaved),
    closeWindow: () => {
      guard.allow()
      for (const open of BrowserWindow.getAllWindows()) open.close()
    },
  })
  const guard = new ClosingGuard({
    unsent: () => running.unsent(),
    tell: (closing) => running.tell('closing', closing),
    ticks: () => performance.now(),
    onFault: (error) => logger.error({ err: error }, 'the waiting work cannot be counted'),
  })
  const opened = running.open()
  // the window opens even if the desk cannot open; the first call of the window then reports the failure
  opened.catch((error: unknown) => logger.error({ err: error }, 'the desk cannot open'))
  const window = createWindow({
    preload: paths.preload,
    session: pageSession,
    title: 'Scandesk',
    dark: nativeTheme.shouldUseDarkColors,
  })
  watchClosing(window, guard)
  closeBeforeQuitting(running)
  app.on(
    'second-instance',
    onFurtherStart(window, () => app.relaunch()),
  )
  if (devServer !== null) openToolsByKey(window)
  await keepLoaded(window, {
    load: () => loadApp(window, devServer),
    ticks: () => performance.now(),
    tell: (signal) => tellOfCrashes(window, running.language(), signal),
    logger,
  })
  if (commandLine.screenshot) await takeScreenshot(window, commandLine.screenshot)
}

async function takeScreenshot(window: BrowserWindow, file: string): Promise<void> {
  await painted(window)
  const image = await window.webContents.capturePage()
  await writeFile(file, image.toPNG())
  console.log(`Scandesk is ready; a screenshot is at ${file}`)
}

/**
 * When the app is about to quit, keeps it running until the desk is closed and the desk's running requests have ended.
 * Then quits the app. A second attempt to quit ends the app at once, because a request may take a minute to end, and
 * the next start continues all unfinished work.
 */
function closeBeforeQuitting(running: RunningApp): void {
  let closed = false
  app.on('window-all-closed', () => app.quit())
  app.on('before-quit', (event) => {
    if (closed || event.defaultPrevented) return
    event.preventDefault()
    closed = true
    void running
      .close()
      .catch((error: unknown) => logger.error({ err: error }, 'the desk did not close cleanly'))
      .finally(() => app.quit())
  })
}

/**
 * Checks the data directory before anything is read from it. If the app must not use the directory, logs an error and
 * returns true.
 */
function isForeign(dataDir: string): boolean {
  try {
    const sentence = foreignDeskFile(dataDir)
    if (sentence !== null) console.error(sentence)
    return sentence !== null
  } catch (error) {
    logger.fatal({ err: error }, 'the data directory cannot be read')
    return true
  }
}

function giveUp(error: unknown): void {
  logger.fatal({ err: error }, 'the app cannot start')
  app.exit(1)
}
