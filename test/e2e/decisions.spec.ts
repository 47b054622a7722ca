import type { Locator, Page } from '@playwright/test'
import type { Variant } from '#shared/wire/variant.ts'
import { expect, shot, test } from '#support/app.ts'
import { scan, scanCommand } from '#support/scan.ts'
import { beginBooking, StockServer } from '#support/stock-server.ts'

// These tests use one desk and one server. They are about decisions of the warehouse on bookings of the desk.
test.describe.configure({ mode: 'serial' })

let server: StockServer

test.beforeAll(async () => {
  server = await StockServer.start()
})
test.afterAll(() => server.stop())

const phase = (page: Page, name: string): Locator => page.locator(`[data-phase="${name}"]`)
const banner = (page: Page, kind: string): Locator => page.locator(`[data-decided="${kind}"]`)

function article(index: number): Variant {
  const found = server.articles[index]
  if (!found) throw new Error('the demo has too few articles for this file')
  return found
}

/** Books one lost piece. Returns the reference of the booking at the service. */
async function book(page: Page, one: Variant): Promise<string> {
  const before = (await server.booked()).length
  await beginBooking(page)
  await scanCommand(page, 'LOST')
  await scan(page, server.known[0]?.code ?? '')
  await scan(page, one.ean ?? '')
  await expect(phase(page, 'ready')).toBeVisible()
  await scanCommand(page, 'PRIMARY')
  await expect(phase(page, 'done')).toContainText('Sent to the warehouse')
  await expect.poll(async () => (await server.booked()).length).toBe(before + 1)
  return newest()
}

async function newest(): Promise<string> {
  const [last] = await server.booked()
  return last?.reference ?? ''
}

test('an approval appears on the open card of its booking, without a notice to confirm', async ({
  desk,
  page,
}) => {
  await server.openDesk(desk)
  const reference = await book(page, article(0))
  server.decide(reference, 'approved')
  await expect(phase(page, 'done')).toContainText('It is approved.')
  await expect(banner(page, 'approved')).toHaveCount(0)
  await scanCommand(page, 'HOME')
  await expect(banner(page, 'approved')).toHaveCount(0)
})

test('the notice of an approval remains after a restart until an operator marks the notice as seen', async ({
  desk,
}) => {
  const reference = await book(desk.page, article(1))
  await scanCommand(desk.page, 'HOME')
  server.decide(reference, 'approved')
  await expect(banner(desk.page, 'approved')).toContainText(reference)
  await desk.restart()
  await expect(banner(desk.page, 'approved')).toContainText('The stock was changed.')
  await shot(desk.page, 'decided-approved')
  await banner(desk.page, 'approved').getByRole('button', { name: 'Seen' }).click()
  await expect(banner(desk.page, 'approved')).toHaveCount(0)
})

test('a disapproved booking can be corrected and sent as a new booking that names the disapproved booking', async ({
  page,
}) => {
  const reference = await book(page, article(2))
  await scanCommand(page, 'HOME')
  server.decide(reference, 'disapproved')
  await expect(banner(page, 'disapproved')).toContainText(reference)
  await expect(page.locator('[data-notices="1"]')).toBeVisible()
  await shot(page, 'decided-disapproved')
  await banner(page, 'disapproved').getByRole('button', { name: 'Show it' }).click()
  await expect(phase(page, 'disapproved')).toContainText('Ask why')
  await expect(banner(page, 'disapproved')).toHaveCount(0)
  await scanCommand(page, 'PRIMARY')
  await expect(page.locator('html')).toHaveAttribute('data-place', 'modification')
  await expect(page.locator('[data-corrects]')).toContainText(`Corrects ${reference}`)
  await expect(page.locator(`[data-line="${article(2).article_code}"]`)).toHaveAttribute('data-pieces', '-1')
  // Outside the draft of the correction, the notice is shown until the correction is booked.
  await scanCommand(page, 'HOME')
  await expect(banner(page, 'disapproved')).toBeVisible()
  await scanCommand(page, 'BOOK')
  await scan(page, article(2).ean ?? '')
  await expect(page.locator(`[data-line="${article(2).article_code}"]`)).toHaveAttribute('data-pieces', '-2')
  const before = (await server.booked()).length
  await scanCommand(page, 'PRIMARY')
  await expect(phase(page, 'done')).toContainText(`Corrects ${reference}`)
  await expect(page.locator('[data-notices="0"]')).toBeVisible()
  await expect.poll(async () => (await server.booked()).length).toBe(before + 1)
  const [correction] = await server.booked()
  expect(correction?.lines.map(([, , quantity]) => quantity)).toEqual([-2])
  await scan(page, reference)
  await expect(phase(page, 'disapproved')).toContainText(`Corrected by ${correction?.reference ?? ''}`)
  await expect(page.getByRole('button', { name: 'Correct it' })).toHaveCount(0)
  await shot(page, 'decided-corrected')
})

test('the queue lists disapproved bookings until they are marked as seen', async ({ page }) => {
  const reference = await book(page, article(3))
  await scanCommand(page, 'HOME')
  server.decide(reference, 'disapproved')
  await expect(banner(page, 'disapproved')).toBeVisible()
  await scanCommand(page, 'QUEUE')
  const row = page.locator('[data-item^="notice"]')
  await expect(row).toContainText('Disapproved by the warehouse')
  await row.click()
  await page.getByRole('button', { name: 'Seen' }).click()
  await expect(page.locator('[data-notices="0"]')).toBeVisible()
  await scanCommand(page, 'HOME')
  await expect(banner(page, 'disapproved')).toHaveCount(0)
})

test('the card of an article shows the salable stock and the stock in quarantine', async ({ page }) => {
  const one = article(0)
  const figures = await server.stockOf(one)
  await scan(page, one.ean ?? '')
  const card = page.locator(`[data-article="${one.article_code}"]`)
  await expect(card).toContainText(`Salable ${figures.salable.toLocaleString('en')}`)
  await expect(card).toContainText(`Quarantine ${figures.quarantine.toLocaleString('en')}`)
  await shot(page, 'article-stock')
})
