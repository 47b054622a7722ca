import { chmodSync, readdirSync, readFileSync, lstatSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { join, resolve } from 'node:path'
import { expect, test } from '#support/app.ts'
import { pressInAddressQuestions } from '#support/set-up-station.ts'
import {
  arrivals,
  listenForAll,
  looksUpPrefetchedName,
  readNetLog,
  tryAll,
  waysFromPlainPage,
  waysOut,
  type NetEvent,
} from '#support/ways-out.ts'
import { networkSwitches } from '../../electron/main/page-network.ts'
import { byHand } from '#support/keyboard.ts'

/** The log of Chromium's network service for this desk. */
const netLog = resolve(import.meta.dirname, '../../out/test/security-net-log.json')
test.use({ deskArgs: [`--log-net-log=${netLog}`] })

test.beforeAll(async ({ deskOf }, testInfo) => {
  const { page } = await deskOf(testInfo.file)
  await page.locator('html[data-screen="login"]').waitFor()
})

test('the page has a frozen window.scandesk and no access to Node or Electron', async ({ page }) => {
  const seen = await page.evaluate(() => {
    const bridge = window.scandesk
    const frozen =
      Object.isFrozen(bridge) &&
      Object.values(bridge).every((part) => Object.isFrozen(part) || typeof part === 'function')
    const leaks = ['require', 'process', 'module', 'Buffer', 'ipcRenderer', 'electron'].filter(
      (name) => name in window,
    )
    return { frozen, leaks, domains: Object.keys(bridge).sort() }
  })
  expect(seen).toEqual({
    frozen: true,
    leaks: [],
    domains: [
      'app',
      'article',
      'catalogue',
      'desk',
      'keyboardScanner',
      'location',
      'modification',
      'on',
      'paper',
      'print',
      'printer',
      'queue',
      'returnLabel',
      'scan',
      'scanner',
      'session',
      'speed',
      'station',
      'storage',
      'support',
    ],
  })
})

test('a call of the page with wrong arguments is refused with the error code bridge.invalid_arguments', async ({
  page,
}) => {
  const answers = await page.evaluate(async () => {
    const call = window.scandesk.returnLabel.make as (args: unknown) => Promise<unknown>
    return Promise.all([
      call(undefined),
      call({ mode: { by: 'shipment', shipmentId: 7 }, request: true }),
      call('x'),
      call({ mode: { by: 'hand', shippingMethodId: 'x', sender: { $ne: '' } }, request: true }),
    ])
  })
  for (const answer of answers) {
    expect(answer).toEqual({ ok: false, error: { code: 'bridge.invalid_arguments', params: {} } })
  }
})

test('a call of the page for another station than the open one is refused', async ({ page }) => {
  const answers = await page.evaluate(async () => {
    const { returnLabel, session, station } = window.scandesk
    const open = await station.current()
    const stations = ['another', open.ok ? open.value.id : '', undefined]
    const login = { username: 'anna', password: 'of another station' }
    return {
      labels: await Promise.all(stations.map((id) => returnLabel.recent(undefined, id))),
      login: await session.login(login, 'another'),
    }
  })
  const refused = { ok: false, error: { code: 'station.changed', params: {} } }
  expect(answers.labels).toMatchObject([refused, { ok: true }, { ok: true }])
  expect(answers.login).toEqual(refused)
})

test('the content security policy refuses inline scripts, inline styles, eval and foreign addresses', async ({
  page,
}) => {
  const refused = await page.evaluate(async () => {
    const violated: string[] = []
    document.addEventListener('securitypolicyviolation', (event) => violated.push(event.effectiveDirective))
    const script = document.createElement('script')
    // The assignment throws because of trusted types.
    const assigned = ((): boolean => {
      try {
        script.textContent = 'window.injected = true'
        document.head.append(script)
        return true
      } catch {
        return false
      }
    })()
    // The evaluation runs in a separate task, because the policy does not apply to code that the debugger evaluates.
    const evaluated = await new Promise<boolean>((resolve) => {
      setTimeout(() => {
        try {
          resolve(Boolean((0, eval)('1')))
        } catch {
          resolve(false)
        }
      }, 0)
    })
    const fetched = await fetch('https://example.com/').then(
      () => true,
      () => false,
    )
    document.body.setAttribute('style', 'outline: 9px solid red')
    await new Promise((resolve) => setTimeout(resolve, 50))
    return { assigned, evaluated, fetched, injected: 'injected' in window, violated }
  })
  expect(refused.injected).toBe(false)
  expect(refused.evaluated).toBe(false)
  expect(refused.fetched).toBe(false)
  expect(refused.violated.join(' ')).toMatch(/connect-src/)
  expect(refused.violated.join(' ')).toMatch(/style-src/)
})

test('the page cannot leave the app, open windows or get the permission for geolocation', async ({
  page,
  desk,
}) => {
  const before = page.url()
  await page.evaluate(() => {
    window.location.href = 'https://example.com/'
  })
  await page.waitForTimeout(300)
  expect(page.url()).toBe(before)
  await page.evaluate(() => void window.open('https://example.com/'))
  await expect.poll(() => desk.app.windows().length).toBe(1)
  const geolocation = await page.evaluate(
    async () => (await navigator.permissions.query({ name: 'geolocation' })).state,
  )
  expect(geolocation).toBe('denied')
})

test('the app protocol serves no path outside the built page', async ({ page }) => {
  const loads = await page.evaluate(async () => {
    const load = (path: string): Promise<boolean> =>
      new Promise((resolve) => {
        // Trusted types forbid setting the address of a script. So this function loads each path as a preloaded module,
        // which Chromium fetches in the same way.
        const link = document.createElement('link')
        link.rel = 'modulepreload'
        link.onload = () => resolve(true)
        link.onerror = () => resolve(false)
        link.href = path
        document.head.append(link)
      })
    const own = document.querySelector('script[src]')?.getAttribute('src') ?? ''
    // The first address is a control: it shows that a script of the page itself can be loaded.
    return Promise.all(
      [own, '/../main/main.js', '/..%2fmain/main.js', '/%2e%2e/main/main.js', '/../preload/preload.cjs'].map(
        load,
      ),
    )
  })
  expect(loads).toEqual([true, false, false, false, false])
})

test('the files of the desk outside its sandbox contain no field "password" and no token in plain text', async ({
  page,
  desk,
}) => {
  await page.keyboard.press('Enter', byHand)
  await expect(page.locator('html')).toHaveAttribute('data-screen', 'stage')
  const settings = readFileSync(join(desk.dataDir, 'settings.json'), 'utf8')
  expect(settings).toMatch(/"secrets"/)
  const own = filesBelow(desk.dataDir).filter((file) => !/standin-|sandbox\//.test(file))
  expect(own.length).toBeGreaterThan(2)
  for (const file of own) {
    const bytes = readFileSync(file, 'latin1')
    expect(bytes.includes('eyJ'), `${file} holds a JSON web token`).toBe(false)
    expect(/[0-9a-f]{128}/.test(bytes), `${file} holds a refresh token`).toBe(false)
    expect(bytes.includes('"password"'), file).toBe(false)
  }
})

test('every tested method of sending data to a server works in a page without restrictions (control)', async () => {
  const { listeners, close } = await listenForAll()
  const arrived = await waysFromPlainPage(listeners)
  close()
  expect(arrived).toEqual(waysOut.map(({ name }) => name))
})

test('no tested method of sending data to a server works in the page of the desk', async ({ page }) => {
  const before = page.url()
  const { listeners, close } = await listenForAll()
  await tryAll(page, listeners)
  close()
  expect(arrivals(listeners)).toEqual([])
  expect(page.url().split('#')[0]).toBe(before)
})

test('even with the content security policy switched off, no tested method of sending data to a server works in the page of the desk', async ({
  page,
}) => {
  const protocol = await page.context().newCDPSession(page)
  await protocol.send('Page.setBypassCSP', { enabled: true })
  await page.reload()
  await page.locator('html[data-screen]').waitFor()
  const failed = new Set<string | undefined>()
  page.on('requestfailed', (request) => failed.add(request.failure()?.errorText))
  const { listeners, close } = await listenForAll()
  await tryAll(page, listeners)
  close()
  await protocol.send('Page.setBypassCSP', { enabled: false })
  expect(arrivals(listeners)).toEqual([])
  // The main process cancels the requests that it sees. Other requests fail, because their proxy does not exist.
  expect([...failed].join(' ')).toMatch(/ERR_BLOCKED_BY_CLIENT/)
})

test('a script of the page finds no WebRTC and no WebTransport', async ({ page }) => {
  const found = await page.evaluate(() =>
    Object.getOwnPropertyNames(globalThis).filter((name) => /RTC|WebTransport|WebSocketStream/.test(name)),
  )
  expect(found).toEqual([])
})

test('the page cannot start a download', async ({ page, desk }) => {
  await desk.app.evaluate(({ webContents }) => {
    const seen: boolean[] = []
    Reflect.set(globalThis, 'downloads', seen)
    webContents
      .getAllWebContents()[0]
      ?.session.on('will-download', (event) => seen.push(event.defaultPrevented))
  })
  await page.evaluate(() => {
    for (const href of ['/index.html', URL.createObjectURL(new Blob(['names and addresses']))]) {
      const link = document.createElement('a')
      link.href = href
      link.download = 'list.csv'
      document.body.append(link)
      link.click()
    }
  })
  const cancelled = (): Promise<unknown> =>
    desk.app.evaluate(() => Reflect.get(globalThis, 'downloads') as unknown)
  await expect.poll(cancelled).toEqual([true, true])
})

test('what the page writes into the storage of Chromium is not written to the disk', async ({
  page,
  desk,
}) => {
  const before = bytesBelow(desk.dataDir)
  const written = await page.evaluate(
    async (length) => {
      const bytes = new Uint8Array(length)
      for (let at = 0; at < length; at += 65_536) crypto.getRandomValues(bytes.subarray(at, at + 65_536))
      const root = await navigator.storage.getDirectory()
      const file = await root.getFileHandle('bytes', { create: true })
      const writer = await file.createWritable()
      await writer.write(bytes)
      await writer.close()
      const cache = await caches.open('bytes')
      await cache.put('https://example.com/', new Response(bytes))
      const database = await new Promise<IDBDatabase>((resolve, reject) => {
        const request = indexedDB.open('bytes')
        request.onupgradeneeded = () => request.result.createObjectStore('bytes')
        request.onsuccess = () => resolve(request.result)
        request.onerror = () => reject(request.error ?? new Error('IndexedDB cannot be opened'))
      })
      await new Promise<void>((resolve, reject) => {
        const transaction = database.transaction('bytes', 'readwrite', { durability: 'strict' })
        transaction.objectStore('bytes').put(bytes, 1)
        transaction.oncomplete = () => resolve()
        transaction.onabort = () => reject(transaction.error ?? new Error('IndexedDB wrote nothing'))
      })
      return (await navigator.storage.estimate()).usage ?? 0
    },
    50 * 2 ** 20,
  )
  // Checks that the test itself works: the page has stored the 50 MB three times.
  expect(written).toBeGreaterThan(150 * 2 ** 20)
  expect(bytesBelow(desk.dataDir) - before).toBeLessThan(10 * 2 ** 20)
})

test('Chromium resolves the host name of a prefetch link, but not with the switch blink-settings of the desk', async () => {
  expect(await looksUpPrefetchedName([])).toBe(true)
  const [name = '', value = ''] = networkSwitches(null).find(([key]) => key === 'blink-settings') ?? []
  expect(await looksUpPrefetchedName([`--${name}=${value}`])).toBe(false)
})

test('the Chromium of the desk resolves no host name, opens no TCP connection and sends no bytes by UDP', async ({
  desk,
}) => {
  let events: NetEvent[] = []
  await desk.restart({ between: () => (events = readNetLog(netLog)) })
  const types = new Set(events.map(({ type }) => type))
  // Control: Chromium looks up the proxy for each request of a page, so an event of such a look-up in its network log
  // proves that the log contains these requests.
  expect(types).toContain('PROXY_RESOLUTION_SERVICE_RESOLVED_PROXY_LIST')
  for (const type of ['HOST_RESOLVER_MANAGER_JOB', 'TCP_CONNECT_ATTEMPT', 'UDP_BYTES_SENT'])
    expect(types).not.toContain(type)
})

test('only the account of the desk can read its data directory, even files that an earlier version created', async ({
  desk,
}) => {
  test.skip(process.platform === 'win32', 'Windows has no modes')
  const ownData = [...ownFiles, ...ownFolders]
  const open = (): string[] => {
    // A temporary file may have been removed since the folder was listed.
    const modeOf = (name: string): number =>
      lstatSync(join(desk.dataDir, name), { throwIfNoEntry: false })?.mode ?? 0
    return ['.', ...pathsBelow(desk.dataDir)].filter(
      (name) => (modeOf(name) & 0o077) !== 0 && !isLink(modeOf(name)),
    )
  }
  expect(pathsBelow(desk.dataDir)).toEqual(expect.arrayContaining(ownData))
  expect(open()).toEqual([])
  await desk.restart({
    between: () => {
      for (const name of ['.', ...ownFolders]) chmodSync(join(desk.dataDir, name), 0o755)
      for (const name of ownFiles) chmodSync(join(desk.dataDir, name), 0o644)
      expect(open()).toHaveLength(1 + ownData.length)
    },
  })
  await desk.page.locator('html[data-screen="stage"]').waitFor()
  expect(open()).toEqual([])
})

test('a page that saves a station and logs in reaches no server until a person confirms the address of the server', async ({
  desk,
}) => {
  let connections = 0
  const listener = createServer((socket) => {
    connections++
    socket.on('error', () => undefined).destroy()
  })
  await new Promise<void>((ready) => listener.listen(0, '127.0.0.1', ready))
  const { port } = listener.address() as AddressInfo
  const carryOut = (baseUrl: string): Promise<(string | undefined)[]> =>
    desk.page.evaluate(async (baseUrl) => {
      const { station, session } = window.scandesk
      const draft = { name: 'Own', baseUrl, wmsCode: 'W', customerCode: 'C', documentHosts: '' }
      const tested = await station.test(draft)
      const saved = await station.save(draft)
      const used = await station.use({ id: saved.ok ? saved.value.id : '' })
      // `login` logs in to the station in use, which is still the sandbox if `station.use` was refused
      if (used.ok) await session.login({ username: 'read on', password: 'the screen' })
      return [tested, used].map((result) => (result.ok ? undefined : result.error.code))
    }, baseUrl)
  const baseUrl = `http://127.0.0.1:${String(port)}`
  await pressInAddressQuestions(desk.app, 'cancel')
  expect(await carryOut(baseUrl)).toEqual(['setup.not_confirmed', 'setup.not_confirmed'])
  expect(connections).toBe(0)
  const asked = await pressInAddressQuestions(desk.app, 'connect')
  expect(await carryOut(baseUrl)).toEqual([undefined, undefined])
  expect(connections).toBeGreaterThan(0)
  const questions = await asked()
  expect(questions).toMatchObject([{ defaultId: 0, cancelId: 0 }])
  expect(questions[0]?.detail).toContain(`127.0.0.1:${String(port)}`)
  await new Promise((closed) => listener.close(closed))
})

const ownFolders = ['journal', 'labels', 'sandbox']
const ownFiles = ['desk.db', 'recent.db', 'settings.json', 'sandbox/middleware.db']

function isLink(mode: number): boolean {
  return (mode & 0o170000) === 0o120000
}

/** Returns the paths of all files and folders below a folder, relative to this folder. */
function pathsBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
}

/** Returns the size of all files below a folder. A temporary file may be removed while the folder is read. */
function bytesBelow(folder: string): number {
  const sizes = pathsBelow(folder).map(
    (path) => lstatSync(join(folder, path), { throwIfNoEntry: false })?.size ?? 0,
  )
  return sizes.reduce((sum, size) => sum + size, 0)
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name)
    return lstatSync(path).isDirectory() ? filesBelow(path) : [path]
  })
}
