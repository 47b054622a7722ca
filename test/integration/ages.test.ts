import type { Page } from '@playwright/test'
import { beforeAll, describe, expect, it } from 'vitest'
import { count } from '#support/counts.ts'
import { scenarios } from '../gallery/scenarios.ts'
import { useGallery } from '../gallery/use-gallery.ts'

/**
 * No screen shows a number of the service without its age. Each scenario is drawn twice, with other figures of the
 * service and everything else the same. A text that differs between the drawings contains a figure of the service or a
 * number computed from such a figure, so it must be marked (src/ui/Quantity.svelte). Beside each mark the screen must
 * show the age of the response with the figure.
 */

const gallery = useGallery()
let pages: readonly [Page, Page]

beforeAll(async () => {
  const open = async (): Promise<Page> => {
    const page = await gallery.newPage()
    await page.clock.setFixedTime('2026-11-21T14:07:00+01:00')
    return page
  }
  pages = [await open(), await open()]
})

/**
 * Each scenario is drawn twice, each time with one of these numbers added to every number from the service. Both are
 * far above the numbers of the sample data, and far apart.
 */
const shifts = [3000, 7000] as const

async function draw(name: string): Promise<void> {
  await Promise.all(
    pages.map(async (page, i) => {
      await gallery.show(page, name, { more: `&shift=${String(shifts[i] ?? shifts[0])}` })
    }),
  )
}

async function both(run: () => void): Promise<void> {
  await Promise.all(pages.map((page) => page.evaluate(run)))
}

/**
 * Returns all texts with digits outside the elements with `data-quantity` (src/ui/Quantity.svelte), also those for
 * screen readers and in tooltips. Runs in the page.
 */
function unmarkedTexts(): string[] {
  const app = document.querySelector('#app')
  if (!app) return []
  const texts: string[] = []
  const walker = document.createTreeWalker(app, NodeFilter.SHOW_TEXT)
  while (walker.nextNode()) {
    const { parentElement, textContent } = walker.currentNode
    if (!parentElement?.closest('[data-quantity]')) texts.push((textContent ?? '').trim())
  }
  for (const element of app.querySelectorAll('*')) {
    if (element.closest('[data-quantity]')) continue
    for (const name of ['title', 'aria-label', 'aria-valuetext', 'alt', 'placeholder']) {
      const text = element.getAttribute(name)
      if (text !== null) texts.push(`${name}: ${text}`)
    }
  }
  return texts.filter((text) => /\d/.test(text))
}

/**
 * Returns the text of each number of the service (`data-quantity`) whose age is missing. If the number is visible, its
 * age must be visible too. Runs in the page.
 */
function agelessMarks(): string[] {
  const isSeen = (element: Element): boolean => {
    const box = element.getBoundingClientRect()
    if (!element.checkVisibility({ opacityProperty: true, visibilityProperty: true }) || box.width === 0) {
      return false
    }
    const top = document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2)
    return top !== null && (element.contains(top) || top.contains(element))
  }
  return [...document.querySelectorAll<HTMLElement>('[data-quantity]')].flatMap((mark) => {
    const { asOf } = mark.dataset
    const zone = mark.closest('[data-aged]')
    const ages = [...(zone?.querySelectorAll('time') ?? [])].filter(
      (time) => time.dateTime === asOf && time.textContent.trim() !== '',
    )
    const kept = isSeen(mark) ? ages.some(isSeen) : ages.length > 0
    return kept ? [] : [`${mark.textContent} (${asOf ?? 'no age'})`]
  })
}

async function faults(): Promise<{ unmarked: string[]; ageless: string[] }> {
  const [first, second] = await Promise.all(pages.map((page) => page.evaluate(unmarkedTexts)))
  const known = new Set(first)
  const unmarked = (second ?? []).filter((text) => !known.has(text))
  return { unmarked, ageless: await pages[0].evaluate(agelessMarks) }
}

async function marks(): Promise<number> {
  return pages[0].locator('[data-quantity]').count()
}

/**
 * Short runs draw the main screens, and the screens that are most likely to show a figure of the service without its
 * age by mistake. Long runs draw all screens.
 */
const short =
  /^(article-(kept|no-lots)|expired|label-offline|booking|catalogue-stopped|expiring-many|kept-(stopped|reading)|list-offline|search-part)$/
const main = /^(home|article|shipment|list|unknown|search|expiring|kept|storage|restored|queue|booked-decide)/
const shown = scenarios.filter(
  ({ name, sizes }) => count(0, 1) === 1 || short.test(name) || (sizes === 'both' && main.test(name)),
)

describe('every number of the service is shown with its age', () => {
  it.each(shown.map(({ name }) => name))('in the scenario %s', async (name) => {
    await draw(name)
    expect(await faults()).toEqual({ unmarked: [], ageless: [] })
  })
})

describe('the check that every number of the service is shown with its age', () => {
  it.each([
    ['article', 8],
    ['shipment', 4],
    ['expiring', 7],
    ['kept-skipped', 7],
    ['list', 2],
    ['home-first', 2],
  ] as const)(
    'finds in the scenario %s at least %i numbers that come from the service',
    async (name, least) => {
      await draw(name)
      expect(await marks()).toBeGreaterThanOrEqual(least)
    },
  )

  it('reports a number of the service that is not marked with data-quantity, and an unmarked sum of such numbers', async () => {
    await draw('article')
    await both(() => {
      for (const mark of document.querySelectorAll('[data-quantity]')) mark.replaceWith(mark.textContent)
    })
    const { unmarked } = await faults()
    // The first of the five lots has six pieces, and all five lots together have 1,473 pieces. On the second page,
    // 7,000 is added to the pieces of each lot (`shifts`).
    expect(unmarked).toEqual(expect.arrayContaining(['7,006', '36,473']))
  })

  it.each([
    [
      'missing',
      () => {
        for (const time of document.querySelectorAll('section time')) time.remove()
      },
    ],
    [
      'of another time',
      () => {
        for (const time of document.querySelectorAll('section time')) {
          time.setAttribute('datetime', new Date(0).toISOString())
        }
      },
    ],
    [
      'covered',
      () => {
        const cover = document.createElement('div')
        const place = document.querySelector('section time')?.getBoundingClientRect()
        const left = `${String(place?.left ?? 0)}px`
        const top = `${String(place?.top ?? 0)}px`
        Object.assign(cover.style, {
          position: 'fixed',
          left,
          top,
          width: '300px',
          height: '24px',
          zIndex: '99',
        })
        document.body.append(cover)
      },
    ],
  ])('reports numbers of the service whose displayed age is %s', async (_, spoil) => {
    await draw('article-kept')
    expect((await faults()).ageless).toEqual([])
    await both(spoil)
    expect((await faults()).ageless.length).toBeGreaterThanOrEqual(3)
  })
})
