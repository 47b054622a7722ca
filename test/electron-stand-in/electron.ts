// The module `electron` of the main process, for import and for require.
import { app } from './app.ts'
import { BrowserWindow } from './browser-window.ts'
import {
  clipboard,
  crashReporter,
  globalShortcut,
  Notification,
  powerMonitor,
  powerSaveBlocker,
  shown,
} from './desktop.ts'
import { dialog } from './dialog.ts'
import { ipcMain } from './ipc.ts'
import { Menu, MenuItem } from './menu.ts'
import { nativeImage } from './native-image.ts'
import { nativeTheme } from './native-theme.ts'
import { net } from './net.ts'
import { protocol } from './protocol.ts'
import { safeStorage } from './safe-storage.ts'
import { screen } from './screen.ts'
import { session } from './session.ts'
import { opened, shell } from './shell.ts'
import { utilityProcess } from './utility-process.ts'
import { webContents } from './web-contents.ts'

/**
 * The addresses and files that the app tried to open on the desktop, and the notifications that the app showed. This
 * export is for tests. Only this replacement of Electron (the stand-in) has it.
 */
const standIn = { opened, shown }

/** The port to the parent process. Defined only in a utility process. */
const parentPort: unknown = Reflect.get(process, 'parentPort')

const electron = {
  app,
  BrowserWindow,
  clipboard,
  crashReporter,
  dialog,
  globalShortcut,
  ipcMain,
  Menu,
  MenuItem,
  nativeImage,
  nativeTheme,
  net,
  Notification,
  parentPort,
  powerMonitor,
  powerSaveBlocker,
  protocol,
  safeStorage,
  screen,
  session,
  shell,
  standIn,
  utilityProcess,
  webContents,
}

export {
  app,
  BrowserWindow,
  clipboard,
  crashReporter,
  dialog,
  globalShortcut,
  ipcMain,
  Menu,
  MenuItem,
  nativeImage,
  nativeTheme,
  net,
  Notification,
  parentPort,
  powerMonitor,
  powerSaveBlocker,
  protocol,
  safeStorage,
  screen,
  session,
  shell,
  standIn,
  utilityProcess,
  webContents,
}
export default electron
// The result of require('electron'): Node takes this export of an ES module as module.exports.
export { electron as 'module.exports' }
