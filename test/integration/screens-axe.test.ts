import { AxeBuilder } from '@axe-core/playwright'
import type { Page } from '@playwright/test'
import { beforeAll, describe, expect, it } from 'vitest'
import { count } from '#support/counts.ts'
import { scenarios } from '../gallery/scenarios.ts'
import { useGallery } from '../gallery/use-gallery.ts'

const gallery = useGallery()
/** One page for all tests, because each new page would compile the app again. */
let page: Page
let complaints: string[] = []

beforeAll(async () => {
  const context = await gallery.browser.newContext({ viewport: { width: 1366, height: 768 } })
  page = await context.newPage()
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text())
  })
})

/**
 * Short runs test every second main screen, alternately in the light and the dark theme. Long runs test every scenario
 * in both themes.
 */
const themes = ['light', 'dark'] as const
const main = scenarios.filter(({ sizes }) => sizes === 'both').filter((_, i) => i % 2 === 0)
const short = main.map(({ name }, i) => [name, themes[i % 2] ?? 'light'] as const)
const long = scenarios.flatMap(({ name }) => themes.map((theme) => [name, theme] as const))
const shown = [...short, ...long].slice(
  count(0, short.length),
  count(short.length, short.length + long.length),
)

describe('the screens of the app', () => {
  it.each(shown)(
    'have no accessibility violations that axe reports: screen %s in the %s theme',
    async (name, colorScheme) => {
      complaints = []
      await page.emulateMedia({ colorScheme })
      await gallery.show(page, name, { language: 'nl' })
      // Without frames there is only one result, so axe needs no second page to combine results.
      const { violations } = await new AxeBuilder({ page }).setLegacyMode().analyze()
      const found = violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)
      expect([...complaints, ...found]).toEqual([])
    },
  )
})
