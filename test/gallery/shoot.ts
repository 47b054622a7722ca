/**
 * `npm run screens [-- NAME…]`: takes a picture of every screen in every state, and saves it in out/screens/. With
 * NAME, only the screens whose names begin with NAME. The real components draw the screens on an in-memory desk. The
 * run fails after a violation of the content security policy of the gallery (serve.ts), an error or a warning in the
 * page, or a text that is cut off.
 */
import { mkdir, rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { Browser } from '@playwright/test'
import type { Language } from '#shared/domain/languages.ts'
import { scenarios } from './scenarios.ts'
import { launchBrowser, serveGallery } from './serve.ts'

const screens = resolve(import.meta.dirname, '../../out/screens')

interface Look {
  readonly language: Language
  readonly colorScheme: 'light' | 'dark'
  readonly width: number
  readonly height: number
}

/**
 * `--secret`: pictures as at a real station, whose command barcodes contain a secret and are therefore longer than in
 * the sandbox.
 */
const isSecret = process.argv.includes('--secret')
const secretQuery = isSecret ? '&secret=7K2QX' : ''

const small = { width: 1366, height: 768 }
const looks: readonly Look[] = [
  { language: 'en', colorScheme: 'light', ...small },
  { language: 'nl', colorScheme: 'dark', ...small },
]
/** The picture at the smallest size that main/window.ts allows, in the language with the longer texts. */
const least: Look = { language: 'nl', colorScheme: 'light', width: 1024, height: 640 }
const large: Look = { language: 'nl', colorScheme: 'light', width: 1920, height: 1080 }

/**
 * Takes a picture of each scenario in `names` in one language, size and theme. Returns the errors and warnings of the
 * pages, and their texts that are cut off.
 */
async function shoot(
  browser: Browser,
  origin: string,
  look: Look,
  names: readonly string[],
): Promise<string[]> {
  const { language, colorScheme, width, height } = look
  const context = await browser.newContext({
    viewport: { width, height },
    colorScheme,
    timezoneId: 'Europe/Amsterdam',
    reducedMotion: 'reduce',
  })
  const page = await context.newPage()
  await page.clock.setFixedTime('2026-11-21T14:07:00+01:00')
  const faults: string[] = []
  for (const name of names) {
    const file = `${name}${isSecret ? '.secret' : ''}.${language}.${colorScheme}.${String(width)}.png`
    const note = (text: string): void => {
      faults.push(`${file}: ${text}`)
    }
    page.removeAllListeners()
    page.on('pageerror', (error) => {
      note(error.message)
    })
    page.on('console', (message) => {
      if (message.type() === 'error' || message.type() === 'warning') note(message.text())
    })
    await page.goto(`${origin}/?scenario=${name}&language=${language}${secretQuery}`)
    const ready = await page
      .locator('html[data-ready=yes]')
      .waitFor({ timeout: 15_000 })
      .then(
        () => true,
        () => false,
      )
    if (!ready) {
      note('the scenario did not come to its end')
      continue
    }
    await page.evaluate(() => document.fonts.ready)
    for (const text of await page.evaluate(overflowing)) note(`cut off: ${text}`)
    await page.screenshot({ path: join(screens, file) })
  }
  await context.close()
  return faults
}

/**
 * Finds texts that are cut off: they are wider than their box and not in a list, or extend beyond the right edge of
 * their part of the window. Texts that are shortened with an ellipsis do not count. Runs in the page.
 */
function overflowing(): string[] {
  const found: string[] = []
  for (const element of document.querySelectorAll<HTMLElement>('#app *')) {
    if (element.closest('.visually-hidden, svg') || element.childElementCount > 0) continue
    const box = element.getBoundingClientRect()
    const style = getComputedStyle(element)
    // The style `ellipsis` may also be at the parent or the grandparent of a text: a barcode's text can consist of
    // several elements inside one box, and only the box has this style.
    const around = [element, element.parentElement, element.parentElement?.parentElement]
    const shortened = around.some((one) => one && getComputedStyle(one).textOverflow === 'ellipsis')
    const ellipsis = shortened || element.closest('ul, ol') !== null
    const cut = element.scrollWidth > element.clientWidth + 1 && style.display !== 'inline' && !ellipsis
    const frame = element.closest('main, aside, header, footer')?.getBoundingClientRect().right ?? innerWidth
    if ((cut || (box.right > frame + 1 && !shortened)) && element.textContent.trim() !== '') {
      found.push(element.textContent.trim().slice(0, 60))
    }
  }
  return found
}

async function main(): Promise<void> {
  const wanted = process.argv.slice(2).filter((arg) => arg !== '--secret')
  const chosen = scenarios.filter(
    ({ name }) => wanted.length === 0 || wanted.some((part) => name.startsWith(part)),
  )
  const unknown = wanted.find((part) => !scenarios.some(({ name }) => name.startsWith(part)))
  if (unknown !== undefined) {
    const names = scenarios.map(({ name }) => name).join(', ')
    console.error(`no screen has a name that begins with ${unknown}; there are ${names}`)
    process.exitCode = 1
    return
  }
  if (wanted.length === 0 && !isSecret) await rm(screens, { recursive: true, force: true })
  await mkdir(screens, { recursive: true })
  const { origin, stop } = await serveGallery()
  const browser = await launchBrowser()
  try {
    const faults: string[] = []
    const names = chosen.map(({ name }) => name)
    for (const look of looks) faults.push(...(await shoot(browser, origin, look, names)))
    const both = chosen.filter(({ sizes }) => sizes === 'both').map(({ name }) => name)
    faults.push(...(await shoot(browser, origin, large, both)))
    const narrow = chosen.filter((scenario) => scenario.narrow).map(({ name }) => name)
    faults.push(...(await shoot(browser, origin, least, narrow)))
    for (const fault of faults) console.error(fault)
    console.log(
      `${String(names.length * looks.length + both.length + narrow.length)} screens in out/screens, ${String(faults.length)} faults`,
    )
    process.exitCode = faults.length === 0 ? 0 : 1
  } finally {
    await browser.close()
    await stop()
  }
}

await main()
