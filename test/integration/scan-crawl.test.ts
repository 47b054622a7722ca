import type { ElementHandle, Page } from '@playwright/test'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { count } from '#support/counts.ts'
import { scan } from '#support/scan.ts'
import { scenarios } from '../gallery/scenarios.ts'
import { useGallery } from '../gallery/use-gallery.ts'

declare global {
  interface Window {
    /** The texts of the scans that the page of the gallery recorded. It records scans if its URL has `catch`. */
    caught: string[]
  }
}

const gallery = useGallery()
let page: Page

beforeAll(async () => {
  page = await gallery.newPage()
  // `Date.now` is constant, because texts that show ages would otherwise change while a screen with many elements is
  // tested. A stopped clock of the page would also change the time stamps of keys.
  await page.addInitScript((now) => (Date.now = () => now), Date.now())
})

const focusable = 'a[href], button, input, select, textarea, summary, [tabindex], [contenteditable]'
/**
 * The scanned text begins with a letter that would choose an option, contains a space that would press a button, and
 * ends with an Enter that would submit a form.
 */
const code = 'Label 8712-A x'

/**
 * Returns the parts of the page that a scan must not change: all texts, the values of fields and choices, and the open
 * elements.
 */
function stateOf(): string {
  const fields = [...document.querySelectorAll<HTMLInputElement>('input, select, textarea')]
  const shown = fields.map(({ value, checked }) => `${value} ${String(checked)}`)
  const open = document.querySelectorAll('dialog[open], details[open], [aria-expanded=true]').length
  return [
    // Compares textContent, because rows outside the visible area are not drawn and have no innerText.
    document.body.textContent,
    shown,
    open,
    location.href,
    document.documentElement.outerHTML.length,
  ].join(' ')
}

/** Waits until the page has drawn the scrolled position, because an edge of a view is reported one frame later. */
async function painted(): Promise<void> {
  await page.evaluate(async () => {
    for (let frame = 0; frame < 3; frame += 1) await new Promise(requestAnimationFrame)
  })
}

/** Waits until the page did not change for a quarter of a second, because parts of the previous place may still leave. */
async function settled(): Promise<void> {
  let before = ''
  await vi.waitFor(
    async () => {
      const now = await page.content()
      const isSame = now === before
      before = now
      expect(isSame).toBe(true)
    },
    { interval: 250, timeout: 20_000 },
  )
}

/** Returns the text around the first difference of two states. */
function difference(before: string, after: string): string {
  let at = 0
  while (at < before.length && before[at] === after[at]) at += 1
  const around = (text: string) => JSON.stringify(text.slice(Math.max(0, at - 30), at + 60))
  return `${around(before)} became ${around(after)}`
}

/** Returns the properties that determine the kind of an element. Short runs test one element of each kind. */
function kindOf(element: Element): string {
  return [
    element.tagName,
    element.getAttribute('type'),
    element.getAttribute('role'),
    element.className,
  ].join(' ')
}

async function elementsOf(name: string): Promise<ElementHandle<HTMLElement>[]> {
  await gallery.show(page, name, { more: '&catch' })
  await settled()
  const all = await page.$$(focusable)
  const usable: ElementHandle<HTMLElement>[] = []
  for (const element of all) {
    const takesFocus = await element.evaluate((one) => {
      if (!(one instanceof HTMLElement)) return false
      one.focus()
      return document.activeElement === one
    })
    if (takesFocus) usable.push(element as ElementHandle<HTMLElement>)
  }
  return usable
}

const kinds = new Set<string>()
/**
 * Short runs use one of every six main screens, and one element of each kind. Long runs use every element of every
 * screen.
 */
const isLong = count(0, 1) === 1
const main = scenarios.filter(({ sizes }) => sizes === 'both').filter((_, i) => i % 6 === 0)
const screens = (isLong ? scenarios : main).map(({ name }) => name)

describe('a scan reaches the desk once, and its keys do not change the screen, whichever element of the screen has the focus', () => {
  it.each(screens)('holds for each tested element of the screen %s', async (name) => {
    const missed: string[] = []
    for (const element of await elementsOf(name)) {
      const kind = await element.evaluate(kindOf)
      if (kinds.has(kind) && !isLong) continue
      kinds.add(kind)
      await element.focus()
      await painted()
      const before = await page.evaluate(stateOf)
      await scan(page, code, { pauseMs: 60 })
      const caught = await page.evaluate(() => window.caught.splice(0))
      const after = await page.evaluate(stateOf)
      const words = await element.evaluate((one) => one.outerHTML.slice(0, 160))
      if (caught.length !== 1 || caught[0] !== code) missed.push(`caught ${JSON.stringify(caught)}: ${words}`)
      if (after !== before) missed.push(`${difference(before, after)}: ${words}`)
    }
    expect(missed).toEqual([])
  })
})
