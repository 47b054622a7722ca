import type { Page } from '@playwright/test'
import type { Command } from '#shared/domain/commands.ts'
import { expect, shot, test } from '#support/app.ts'
import { commandText, scan, scanCommand } from '#support/scan.ts'
import { beginBooking, StockServer } from '#support/stock-server.ts'

// These tests use one desk and one server. They are about command barcodes in the running app, the notice for a command
// without an effect, and the notice of a window without the focus.
test.describe.configure({ mode: 'serial' })

let server: StockServer

test.beforeAll(async () => {
  server = await StockServer.start()
})
test.afterAll(() => server.stop())

const command = (page: Page, name: Command): Promise<void> => scanCommand(page, name)

test('scanned digits form a number on the screen, which becomes the quantity when the operator scans ENTER', async ({
  desk,
  page,
}) => {
  await server.openDesk(desk)
  await beginBooking(page)
  const [article] = server.articles
  if (!article) throw new Error('the demo has no article')
  const line = page.locator(`[data-line="${article.article_code}"]`)
  await command(page, 'CORRECTION')
  await scan(page, article.ean ?? '')
  for (const digit of ['FOUR', 'ZERO'] as const) await command(page, digit)
  const echo = page.locator('[data-echo="number"]')
  await expect(echo).toContainText('40 ×')
  await expect(line).toHaveAttribute('data-pieces', '1')
  await shot(page, 'booking-number')
  await command(page, 'PRIMARY')
  await expect(page.locator('[data-echo="number_waits"]')).toBeVisible()
  await command(page, 'ENTER')
  await expect(line).toHaveAttribute('data-pieces', '40')
  await command(page, 'UNDO')
  await expect(line).toHaveAttribute('data-pieces', '1')
})

test('a notice names a scanned command that has no effect, and disappears at the next scan', async ({
  page,
}) => {
  await command(page, 'HOME')
  await expect(page.locator('html[data-place="stage"]')).toBeAttached()
  await command(page, 'DEFECTIVE')
  const notice = page.locator('[data-notice="not_here"]')
  await expect(notice).toContainText('“Reason: defective” does nothing here.')
  await shot(page, 'command-not-here')
  await command(page, 'HELP')
  await expect(notice).toHaveCount(0)
})

test('after a command that opens a screen, the commands that directly follow operate that screen', async ({
  page,
}) => {
  const names = ['HOME', 'SHEETS', 'NEXT', 'NEXT'] as const
  const texts = await Promise.all(names.map((name) => commandText(page, name)))
  // The time stamps of the keys are as far apart as if an operator scanned several barcodes, but all keys arrive at
  // once.
  await Promise.all(texts.map((text) => scan(page, text, { gapMs: 1 })))
  await expect(page.locator('html[data-place="sheets"]')).toBeAttached()
  await expect(page.getByRole('button', { name: 'Methods, printers' })).toHaveAttribute(
    'aria-pressed',
    'true',
  )
})

test('a window without the focus shows a large notice, and a click on this notice presses no button', async ({
  page,
}) => {
  await command(page, 'HOME')
  await page.evaluate(() => {
    document.hasFocus = () => false
    window.dispatchEvent(new Event('blur'))
  })
  const banner = page.locator('[data-unheard]')
  await expect(banner).toContainText('This window does not hear the scanner')
  const [box, view] = await Promise.all([
    banner.boundingBox(),
    page.evaluate(() => ({ width: innerWidth, height: innerHeight })),
  ])
  expect(box?.width).toBeGreaterThan(view.width * 0.95)
  expect(box?.height).toBeGreaterThan(96)
  expect(box?.height).toBeLessThan(view.height / 5)
  const title = await banner
    .locator('p')
    .first()
    .evaluate((element) => parseFloat(getComputedStyle(element).fontSize))
  expect(title).toBeGreaterThanOrEqual(40)
  await shot(page, 'unfocused')
  // The notice covers buttons. A click that returns the focus to the window must not press one of these buttons.
  await page.mouse.click((box?.x ?? 0) + 40, (box?.y ?? 0) + 60)
  await expect(page.locator('html[data-place="stage"]')).toBeAttached()
  await page.evaluate(() => {
    Reflect.deleteProperty(document, 'hasFocus')
    window.dispatchEvent(new Event('focus'))
  })
  await expect(banner).toHaveCount(0)
})
