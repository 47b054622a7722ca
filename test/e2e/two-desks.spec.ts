import type { Locator, Page } from '@playwright/test'
import type { Command } from '#shared/domain/commands.ts'
import type { Shipment } from '#shared/wire/shipment.ts'
import { type Desk, expect, shot, startAnotherDesk, test } from '#support/app.ts'
import { expectPhase, openShipment } from '#support/label-form.ts'
import { LabelStation } from '#support/label-station.ts'
import { scanCommand } from '#support/scan.ts'
import { logIn, setUpStation } from '#support/set-up-station.ts'

// The tests form one sequence with two desks at one service. `page` is the window of the desk `Returns 2`, whose
// connection can be interrupted. The other desk is `Dock 4`.
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

/** Returns the element with this text in the part of the card that shows the label. */
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

test('PRIMARY on the card of a parcel prints the label that a second desk already made, and makes no new label', async ({
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

test('a desk asks the operator before it makes a second label of a parcel, and can print the existing label instead', async ({
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

test('if a second desk makes a label of a parcel while the label of the first desk waits in an outage, the first desk asks, and its operator can discard the waiting label', async ({
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

test('two desks that make labels of one parcel at the same time each show a notice, which an operator can remove', async ({
  page,
}) => {
  const shipment = station.untouched()
  for (const one of [page, dock.page]) {
    await openShipment(one, shipment)
    await expect(zone(one, 'No return label yet')).toBeVisible()
  }
  // This desk has found no label of the parcel and sends the call that creates one. The service receives this call
  // after the same call of the other desk.
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
  // The notice is still shown after a restart, because no operator has answered it.
  await dock.restart()
  await expect(dock.page.locator('[data-twice]')).toBeVisible()
  await dock.page.getByRole('button', { name: 'Show both' }).click()
  await expect(dock.page.getByText('Another desk did the same')).toBeVisible()
  await shot(dock.page, 'two-desks-shown')
  await page.getByRole('button', { name: 'Done' }).click()
  await expect(page.locator('[data-twice]')).toHaveCount(0)
})
