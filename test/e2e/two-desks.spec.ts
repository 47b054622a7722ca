import type { Locator, Page } from '@playwright/test'
import type { Command } from '#shared/domain/commands.ts'
import type { Shipment } from '#shared/wire/shipment.ts'
import { type Desk, expect, shot, startAnotherDesk, test } from '#support/app.ts'
import { expectPhase, openShipment } from '#support/label-form.ts'
import { LabelStation } from '#support/label-station.ts'
import { scanCommand } from '#support/scan.ts'
import { logIn, setUpStation } from '#support/set-up-station.ts'

// The tests form one sequence with two desks at one service. `page` is the desk `Returns 2`, whose connection can
// break; the other desk is `Dock 4`.
test.describe.configure({ mode: 'serial' })

let station: LabelStation
let dock: Desk & { stop(): Promise<void> }

const command = (page: Page, name: Command): Promise<void> => scanCommand(page, name)

async function make(page: Page, shipment: Shipment): Promise<void> {
  await openShipment(page, shipment)
  await expect(zone(page, 'No return label yet')).toBeVisible()
  await command(page, 'PRIMARY')
  await expectPhase(page, 'printed')
}

/** Returns the zone of the label on the card if it has this text. */
const zone = (page: Page, text: string): Locator => page.locator('[data-phase]').getByText(text)

const labelsOf = async ({ id }: Shipment): Promise<number> =>
  (await station.service.returnLabelsOf(id)).length

test.beforeAll(async ({ deskOf }, testInfo) => {
  const desk = await deskOf(testInfo.file)
  station = await LabelStation.start(desk)
  dock = await startAnotherDesk(testInfo.file)
  const { invitation, truth } = station.server
  await setUpStation(dock, { ...invitation, url: truth }, 'Dock 4')
  await logIn(dock.page, invitation.username, invitation.password ?? '')
  for (const one of [desk.page, dock.page]) {
    await command(one, 'HOME')
    await expect(one.getByText(/\d+ shipments on this desk/)).toBeVisible()
  }
})
test.afterAll(async () => {
  await dock.stop()
  await station.server.stop()
})

test('a parcel labelled by the other desk shows that label, which is printed and not made again', async ({
  page,
}) => {
  const shipment = station.untouched()
  await make(dock.page, shipment)
  await openShipment(page, shipment)
  await expectPhase(page, 'requested')
  await shot(page, 'two-desks-scanned')
  await command(page, 'PRIMARY')
  await expectPhase(page, 'printed')
  expect(await labelsOf(shipment)).toBe(1)
})

test('a desk that makes a label asks if the other desk made a label since the scan, and can print the other label', async ({
  page,
}) => {
  const shipment = station.untouched()
  await openShipment(page, shipment)
  await expect(zone(page, 'No return label yet')).toBeVisible()
  await make(dock.page, shipment)
  await command(page, 'PRIMARY')
  await expect(zone(page, 'This parcel already has a label')).toBeVisible()
  await shot(page, 'two-desks-asked')
  await command(page, 'QUEUE')
  await shot(page, 'two-desks-question')
  await command(page, 'ADOPT')
  await openShipment(page, shipment)
  await expectPhase(page, 'printed')
  expect(await labelsOf(shipment)).toBe(1)
})

test('a label that waited during an outage leads to a question when it is sent, and makes no second label if it is discarded', async ({
  page,
}) => {
  const shipment = station.untouched()
  await station.server.goOffline()
  await openShipment(page, shipment)
  await expect(zone(page, 'No return label is known here')).toBeVisible()
  await command(page, 'PRIMARY')
  await expectPhase(page, 'waiting')
  await make(dock.page, shipment)
  await station.server.goOnline()
  await expect(zone(page, 'This parcel already has a label')).toBeVisible()
  await command(page, 'QUEUE')
  await page.getByRole('button', { name: 'Discard' }).click()
  await page.getByRole('button', { name: 'It is there already' }).click()
  await expect(page.locator('html')).toHaveAttribute('data-place', 'queue')
  await expect(page.locator('[data-item]')).toHaveCount(0)
  await openShipment(page, shipment)
  await expectPhase(page, 'requested')
  expect(await labelsOf(shipment)).toBe(1)
})

test('simultaneous operators make two labels of one parcel, and both desks show this until an operator answers', async ({
  page,
}) => {
  const shipment = station.untouched()
  for (const one of [page, dock.page]) {
    await openShipment(one, shipment)
    await expect(zone(one, 'No return label yet')).toBeVisible()
  }
  // This desk has looked for a label of the parcel, and the creation of its own label is being sent. The service
  // receives it after the creation of the other desk.
  let release = (): void => undefined
  const until = new Promise<void>((resolve) => (release = resolve))
  const arrived = new Promise<void>((resolve) => {
    station.server.meddle = (method, path) => {
      if (method !== 'POST' || path !== '/wms/return-labels/') return null
      resolve()
      return { kind: 'late', until }
    }
  })
  await command(page, 'PRIMARY')
  await arrived
  await command(dock.page, 'PRIMARY')
  await expectPhase(dock.page, 'printed')
  release()
  await expectPhase(page, 'printed')
  expect(await labelsOf(shipment)).toBe(2)
  for (const one of [page, dock.page]) {
    await expect(one.locator('[data-twice]')).toContainText(
      `${shipment.reference} has two labels: use one.`,
      {
        timeout: 30_000,
      },
    )
  }
  await shot(page, 'two-desks-told')
  await shot(dock.page, 'two-desks-told-other')
  // The notice stays after a restart until it is answered.
  await dock.restart()
  await expect(dock.page.locator('[data-twice]')).toBeVisible()
  await dock.page.getByRole('button', { name: 'Show both' }).click()
  await expect(dock.page.getByText('Another desk did the same')).toBeVisible()
  await shot(dock.page, 'two-desks-shown')
  await page.getByRole('button', { name: 'Done' }).click()
  await expect(page.locator('[data-twice]')).toHaveCount(0)
})
