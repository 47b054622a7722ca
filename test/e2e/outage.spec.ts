import type { Page } from '@playwright/test'
import { z } from 'zod'
import type { Command } from '#shared/domain/commands.ts'
import { modification } from '#shared/wire/modification.ts'
import { returnLabel } from '#shared/wire/return-label.ts'
import type { Shipment } from '#shared/wire/shipment.ts'
import { variant, type Variant } from '#shared/wire/variant.ts'
import { expect, shot, test } from '#support/app.ts'
import { KillableMiddleware } from '#support/middleware-children.ts'
import { labelFiles, readLabelFile } from '#support/label-folder.ts'
import { chooseMethod, expectPhase, fillForm, openHandForm, openShipment } from '#support/label-form.ts'
import { canDecodeLabels, readLabel } from '#support/label-raster.ts'
import { trackingCode } from '#support/label-station.ts'
import { scan, scanCommand } from '#support/scan.ts'
import { connect, type ServiceClient } from '#support/service-client.ts'
import { logIn, setUpStation } from '#support/set-up-station.ts'
import { beginBooking } from '#support/stock-server.ts'

// The tests form one sequence on one desk. They simulate a working day, during which the middleware is killed and later
// restarted.
test.describe.configure({ mode: 'serial' })

let server: KillableMiddleware
let service: ServiceClient
let shipments: Shipment[]
let articles: Variant[]
let shelf: string
/** The records of the service before the first test. */
let before: { bookings: Set<string>; labels: Set<string> }

const sender = {
  addressed_to: 'Zoë van Dijk',
  street: 'Hofstraat',
  street_number: '12',
  zipcode: '3581 AB',
  city: 'Utrecht',
  country: 'NL',
}
const inShift = { labels: 4, bookings: 2 }

const bookings = (): Promise<{ id: string; note: string | null }[]> =>
  service.read('/wms/modifications/?limit=1000', z.array(modification))
const labels = (): Promise<z.output<typeof returnLabel>[]> =>
  service.read('/wms/return-labels/?limit=1000', z.array(returnLabel), 'shipment')
const ids = (rows: readonly { id: string }[]): Set<string> => new Set(rows.map(({ id }) => id))
const command = (page: Page, name: Command): Promise<void> => scanCommand(page, name)

async function bookOne(page: Page, article: Variant | undefined): Promise<void> {
  await beginBooking(page)
  await command(page, 'LOST')
  await scan(page, shelf)
  await scan(page, article?.ean ?? '')
  await expectPhase(page, 'ready')
  await command(page, 'PRIMARY')
  await expectPhase(page, 'waiting')
}

test.beforeAll(async ({ deskOf }, testInfo) => {
  const desk = await deskOf(testInfo.file)
  const { page } = desk
  server = await KillableMiddleware.start()
  const { invitation } = server
  service = await connect(invitation.url)
  const recent = await service.shipments(100)
  const orders = Map.groupBy(recent, (one) => one.order_external_reference)
  shipments = recent.filter((one) => orders.get(one.order_external_reference)?.length === 1)
  articles = (await service.read('/wms/variants/?limit=1000', z.array(variant))).filter(({ ean }) => ean)
  const old = await bookings()
  const detail = await service.read(`/wms/modifications/${old[0]?.id ?? ''}/`, modification)
  shelf = detail.modification_lines?.[0]?.location?.code ?? ''
  before = { bookings: ids(old), labels: ids(await labels()) }
  await setUpStation(desk, invitation, 'Dock 4')
  await logIn(page, invitation.username, invitation.password ?? '')
  await page.locator('[data-catalogue="ready"]').waitFor()
  await command(page, 'HOME')
  await expect(page.getByText(/\d+ shipments on this desk/)).toBeVisible()
})
test.afterAll(() => server.stop())

test('while the middleware runs, an operator makes a label that is printed, and a second label that is neither requested nor printed', async ({
  page,
  desk,
}) => {
  const [first, second] = shipments
  if (!first || !second) throw new Error('the demo has too few shipments for this file')
  await openShipment(page, first)
  await command(page, 'PRIMARY')
  await expectPhase(page, 'printed')
  await openShipment(page, second)
  await command(page, 'METHOD')
  await page.getByRole('button', { name: 'Make without printing' }).click()
  await expectPhase(page, 'unrequested')
  expect(labelFiles(desk.dataDir)).toHaveLength(1)
})

test('an operator can scan, book and make labels while the middleware is down, and all writes wait in the queue', async ({
  page,
  desk,
}) => {
  const [, second, third] = shipments
  if (!second || !third) throw new Error('the demo has too few shipments for this file')
  await server.die()
  // Requests the label that the first test left unrequested.
  await openShipment(page, second)
  await command(page, 'PRIMARY')
  await expectPhase(page, 'waiting')
  await openShipment(page, third)
  await command(page, 'PRIMARY')
  await expectPhase(page, 'waiting')
  await shot(page, 'outage-label-waits')
  await openHandForm(page)
  await chooseMethod(page, 'pp-std')
  await fillForm(page, { ...sender, reference: 'CLAIM 7' })
  await command(page, 'PRIMARY')
  await expectPhase(page, 'waiting')
  await bookOne(page, articles[0])
  await bookOne(page, articles[1])
  await shot(page, 'outage-booking-waits')
  await scan(page, articles[2]?.ean ?? '')
  await command(page, 'HOME')
  await shot(page, 'outage-home')
  await command(page, 'QUEUE')
  await expect(page.locator('html')).toHaveAttribute('data-place', 'queue')
  await expect(page.locator('[data-item]')).toHaveCount(7)
  await shot(page, 'outage-queue')
  expect(labelFiles(desk.dataDir)).toHaveLength(1)
})

test('a restart of the desk keeps all seven writes that wait for the service', async ({ desk }) => {
  await desk.restart()
  const { page } = desk
  await page.locator('html[data-screen="stage"]').waitFor()
  await openShipment(page, shipments[0] as Shipment)
  await command(page, 'QUEUE')
  await expect(page.locator('[data-item]')).toHaveCount(7)
  await shot(page, 'outage-restarted')
})

test('each waiting write reaches the service once, and each label prints once, after the middleware starts again', async ({
  page,
  desk,
}) => {
  test.setTimeout(120_000)
  await server.comeBack()
  service = await connect(server.invitation.url)
  await expect(page.locator('[data-item]')).toHaveCount(0, { timeout: 90_000 })
  await shot(page, 'outage-over')
  await expect.poll(() => labelFiles(desk.dataDir).length).toBe(inShift.labels)

  const booked = (await bookings()).filter(({ id }) => !before.bookings.has(id))
  expect(booked).toHaveLength(inShift.bookings)
  const lines = await Promise.all(
    booked.map(({ id }) => service.read(`/wms/modifications/${id}/`, modification)),
  )
  expect(
    lines
      .flatMap(({ modification_lines: found }) => found ?? [])
      .map(({ variant: { id }, quantity, location }) => [id, quantity, location?.code])
      .sort(),
  ).toEqual([articles[0], articles[1]].map((one) => [one?.id, -1, shelf]).sort())

  const made = (await labels()).filter(({ id }) => !before.labels.has(id))
  expect(made).toHaveLength(inShift.labels)
  expect(made.map(({ url }) => url)).not.toContain(null)
  expect(made.flatMap(({ shipment }) => shipment?.id ?? []).sort()).toEqual(
    shipments
      .slice(0, 3)
      .map(({ id }) => id)
      .sort(),
  )
  if (await canDecodeLabels()) {
    const papers = labelFiles(desk.dataDir).map((file) => readLabel(readLabelFile(desk.dataDir, file)))
    const printed = (await Promise.all(papers)).flatMap(({ codes }) => codes.map(({ text }) => text))
    for (const label of made) expect(printed).toContain(trackingCode(label))
  }
})
