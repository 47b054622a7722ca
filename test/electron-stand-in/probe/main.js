// A minimal Electron app, for the stand-in's own test only.
import {
  app,
  BrowserWindow,
  ipcMain,
  Menu,
  net,
  protocol,
  safeStorage,
  session,
  utilityProcess,
} from 'electron'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

const here = import.meta.dirname
app.setPath('userData', app.commandLine.getSwitchValue('data-dir'))
app.enableSandbox()
protocol.registerSchemesAsPrivileged([
  { scheme: 'app', privileges: { standard: true, secure: true, supportFetchAPI: true } },
])

// The recorded events, which the test reads through ipc.
const log = {
  second: [],
  navigations: [],
  windows: [],
  permissions: [],
  requests: [],
  order: [],
  safe: undefined,
}
let worker

if (!app.requestSingleInstanceLock({ from: process.pid })) app.exit(3)
app.on('second-instance', (_event, argv, _folder, data) => log.second.push({ last: argv.at(-1), data }))
app.on('before-quit', () => log.order.push('before-quit'))
app.on('window-all-closed', () => app.quit())

ipcMain.handle('echo', (_event, value) => value)
ipcMain.handle('fail', () => {
  throw new TypeError('boom')
})
ipcMain.handle('function', () => () => 1)
ipcMain.handle('log', () => log)
ipcMain.handle('frame', ({ senderFrame, sender }) => ({
  url: senderFrame.url,
  origin: senderFrame.origin,
  parent: senderFrame.parent,
  isMain: senderFrame === sender.mainFrame,
}))
ipcMain.on('ping', (event, value) => event.sender.send('pong', value, new Map([['worker', worker?.pid]])))

function startWorker() {
  worker = utilityProcess.fork(join(here, 'worker.cjs'), ['one'], {
    stdio: 'pipe',
    serviceName: 'Probe worker',
  })
  worker.stdout.on('data', (text) => log.order.push(`stdout ${String(text).trim()}`))
  worker.on('exit', (code) => log.order.push(`exit ${code}`))
  worker.on('message', (message) => log.order.push(message))
  worker.postMessage({ add: [2, 3n] })
}

async function trySafeStorage() {
  const available = await safeStorage.isAsyncEncryptionAvailable()
  const backend = safeStorage.getSelectedStorageBackend()
  try {
    const bytes = await safeStorage.encryptStringAsync('geheim')
    const { result } = await safeStorage.decryptStringAsync(bytes)
    return {
      available,
      sync: safeStorage.isEncryptionAvailable(),
      backend,
      result,
      hidden: !bytes.includes('geheim'),
    }
  } catch (error) {
    return { available, sync: safeStorage.isEncryptionAvailable(), backend, error: error.message }
  }
}

function createWindow() {
  const window = new BrowserWindow({
    width: 640,
    height: 400,
    show: false,
    title: 'Probe window',
    webPreferences: { preload: join(here, 'preload.cjs'), sandbox: true, contextIsolation: true },
  })
  window.once('ready-to-show', () => window.show())
  window.webContents.on('will-navigate', (event) => {
    log.navigations.push(event.url)
    if (!event.url.startsWith('app://probe/allowed')) event.preventDefault()
  })
  window.webContents.setWindowOpenHandler(({ url }) => {
    log.windows.push(url)
    return { action: 'deny' }
  })
  void window.loadURL('app://probe/index.html')
}

app.whenReady().then(async () => {
  const policy = "default-src 'self'; img-src app: data:; frame-src 'none'; object-src 'none'"
  protocol.handle('app', async (request) => {
    const { host, pathname } = new URL(request.url)
    log.requests.push(`${request.method} ${host} ${pathname}`)
    if (request.method === 'POST') return new Response((await request.text()).toUpperCase())
    const file = pathname === '/page.js' ? 'page.js' : 'index.html'
    const answer = await net.fetch(pathToFileURL(join(here, file)).href)
    const headers = { 'content-type': answer.headers.get('content-type'), 'content-security-policy': policy }
    return new Response(answer.body, { headers })
  })
  session.defaultSession.setPermissionCheckHandler((_contents, permission) => permission === 'notifications')
  session.defaultSession.setPermissionRequestHandler((_contents, permission, callback, details) => {
    log.permissions.push(`${permission} ${details.requestingUrl}`)
    callback(permission === 'notifications')
  })
  Menu.setApplicationMenu(null)
  log.safe = await trySafeStorage()
  startWorker()
  createWindow()
})
