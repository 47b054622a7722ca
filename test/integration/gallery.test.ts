import type { Browser } from '@playwright/test'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ChildProgram, startProgram, waitUntil } from '#support/child-program.ts'
import { scenarios } from '../gallery/scenarios.ts'
import { launchBrowser } from '../gallery/serve.ts'

let running: ChildProgram
let browser: Browser
const printed = (): string => /http:\/\/127\.0\.0\.1:\d+\/\S+/.exec(running.log())?.[0] ?? ''

beforeAll(async () => {
  // Starts the gallery, a web page with every screen in every state, as `npm run gallery` does.
  running = startProgram(process.execPath, ['--disable-warning=ExperimentalWarning', 'test/gallery/open.ts'])
  browser = await launchBrowser()
  await waitUntil(() => printed() !== '' || running.hasEnded(), 'the address')
})
afterAll(async () => {
  await browser.close()
  await running.end()
})

describe('npm run gallery', () => {
  it('prints the address of a page with links to every screen in every state, and a link opens its screen', async () => {
    const page = await browser.newPage()
    const faults: string[] = []
    page.on('pageerror', (error) => faults.push(error.message))
    await page.goto(printed())
    await page.locator('li').first().waitFor()
    expect(await page.locator('a').count()).toBe(2 * scenarios.length)
    const { name = '' } = scenarios.at(-1) ?? {}
    await page.locator('li', { hasText: name }).last().getByText('nl', { exact: true }).click()
    await page.locator('html[data-ready=yes][lang=nl]').waitFor()
    expect(faults).toEqual([])
  })

  it('ends on Ctrl-C', async () => {
    await running.end('SIGINT')
    expect(running.hasEnded()).toBe(true)
  })
})
