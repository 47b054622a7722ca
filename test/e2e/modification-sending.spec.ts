import type { Locator, Page } from '@playwright/test'
import type { Command } from '#shared/domain/commands.ts'
import type { Variant } from '#shared/wire/variant.ts'
import { expect, shot, test } from '#support/app.ts'
import { scan, scanCommand } from '#support/scan.ts'
import { logIn } from '#support/set-up-station.ts'
import { beginBooking, type BookedLine, StockServer } from '#support/stock-server.ts'

// These tests use one desk and one server. They are about the sending of bookings.
test.describe.configure({ mode: 'serial' })

let server: StockServer
/**
 * All booked lines, in the order of their booking. The service must have each of these lines once, and no other lines.
 */
const expected: BookedLine[] = []

test.beforeAll(async () => {
  server = await StockServer.start()
})
test.afterAll(() => server.stop())
test.afterEach(() => {
  server.meddle(() => null)
})

const command = (page: Page, name: Command): Promise<void> => scanCommand(page, name)
const phase = (page: Page, name: string): Locator => page.locator(`[data-phase="${name}"]`)

function article(index: number): Variant {
  const found = server.articles[index]
  if (!found) throw new Error('the demo has too few articles for this file')
  return found
}

function shelf(): { id: string; code: string } {
  const [first] = server.known
  if (!first) throw new Error('the demo has no location')
  return first
}

/** Prepares a booking of one lost piece, ready to be sent. */
async function putTogether(page: Page, one: Variant): Promise<void> {
  await beginBooking(page)
  await command(page, 'LOST')
  await scan(page, shelf().code)
  await scan(page, one.ean ?? '')
  await expect(phase(page, 'ready')).toBeVisible()
}

async function bookedLines(): Promise<BookedLine[]> {
  const booked = await server.booked()
  return booked.toReversed().flatMap(({ lines }) => lines)
}

test('a draft of a booking keeps its lines, note and location after a restart, and can then be sent', async ({
  desk,
}) => {
  await server.openDesk(desk)
  await putTogether(desk.page, article(0))
  await desk.page.getByLabel('Note').fill('half told')
  await command(desk.page, 'HOME')
  await desk.page.locator('html[data-screen="stage"]').waitFor()
  await expect
    .poll(() => desk.page.evaluate(() => window.scandesk.modification.draft()))
    .toMatchObject({ value: { note: 'half told' } })
  await desk.restart()
  const { page } = desk
  await page.locator('html[data-screen="stage"]').waitFor()
  await command(page, 'BOOK')
  await expect(page.locator(`[data-line="${article(0).article_code}"]`)).toHaveAttribute('data-pieces', '-1')
  await expect(page.getByLabel('Note')).toHaveValue('half told')
  await expect(phase(page, 'ready')).toContainText(shelf().code)
  await command(page, 'PRIMARY')
  await expect(phase(page, 'done')).toBeVisible()
  expected.push([article(0).id, shelf().id, -1])
  expect(await bookedLines()).toEqual(expected)
})

test('two bookings without a connection wait, and are each sent once after the outage', async ({ page }) => {
  await server.middleware.goOffline()
  for (const one of [article(1), article(2)]) {
    await putTogether(page, one)
    await command(page, 'PRIMARY')
    await expect(phase(page, 'waiting')).toBeVisible()
    expected.push([one.id, shelf().id, -1])
  }
  await expect(page.locator('[data-line="offline"]')).toBeVisible()
  await expect(page.locator('[data-waiting-writes="2"]')).toContainText('2 waiting')
  const waiting = page.getByRole('complementary').getByRole('button', { name: 'Book stock' })
  await expect(waiting).toHaveCount(2)
  await shot(page, 'booking-waits')
  await waiting.first().click()
  await expect(page.locator('[data-booking]')).toContainText(article(1).name)
  await server.middleware.goOnline()
  await expect(phase(page, 'done')).toBeVisible()
  await expect(page.locator('[data-waiting-writes="0"]')).toBeVisible()
  expect((await bookedLines()).toSorted()).toEqual(expected.toSorted())
})

test('a booking whose response was lost is found at the service and not sent again', async ({ page }) => {
  let posts = 0
  server.meddle((method, path) => {
    if (method !== 'POST' || path !== '/wms/modifications/') return null
    posts++
    return posts === 1 ? { kind: 'reset', applied: true } : null
  })
  await putTogether(page, article(3))
  await command(page, 'PRIMARY')
  await expect(phase(page, 'done')).toBeVisible()
  expected.push([article(3).id, shelf().id, -1])
  expect((await bookedLines()).toSorted()).toEqual(expected.toSorted())
  expect(posts).toBe(1)
  const [newest] = await server.booked()
  await expect(page.locator(`[title="${newest?.reference ?? ''}"]`).first()).toBeVisible()
})

test('a booking that the service refuses can be corrected and sent again', async ({ page }) => {
  await putTogether(page, article(4))
  // No warehouse has this location, so the service refuses the booking.
  await scan(page, 'GONE-1|0c9d4f6e-1f8e-4a52-9f57-2b7d1c3e5a90')
  await expect(page.getByRole('combobox', { name: 'Location' })).toHaveValue('GONE-1')
  await command(page, 'PRIMARY')
  await expect(phase(page, 'rejected')).toContainText('The stock was not changed')
  await expect(phase(page, 'rejected')).toContainText('Location not found.')
  await shot(page, 'booking-refused')
  expect((await bookedLines()).toSorted()).toEqual(expected.toSorted())
  // An operator who has left the refused booking finds it in the rail (the list of earlier work).
  await command(page, 'HOME')
  await expect(page.getByRole('heading', { name: 'Scan a parcel or an article' })).toBeVisible()
  const rail = page.getByRole('complementary').getByRole('button', { name: 'Booking refused' })
  await rail.click()
  await expect(page.locator('[data-booking]')).toContainText('GONE-1')
  await shot(page, 'booking-refused-card')
  await page.getByRole('button', { name: 'Edit and book again' }).click()
  await expect(rail).toHaveCount(0)
  await expect(page.locator(`[data-line="${article(4).article_code}"]`)).toHaveAttribute('data-pieces', '-1')
  await scan(page, shelf().code)
  await command(page, 'PRIMARY')
  await expect(phase(page, 'done')).toBeVisible()
  expected.push([article(4).id, shelf().id, -1])
  expect((await bookedLines()).toSorted()).toEqual(expected.toSorted())
})

test('a user with read access can prepare a booking but not send it, and sees the name of the missing role', async ({
  page,
}) => {
  await command(page, 'LOGOUT')
  await logIn(page, 'reader', server.middleware.invitation.password ?? '')
  await beginBooking(page)
  await command(page, 'LOST')
  await scan(page, shelf().code)
  await scan(page, article(5).ean ?? '')
  await expect(page.locator(`[data-line="${article(5).article_code}"]`)).toBeVisible()
  await expect(page.getByRole('button', { name: 'Book it' })).toBeDisabled()
  await expect(phase(page, 'draft')).toContainText('Your login may not book stock')
  await expect(phase(page, 'draft')).toContainText('MODIFICATIONS_CREATE')
  await shot(page, 'booking-reader')
  await command(page, 'PRIMARY')
  await command(page, 'HOME')
  await expect(page.locator('[data-waiting-writes="0"]')).toBeVisible()
  expect((await bookedLines()).toSorted()).toEqual(expected.toSorted())
})
