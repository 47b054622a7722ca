import type { Page } from '@playwright/test'
import type { Shipment } from '#shared/wire/shipment.ts'
import { expect, shot, test } from '#support/app.ts'
import { labelFiles } from '#support/label-folder.ts'
import { expectPhase, expectTyped, fillForm, openShipment, shotInDutch } from '#support/label-form.ts'
import { LabelStation, trackingCode } from '#support/label-station.ts'
import { scanCommand } from '#support/scan.ts'
import { logIn } from '#support/set-up-station.ts'

// All tests of this file use one desk. Each test uses a different shipment.
let station: LabelStation
test.beforeAll(async ({ deskOf }, testInfo) => {
  station = await LabelStation.start(await deskOf(testInfo.file))
})
test.afterAll(() => station.server.stop())
test.beforeEach(() => {
  station.listen()
})

/** Creates a label that can still be changed. */
async function openLabel(page: Page): Promise<Shipment> {
  const shipment = station.untouched()
  await openShipment(page, shipment)
  await scanCommand(page, 'METHOD')
  await page.getByRole('button', { name: 'Make without printing' }).click()
  await expectPhase(page, 'unrequested')
  station.listen()
  return shipment
}

async function addressForm(page: Page): Promise<void> {
  await scanCommand(page, 'ADDRESS')
  await expect(page.locator('[data-form="change"]')).toBeVisible()
}

const cityOf = async (shipment: Shipment): Promise<string | null | undefined> =>
  (await station.labelOf(shipment)).sender_address?.city

/** Requests the label as another client of the service. */
async function requestElsewhere(shipment: Shipment): Promise<string> {
  const { id } = await station.labelOf(shipment)
  return trackingCode(await station.service.post(`/wms/return-labels/${id}/request`))
}

test('a change of the city of an unrequested label leaves its other address fields unchanged', async ({
  page,
}) => {
  const shipment = await openLabel(page)
  const before = (await station.labelOf(shipment)).sender_address
  await addressForm(page)
  await fillForm(page, { city: 'Gouda' })
  await shot(page, 'label-form-change')
  await scanCommand(page, 'PRIMARY')
  await expectPhase(page, 'unrequested')
  await expect.poll(() => cityOf(shipment)).toBe('Gouda')
  expect((await station.labelOf(shipment)).sender_address).toEqual({ ...before, city: 'Gouda' })
  expect(station.calls).toEqual(['PATCH '])
})

test('an address field shows how many characters are too many, and the form is not sent with too long a text', async ({
  page,
}) => {
  const shipment = await openLabel(page)
  const city = await cityOf(shipment)
  await addressForm(page)
  const field = page.locator('[data-spot="city"]')
  await field.fill('x'.repeat(103))
  await expect(page.getByText('3 too long')).toBeVisible()
  await field.press('x')
  await expect(page.getByText('4 too long')).toBeVisible()
  await shot(page, 'label-form-too-long')
  await scanCommand(page, 'PRIMARY')
  await expect(field).toBeFocused()
  await expectTyped(page, { city: 'x'.repeat(104) })
  expect(station.calls).toEqual([])
  expect(await cityOf(shipment)).toBe(city)
})

test('an address field that the service refuses is marked, and can be corrected and sent again', async ({
  page,
}) => {
  const shipment = await openLabel(page)
  const body = JSON.stringify({ errors: { 'sender_address.zipcode': ['This postcode does not exist.'] } })
  station.server.meddle = (method) =>
    method === 'PATCH' ? { kind: 'answer', status: 400, type: 'application/json', body } : null
  await addressForm(page)
  await fillForm(page, { zipcode: '0000 XX', city: 'Gouda' })
  await scanCommand(page, 'PRIMARY')
  await expectPhase(page, 'unchanged')
  await expect(page.getByText('The service refuses a field of the address: Postcode.')).toBeVisible()
  await shot(page, 'label-field-refused')
  station.listen()
  await scanCommand(page, 'PRIMARY')
  await expect(page.locator('[data-spot="zipcode"]')).toHaveAttribute('aria-invalid', 'true')
  await expectTyped(page, { zipcode: '0000 XX', city: 'Gouda' })
  await shot(page, 'label-form-field-refused')
  await fillForm(page, { zipcode: '2801 JA' })
  await scanCommand(page, 'PRIMARY')
  await expectPhase(page, 'unrequested')
  const label = await station.labelOf(shipment)
  expect(label.sender_address).toMatchObject({ zipcode: '2801 JA', city: 'Gouda' })
})

test('a cancellation must be confirmed: HOME keeps the label, and PRIMARY cancels the label', async ({
  page,
}) => {
  const shipment = await openLabel(page)
  await scanCommand(page, 'CANCEL')
  await expect(page.getByText('Cancel this label?')).toBeVisible()
  await shotInDutch(page, 'label-cancel-asked-nl')
  await scanCommand(page, 'HOME')
  await expectPhase(page, 'unrequested')
  await expect(page.getByText('Cancel this label?')).toBeHidden()
  expect(station.calls).toEqual([])
  await scanCommand(page, 'CANCEL')
  await scanCommand(page, 'PRIMARY')
  await expectPhase(page, 'cancelled')
  await shot(page, 'label-cancelled')
  expect(station.calls).toEqual(['POST cancel'])
  const { id } = await station.labelOf(shipment)
  await scanCommand(page, 'PRIMARY')
  await expectPhase(page, 'printed')
  const labels = await station.service.returnLabelsOf(shipment.id)
  expect(labels.map((label) => [label.id === id, trackingCode(label) !== '']).toSorted()).toEqual([
    [false, true],
    [true, false],
  ])
})

for (const act of ['change', 'cancel'] as const)
  test(`a ${act} of a label that another client has requested has no effect, and the label can be printed`, async ({
    page,
    desk,
  }) => {
    const shipment = await openLabel(page)
    const city = await cityOf(shipment)
    if (act === 'change') {
      await addressForm(page)
      await fillForm(page, { city: 'Gouda' })
    } else await scanCommand(page, 'CANCEL')
    const code = await requestElsewhere(shipment)
    const papers = labelFiles(desk.dataDir).length
    await scanCommand(page, 'PRIMARY')
    await expectPhase(page, 'requested')
    await expect(page.locator('article')).toContainText('It was requested meanwhile')
    await expect(page.getByText(`tracking code ${code}`)).toBeVisible()
    await shotInDutch(page, `label-overtaken-${act}-nl`)
    expect(await cityOf(shipment)).toBe(city)
    expect(labelFiles(desk.dataDir)).toHaveLength(papers)
    await scanCommand(page, 'PRIMARY')
    await expectPhase(page, 'printed')
    expect(labelFiles(desk.dataDir)).toHaveLength(papers + 1)
    expect(trackingCode(await station.labelOf(shipment))).toBe(code)
  })

test('a change and a cancellation of labels wait without a connection, and are each sent once after the outage', async ({
  page,
}) => {
  const changed = await openLabel(page)
  await scanCommand(page, 'HOME')
  const cancelled = await openLabel(page)
  await station.server.goOffline()
  await scanCommand(page, 'CANCEL')
  await scanCommand(page, 'PRIMARY')
  await expectPhase(page, 'waiting')
  await openShipment(page, changed)
  await addressForm(page)
  await fillForm(page, { city: 'Gouda' })
  await scanCommand(page, 'PRIMARY')
  await expectPhase(page, 'waiting')
  await expect(page.locator('[data-waiting-writes="2"]')).toBeVisible()
  await shot(page, 'label-change-waits')
  await station.server.goOnline()
  await expect(page.locator('[data-waiting-writes="0"]')).toBeVisible({ timeout: 30_000 })
  await expectPhase(page, 'unrequested')
  expect(await cityOf(changed)).toBe('Gouda')
  expect(station.calls.toSorted()).toEqual(['PATCH ', 'POST cancel'])
  await openShipment(page, cancelled)
  await expectPhase(page, 'cancelled')
})

test('a user with read access sees the actions of a label disabled, with the names of the missing roles', async ({
  page,
}) => {
  const open = await openLabel(page)
  const none = station.untouched()
  await scanCommand(page, 'LOGOUT')
  // A write that the service refused earlier still waits for a decision, so the logout shows a warning.
  await page.locator('[data-leaving="logout"]').waitFor()
  await shot(page, 'leaving-with-undecided')
  await page.locator('[data-leaving]').getByRole('button', { name: 'Log out' }).click()
  await logIn(page, 'reader', station.server.invitation.password ?? '')
  await openShipment(page, none)
  await expect(page.getByRole('button', { name: 'Make return label' })).toBeDisabled()
  await expect(page.getByText('RETURN_LABELS_CREATE').first()).toBeVisible()
  await shot(page, 'label-reader-none')
  await openShipment(page, open)
  await expectPhase(page, 'unrequested')
  await expect(page.getByRole('button', { name: 'Request and print' })).toBeDisabled()
  for (const [act, role] of [
    ['address', 'RETURN_LABELS_UPDATE'],
    ['cancel', 'RETURN_LABELS_CANCEL'],
  ] as const) {
    await expect(page.locator(`[data-act="${act}"]`)).toBeDisabled()
    await expect(page.locator(`[data-act="${act}"]`)).toContainText(role)
  }
  await shot(page, 'label-reader')
  await scanCommand(page, 'CANCEL')
  await scanCommand(page, 'PRIMARY')
  expect((await station.labelOf(open)).url).toBeNull()
  expect(station.calls).toEqual([])
})
