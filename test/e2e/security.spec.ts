import { readdirSync, readFileSync, lstatSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '#support/app.ts'

test.beforeAll(async ({ deskOf }, testInfo) => {
  const { page } = await deskOf(testInfo.file)
  await page.locator('html[data-screen="login"]').waitFor()
})

test('the page sees the frozen bridge and nothing of Node or Electron', async ({ page }) => {
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
      'station',
      'storage',
    ],
  })
})

test('a call with wrong arguments is refused before it gets anywhere', async ({ page }) => {
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

test('inline script, inline style, eval and foreign addresses are refused by the policy', async ({
  page,
}) => {
  const refused = await page.evaluate(async () => {
    const violated: string[] = []
    document.addEventListener('securitypolicyviolation', (event) => violated.push(event.effectiveDirective))
    const script = document.createElement('script')
    // trusted types throw on the assignment itself
    const assigned = ((): boolean => {
      try {
        script.textContent = 'window.injected = true'
        document.head.append(script)
        return true
      } catch {
        return false
      }
    })()
    // in a task of its own: the debugger's own evaluation is exempt from the policy
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

test('the page cannot leave the app, open windows or get a permission', async ({ page, desk }) => {
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

test('paths outside the built page are not served', async ({ page }) => {
  const loads = await page.evaluate(async () => {
    const load = (path: string): Promise<boolean> =>
      new Promise((resolve) => {
        // trusted types forbid to set a script's address; a preloaded module is fetched alike
        const link = document.createElement('link')
        link.rel = 'modulepreload'
        link.onload = () => resolve(true)
        link.onerror = () => resolve(false)
        link.href = path
        document.head.append(link)
      })
    const own = document.querySelector('script[src]')?.getAttribute('src') ?? ''
    // the first one shows that a script of the page itself does load
    return Promise.all(
      [own, '/../main/main.js', '/..%2fmain/main.js', '/%2e%2e/main/main.js', '/../preload/preload.cjs'].map(
        load,
      ),
    )
  })
  expect(loads).toEqual([true, false, false, false, false])
})

test('no file of the desk holds the password or a token in the clear', async ({ page, desk }) => {
  await page.keyboard.press('Enter')
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

function filesBelow(folder: string): string[] {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name)
    return lstatSync(path).isDirectory() ? filesBelow(path) : [path]
  })
}
