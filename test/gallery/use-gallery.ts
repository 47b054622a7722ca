import type { Browser, Page } from '@playwright/test'
import { afterAll, beforeAll } from 'vitest'
import type { Language } from '#shared/domain/languages.ts'
import { type Gallery, launchBrowser, serveGallery } from './serve.ts'

/** The gallery and a browser for it. Both start and end with the calling test file. */
export interface OpenGallery {
  readonly browser: Browser
  /** A page with the size of the smallest usual screen of a desk. */
  newPage(): Promise<Page>
  /** Shows a scenario and waits until it is complete. */
  show(page: Page, scenario: string, options?: ShowOptions): Promise<void>
}

interface ShowOptions {
  readonly language?: Language
  /** Further parameters of the gallery: `&catch`, `&shift=3000`. */
  readonly more?: string
}

export function useGallery(): OpenGallery {
  let gallery: Gallery
  let browser: Browser
  beforeAll(async () => {
    gallery = await serveGallery()
    browser = await launchBrowser()
  })
  afterAll(async () => {
    await browser.close()
    await gallery.stop()
  })
  return {
    get browser() {
      return browser
    },
    newPage: () => browser.newPage({ viewport: { width: 1366, height: 768 } }),
    async show(page, scenario, { language = 'en', more = '' } = {}) {
      await page.goto(`${gallery.origin}/?scenario=${scenario}&language=${language}${more}`)
      await page.locator('html[data-ready=yes]').waitFor()
    },
  }
}
