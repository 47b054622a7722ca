import { mkdtempSync, readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { launch, removeAll, type Started } from '#stand-in/probe/launch.ts'
import { afterAll, beforeAll, expect, it } from 'vitest'

let dataDir: string
let started: Started

beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'stand-in-'))
  started = await launch(dataDir)
})

afterAll(async () => {
  await started.app.close()
  removeAll(dataDir)
})

it("executeInMainWorld of the stand-in for Electron runs functions with their arguments in the page's world", async () => {
  const seen = await started.page.evaluate(() => ({
    ran: Reflect.get(globalThis, 'ranEarly') as unknown,
    removed: !('RTCPeerConnection' in globalThis),
  }))
  expect(seen).toEqual({ ran: [1, 'two'], removed: true })
})

it('onBeforeRequest of the stand-in for Electron is called for every fetch of the page and makes cancelled fetches fail', async () => {
  const { app, page } = started
  await app.evaluate(({ session }) => {
    const asked: string[] = []
    Reflect.set(globalThis, 'asked', asked)
    session.defaultSession.webRequest.onBeforeRequest(({ url, method }, decide) => {
      asked.push(`${method} ${url}`)
      decide({ cancel: url.includes('cancelled') })
    })
  })
  const outcomes = await page.evaluate(async () => {
    const outcome = (path: string): Promise<string> =>
      fetch(path, { method: 'POST', body: 'x' }).then(
        (response) => response.text(),
        () => 'failed',
      )
    return [await outcome('/kept'), await outcome('/cancelled')]
  })
  expect(outcomes).toEqual(['X', 'failed'])
  const asked = await app.evaluate(({ session }) => {
    session.defaultSession.webRequest.onBeforeRequest(null)
    return Reflect.get(globalThis, 'asked') as string[]
  })
  // The requests for the icon are not compared, because Chromium may request the icon of a page at any time.
  const called = asked.filter((request) => !request.endsWith('/favicon.ico'))
  expect(called).toEqual(['POST app://probe/kept', 'POST app://probe/cancelled'])
})

it('onBeforeRequest of the stand-in for Electron throws if main calls it with a filter of URLs', async () => {
  const filtered = started.app.evaluate(({ session }) =>
    session.defaultSession.webRequest.onBeforeRequest({ urls: ['*://*/*'] }, (_details, decide) =>
      decide({}),
    ),
  )
  await expect(filtered).rejects.toThrow('takes no filter')
})

it('a download in the stand-in for Electron is saved unless a listener of will-download prevents it', async () => {
  const { app, page } = started
  await app.evaluate(({ session }) => {
    const seen: string[] = []
    Reflect.set(globalThis, 'downloads', seen)
    session.defaultSession.on('will-download', (event, item) => {
      seen.push(item.getFilename())
      if (item.getFilename() === 'prevented.txt') event.preventDefault()
    })
  })
  const seen = (): Promise<unknown> => app.evaluate(() => Reflect.get(globalThis, 'downloads') as unknown)
  const download = (name: string): Promise<void> =>
    page.evaluate((name) => {
      const link = document.createElement('a')
      link.href = URL.createObjectURL(new Blob([name]))
      link.download = name
      link.click()
    }, name)
  await download('prevented.txt')
  await expect.poll(seen).toEqual(['prevented.txt'])
  await download('kept.txt')
  await expect.poll(seen).toEqual(['prevented.txt', 'kept.txt'])
  const folder = join(dataDir, 'standin-chromium/downloads')
  await expect.poll(() => readdirSync(folder).filter((name) => !name.endsWith('.crdownload')).length).toBe(1)
})

it('a window of the stand-in for Electron whose partition is not persistent has its own handlers, and its storage is not kept', async () => {
  const { app } = started
  const opened = app.waitForEvent('window')
  const served = await app.evaluate(async ({ BrowserWindow, session }) => {
    const partition = session.fromPartition('memory')
    const window = new BrowserWindow({ webPreferences: { partition: 'memory' } })
    const load = (): Promise<boolean> =>
      window.loadURL('app://probe/memory').then(
        () => true,
        () => false,
      )
    const before = await load()
    partition.protocol.handle(
      'app',
      () => new Response('memory', { headers: { 'content-type': 'text/html' } }),
    )
    return { before, after: await load(), isPersistent: partition.isPersistent() }
  })
  expect(served).toEqual({ before: false, after: true, isPersistent: false })
  const page = await opened
  // Playwright may report the end of the navigation later than the window.
  await page.locator('body', { hasText: /^memory$/ }).waitFor()
  await page.evaluate(() => localStorage.setItem('written', 'in memory'))
  // The other window has the same origin, but must not see the stored item.
  expect(await started.page.evaluate(() => localStorage.getItem('written'))).toBeNull()
  await page.close()
})
