import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { _electron, type Page } from 'playwright'
import { launchEnvironment } from '#support/app.ts'
import { randomFrom } from '#support/random.ts'
import { openDeskAt } from './app-under-bench.ts'
import { shareOf } from './bench-share.ts'
import { workFolder } from './bulk-file.ts'
import { printFigure } from './figure.ts'
import type { PageService } from './page-service.ts'
import { say } from './progress.ts'

const repo = resolve(import.meta.dirname, '../..')
const keys = shareOf(300, 30)
const shortestGapMs = 60
const longestGapMs = 150

interface TypingWatch {
  /** Time stamps of the key events, in ms of the page's clock. */
  readonly pressed: number[]
  readonly delays: number[]
}

declare global {
  interface Window {
    typingWatch?: TypingWatch
  }
}

/**
 * Measures the delay between a typed key and its character. The window holds each key back until it is clear whether a
 * scanner sent the key. The peer is a page that holds back no keys.
 */
export async function benchTyping(service: PageService): Promise<void> {
  const dataDir = workFolder('typing')
  const { app, page } = await openDeskAt(dataDir, service.scopeOf(0))
  try {
    say(`typing ${keys} keys …`)
    await watchKeys(page)
    await page.locator('html[data-screen="stage"]').waitFor()
    const field = 'input:not([type="checkbox"]):not([type="radio"])'
    const held = await typingDelays(page, field, keys)
    printFigure(
      { name: 'a typed key to its character in the field', values: held },
      { name: 'the same in a page that listens to no scanner', values: await delaysWithoutCapture() },
    )
  } finally {
    await app.close()
    rmSync(dataDir, { recursive: true, force: true })
  }
}

/**
 * Measures the delay between a typed key and its character in a page that does not capture scans. The page runs in the
 * browser engine of the desk.
 */
async function delaysWithoutCapture(): Promise<number[]> {
  const userData = mkdtempSync(join(tmpdir(), 'scandesk-bare-'))
  const app = await _electron.launch({
    args: [join(repo, 'test/electron-stand-in/probe'), `--data-dir=${userData}`],
    cwd: repo,
    env: { ...launchEnvironment, STANDIN_STRICT: '' },
  })
  try {
    const page = await app.firstWindow()
    await page.waitForURL(/^(?!about:)/)
    await watchKeys(page)
    await page.evaluate(() => document.body.replaceChildren(document.createElement('input')))
    return await typingDelays(page, 'input', keys)
  } finally {
    await app.close()
    rmSync(userData, { recursive: true, force: true })
  }
}

/**
 * Loads the page again with a key listener that runs before the capture of scans, because this capture hides the keys
 * that it holds back.
 */
async function watchKeys(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const typing: TypingWatch = { pressed: [], delays: [] }
    const { pressed, delays } = typing
    const onKey = (event: KeyboardEvent): void => {
      if (event.isTrusted && event.key.length === 1) pressed.push(event.timeStamp)
    }
    // The capture of scans holds keys back. When it releases them, several characters may reach the field at once.
    const onInput = (event: Event): void => {
      const field = event.target
      if (!(field instanceof HTMLInputElement)) return
      while (delays.length < pressed.length && delays.length < field.value.length)
        delays.push(performance.now() - (pressed[delays.length] ?? 0))
    }
    window.addEventListener('keydown', onKey, { capture: true })
    window.addEventListener('input', onInput, { capture: true })
    window.typingWatch = typing
  })
  await page.reload()
}

/**
 * Types letters into the first matching field like a person, with 60 to 150 ms between two keys. Returns the
 * milliseconds from the time stamp of each key to its character in the field. Throws if a character is missing.
 */
async function typingDelays(page: Page, selector: string, count: number): Promise<number[]> {
  const field = page.locator(selector).first()
  await field.fill('')
  await field.focus()
  const devtools = await page.context().newCDPSession(page)
  const random = randomFrom(7)
  for (let number = 0; number < count; number++) {
    const letter = String.fromCharCode(97 + Math.floor(random() * 26))
    const key = {
      key: letter,
      code: `Key${letter.toUpperCase()}`,
      windowsVirtualKeyCode: letter.toUpperCase().charCodeAt(0),
    }
    await devtools.send('Input.dispatchKeyEvent', {
      type: 'keyDown',
      text: letter,
      unmodifiedText: letter,
      ...key,
    })
    await devtools.send('Input.dispatchKeyEvent', { type: 'keyUp', ...key })
    await sleep(shortestGapMs + random() * (longestGapMs - shortestGapMs))
  }
  await sleep(1_000)
  const delays = await page.evaluate(() => window.typingWatch?.delays ?? [])
  await devtools.detach()
  if (delays.length !== count) throw new Error(`of ${count} keys ${delays.length} came`)
  return delays
}
