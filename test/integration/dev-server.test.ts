import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { _electron, type Browser, chromium, type Page } from 'playwright'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { processesOf, removeAll, standIn } from '#stand-in/probe/launch.ts'
import { type ChildProgram, startProgram, waitUntil } from '#support/child-program.ts'

/** A copy of the checkout whose sources the tests change. It uses the installed packages of the original. */
let checkout: string
let running: ChildProgram
let browser: Browser | undefined

/** Runs an npm script in the copy of the checkout, without the usual check that the packages are installed. */
function startScript(name: string, options: object = {}): ChildProgram {
  const code = `const { scripts } = await import(${JSON.stringify(join(checkout, 'electron/launch/scripts.mjs'))})
    await scripts[${JSON.stringify(name)}].run({ options: ${JSON.stringify(options)}, free: [] }, [])`
  return startProgram(process.execPath, ['--input-type=module', '-e', code], { SCANDESK_ENGINE: 'stand-in' })
}

const edit = (path: string, from: string, to: string): void => {
  const file = join(checkout, path)
  const text = readFileSync(file, 'utf8')
  if (!text.includes(from)) throw new Error(`${path} has no ${from}`)
  writeFileSync(file, text.replace(from, to))
}

/** Returns the debugger addresses of the apps started until now, the newest last. */
const debuggers = (): string[] =>
  [...running.log().matchAll(/DevTools listening on (ws:\S+)/g)].map(([, address = '']) => address)

function showLog(cause: unknown): never {
  throw new Error(running.log(), { cause })
}

/**
 * Waits until the app has started `starts` times. Returns the page of the newest start when the page shows the login.
 */
async function openPage(starts: number): Promise<Page> {
  await waitUntil(() => debuggers().length >= starts || running.hasEnded(), 'the app').catch(showLog)
  if (running.hasEnded()) showLog(new Error('it has ended'))
  await browser?.close()
  browser = await chromium.connectOverCDP(debuggers().at(-1) ?? '')
  const pages = (): Page[] => browser?.contexts().flatMap((context) => context.pages()) ?? []
  const isDesk = (page: Page): boolean => page.url().startsWith('http://127.0.0.1:')
  await waitUntil(() => pages().some(isDesk), 'the page of the server').catch(showLog)
  const page = pages().find(isDesk)
  if (!page) throw new Error('the page has gone')
  // The time limit is long, because a page of the development server loads hundreds of files, one request each.
  page.setDefaultTimeout(90_000)
  await page.locator('html[data-screen="login"]').waitFor().catch(showLog)
  return page
}

beforeAll(() => {
  checkout = mkdtempSync(join(tmpdir(), 'scandesk-dev-'))
  const folders = ['electron', 'src', 'resources', 'test/electron-stand-in']
  const files = ['package.json', 'tsconfig.base.json', 'svelte.config.js', 'electron.vite.config.ts']
  for (const part of [...folders, ...files]) cpSync(part, join(checkout, part), { recursive: true })
  symlinkSync(resolve('node_modules'), join(checkout, 'node_modules'))
})
afterAll(async () => {
  await browser?.close()
  removeAll(checkout)
})

// A test makes up to four waits of at most 90 s each. Its time limit is longer than that of a wait, so that the error
// of a failed wait ends the test.
describe('npm run dev', { timeout: 300_000 }, () => {
  let page: Page

  beforeAll(async () => {
    running = startScript('dev', { 'remote-debugging-port': '0' })
    page = await openPage(1)
    await page.evaluate(() => Object.assign(window, { isSame: true }))
  })
  it('shows a changed component without loading the page again', async () => {
    appendFileSync(join(checkout, 'src/features/login/LoginScreen.svelte'), '\n<p id="added">Added</p>\n')
    await page.locator('#added').waitFor()
    expect(await page.evaluate(() => 'isSame' in window)).toBe(true)
  })

  it('loads the page again with the new text after a change of a message file', async () => {
    edit('resources/i18n/messages/en.json', '"Username"', '"Name of the user"')
    await page.getByText('Name of the user').waitFor()
    await page.waitForFunction(() => !('isSame' in window))
    await page.getByText('Name of the user').waitFor()
  })

  it('restarts the app after a change of a file of the main process', async () => {
    appendFileSync(join(checkout, 'electron/main/main.ts'), "\nconsole.log('main has changed')\n")
    page = await openPage(2)
    // The app has started only twice: the earlier changes of a component and of a message file caused no restart,
    // because the main process uses neither file.
    expect(debuggers()).toHaveLength(2)
    expect(running.log()).toContain('main has changed')
    expect(running.log()).not.toContain('already runs')
  })

  it('reports a syntax error in a file of the main process, and restarts the app when the file is corrected', async () => {
    edit('electron/main/main.ts', "console.log('main has changed')", "console.log('main has")
    await waitUntil(() => running.log().includes('main does not build'), 'the complaint').catch(showLog)
    edit('electron/main/main.ts', "console.log('main has", "console.log('main is right')")
    await openPage(3)
    expect(running.log()).toContain('main is right')
  })

  it('leaves no process behind when it ends', async () => {
    await running.end()
    await waitUntil(() => processesOf(checkout).length === 0, 'the end of all processes')
  })
})

describe('a development server that ELECTRON_RENDERER_URL names', () => {
  const requests: string[] = []
  const server = createServer((request, response) => {
    requests.push(request.url ?? '')
    response.setHeader('content-type', 'text/html').end('<title>Foreign</title>')
  })
  let address: string

  beforeAll(async () => {
    await new Promise<void>((listens) => void server.listen(0, '127.0.0.1', listens))
    const bound = server.address()
    address = `http://127.0.0.1:${typeof bound === 'object' && bound ? bound.port : 0}`
    const build = startScript('build')
    await waitUntil(() => build.hasEnded(), 'the build')
    expect(existsSync(join(checkout, 'out/main/main.js')), build.log()).toBe(true)
  })
  afterAll(() => {
    server.closeAllConnections()
    server.close()
  })

  it.each([
    { what: 'a plain start', folder: '.', env: {} },
    { what: 'a packaged app', folder: '.', env: { STANDIN_PACKAGED: '1' } },
    { what: 'a packaged app of a development build', folder: 'out/dev', env: { STANDIN_PACKAGED: '1' } },
  ])('gets no request from $what', async ({ folder, env }) => {
    const dataDir = join(checkout, 'data')
    mkdirSync(dataDir, { recursive: true })
    const app = await _electron.launch({
      executablePath: join(standIn, 'electron'),
      args: [join(checkout, folder), `--data-dir=${dataDir}`, '--lang=en'],
      env: { ...process.env, ...env, ELECTRON_RENDERER_URL: address },
    })
    try {
      const page = await app.firstWindow()
      await page.waitForURL(/^(?!about:)/)
      const own = page.url()
      expect(own).toMatch(/^https:\/\/desk\.app\.standin\.localhost\//)
      // Also tests that main does not let the page navigate to the address of another development server.
      await page.evaluate((to) => void (window.location.href = to), address)
      await expect.poll(() => page.evaluate(() => document.readyState)).toBe('complete')
      await page.waitForTimeout(300)
      expect(page.url()).toBe(own)
      expect(requests).toEqual([])
    } finally {
      await app.close()
    }
  })
})
