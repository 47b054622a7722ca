import { expect, it } from 'vitest'
import { scenarios } from '../gallery/scenarios.ts'
import { useGallery } from '../gallery/use-gallery.ts'

const gallery = useGallery()

/**
 * Scenarios that show a card with an action zone (src/ui/ZoneFrame.svelte), except the scenarios of the list of labels
 * (`labels…`).
 */
const withZone = scenarios.filter(({ name }) => /^(shipment|label(?!s)|expired|looking)/.test(name))
/**
 * Scenarios of stock cards and stock screens. Their action zones (src/ui/ZoneFrame.svelte) are all at the same height,
 * which is lower than on the cards of labels.
 */
const stockCards = scenarios.filter(({ name }) => /^(article|location$|booked-(card|disapproved))/.test(name))
const bookings = scenarios.filter(({ name }) =>
  /^(booking|booked-(working|done|waiting|rejected))/.test(name),
)

/** The time limit is long, because the test shows about forty screens. */
const manyMs = 120_000

it(
  'cards of labels have their head, result and steps at the same position in every state',
  { timeout: manyMs },
  async () => {
    const page = await gallery.newPage()
    const places = new Set<string>()
    const titles = new Set<string>()
    for (const { name } of withZone) {
      await gallery.show(page, name)
      const tops = await page.evaluate(() => {
        const top = (selector: string): number | undefined =>
          document.querySelector(selector)?.getBoundingClientRect().top
        const head = document.querySelector('article header')?.getBoundingClientRect()
        // The action zone has no title until the desk has searched for the label of the shipment.
        const title = top('[data-outcome] strong')
        return { head, zone: top('[data-outcome]'), steps: top('[data-outcome] ol'), title }
      })
      const { head, zone, steps, title } = tops
      if (name !== 'looking') titles.add(String((title ?? 0) - (zone ?? 0)))
      places.add([head?.top, head?.bottom, zone, steps].join(' '))
    }
    await page.close()
    expect(places.size, [...places].join(', ')).toBe(1)
    expect([...titles]).toHaveLength(1)
    expect(Number([...titles][0])).toBeGreaterThan(0)
  },
)

it.each([
  ['cards of stock', stockCards, 288],
  ['the booking', bookings, 488],
] as const)(
  'the result zone of %s is at the same position in every state',
  { timeout: manyMs },
  async (_, shown, top) => {
    const page = await gallery.newPage()
    const places = new Set<string>()
    for (const { name } of shown) {
      await gallery.show(page, name, { language: 'nl' })
      const zone = await page.locator('[data-outcome]').boundingBox()
      places.add([zone?.y, zone?.height].join(' '))
    }
    await page.close()
    expect([...places]).toEqual([`${String(top)} 192`])
  },
)

/** Scenarios of screens with the usual page head. Cards have a different head. */
const places = [
  'search',
  'list',
  'expiring',
  'kept',
  'storage',
  'queue-mixed',
  'queue-outcome',
  'locations',
  'booking',
  'form-hand',
  'help',
]
const cards = ['home-first', 'shipment', 'label-printed', 'article', 'location', 'unknown']

/**
 * Returns where the title and the work area start and where a banner ends, in pixels from the top. Runs in the page.
 */
function tops(): { banner: number | null; title: number | null; all: number[] } {
  const boxes = (selector: string): DOMRect[] =>
    [...document.querySelectorAll(selector)].map((element) => element.getBoundingClientRect())
  const worked = boxes('main :is(h1, input, form, table, ul, ol, section, [role=table], [data-outcome])')
  return {
    banner: boxes('[data-banner]')[0]?.bottom ?? null,
    title: boxes('main h1')[0]?.top ?? null,
    all: worked.map(({ top }) => top),
  }
}

it.each([
  [1366, 768],
  [1920, 1080],
] as const)(
  'in a window of %i pixels in width, the titles of all places have the same position, with and without a banner',
  async (width, height) => {
    const page = await gallery.browser.newPage({ viewport: { width, height } })
    const titles = new Set<number | null>()
    for (const name of [...places, ...cards]) {
      await gallery.show(page, name, { language: 'nl' })
      const before = await page.evaluate(tops)
      expect(before.banner, name).toBeNull()
      await page.evaluate(() => window.dispatchEvent(new Event('offline')))
      await page.locator('[data-banner=offline]').waitFor()
      const under = await page.evaluate(tops)
      expect(under, name).toEqual({ ...before, banner: 112 })
      expect(under.title, name).toBeGreaterThanOrEqual(112)
      if (places.includes(name)) titles.add(under.title)
    }
    await page.close()
    expect([...titles]).toEqual([112])
  },
  120_000,
)

it.each(['decided-approved', 'decided-disapproved-many'])(
  'a banner leaves space above the headline of the home screen: %s',
  async (name) => {
    const page = await gallery.newPage()
    await gallery.show(page, name)
    const room = await page.evaluate(() => {
      const [banner, title] = ['[data-decided]', 'h1'].map((selector) => document.querySelector(selector))
      if (!banner || !title) throw new Error('there is no banner over a title')
      const { paddingTop, lineHeight, fontSize } = getComputedStyle(title)
      const aboveLetters = parseFloat(paddingTop) + (parseFloat(lineHeight) - parseFloat(fontSize)) / 2
      return title.getBoundingClientRect().top + aboveLetters - banner.getBoundingClientRect().bottom
    })
    await page.close()
    expect(room).toBeGreaterThanOrEqual(12)
  },
)

it.each(['restored-home', 'restored', 'restored-search', 'restored-kept'])(
  'the banner about restored data covers no text of the screen: %s',
  async (name) => {
    const page = await gallery.newPage()
    await gallery.show(page, name)
    const { banner, words } = await page.evaluate(() => {
      const boxOf = (element: Element): DOMRect => element.getBoundingClientRect()
      const bars = [...document.querySelectorAll('[data-recovered]')].map((element) => boxOf(element).bottom)
      const leaves = [...document.querySelectorAll('main *')].filter(
        (element) => element.childElementCount === 0 && element.textContent.trim() !== '',
      )
      return { banner: bars[0] ?? 0, words: Math.min(...leaves.map((element) => boxOf(element).top)) }
    })
    await page.close()
    expect(banner).toBeGreaterThan(0)
    expect(words).toBeGreaterThanOrEqual(banner)
  },
)

it('a notice about a scan does not overlap the line with the error code for support', async () => {
  const page = await gallery.newPage()
  await gallery.show(page, 'prints-not-here')
  const notice = await page.locator('[data-notice] p').boundingBox()
  const support = await page.getByText('printer.outcome_unknown').boundingBox()
  await page.close()
  if (!notice || !support) throw new Error('both are shown')
  expect(notice.y + notice.height).toBeLessThanOrEqual(support.y)
})
