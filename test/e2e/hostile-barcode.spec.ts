import { expect, shot, test } from '#support/app.ts'
import { LabelStation } from '#support/label-station.ts'
import { scan, scanCommand } from '#support/scan.ts'
import { loneMs } from '#shared/domain/wedge/lone-keys.ts'

// A desk scans a parcel whose barcodes come from a malicious sender. The tests check the records of the service.
test.describe.configure({ mode: 'serial' })

let station: LabelStation

test.beforeAll(async ({ deskOf }, testInfo) => {
  const desk = await deskOf(testInfo.file)
  station = await LabelStation.start(desk)
  station.listen()
})
test.afterAll(async () => {
  await station.server.stop()
})

const burst = 'A command came together with another code'
const foreign = 'This command barcode is not of this desk.'

test('a QR code that contains the code of a parcel and a command makes no label if the command has no secret', async ({
  page,
}) => {
  const { id, reference } = station.untouched()
  await scan(page, `${reference}\rSDCMDPRIMARY`)
  await expect(page.locator(`[data-shipment="${reference}"]`)).toBeVisible()
  await expect(page.getByText(burst)).toBeVisible()
  await shot(page, 'command-in-burst')
  expect([await station.service.returnLabelsOf(id), station.calls]).toEqual([[], []])
})

test('a QR code that contains the code of a parcel, then Enter, Tab or Escape keys, then a command with the secret of the desk, makes no label', async ({
  page,
}) => {
  const result = await page.evaluate(() => window.scandesk.station.current())
  const secret = result.ok ? (result.value.commandSecret?.text ?? '') : ''
  expect(secret).toHaveLength(5)
  for (const between of ['\r', '\t', '\r\r', '\x1b', '\r\t\r']) {
    const { id, reference } = station.untouched()
    await scan(page, `${reference}${between}SD${secret}PRIMARY`, { pauseMs: 500 })
    await expect(page.getByText(burst)).toBeVisible()
    expect([await station.service.returnLabelsOf(id), station.calls]).toEqual([[], []])
    await scanCommand(page, 'HOME')
    await expect(page.locator('main[data-card=home]')).toBeVisible()
  }
})

test('a barcode that contains the code of a parcel and then Tab and Enter keys makes no label of the parcel', async ({
  page,
}) => {
  const { id, reference } = station.untouched()
  await scan(page, `${reference}\r\r\t\r\r\t\t\r${'\r'.repeat(30)}`, {
    pauseMs: 500,
    gapMs: 20,
    isLive: true,
  })
  await expect(page.locator(`[data-shipment="${reference}"]`)).toBeVisible()
  await expect(page.getByText('No return label yet')).toBeVisible()
  expect([await station.service.returnLabelsOf(id), station.calls]).toEqual([[], []])
})

test('a barcode with carriage returns does not press the large button of the card', async ({ page }) => {
  for (const textOf of [() => '\r', () => '\r\r\r', (reference: string) => `\r${reference}`]) {
    for (let attempt = 1; ; attempt++) {
      const { id, reference } = station.untouched()
      await scan(page, reference, { pauseMs: 500 })
      await expect(page.locator(`[data-shipment="${reference}"]`)).toBeVisible()
      await expect(page.getByText('No return label yet')).toBeVisible()
      station.listen()
      const longestGapMs = await scan(page, textOf(reference), { pauseMs: 500, gapMs: 15, isLive: true })
      // This wait is longer than the time for which the window holds back a single key.
      await page.waitForTimeout(400)
      // If no other key follows an Enter within `loneMs`, the Enter counts as a key press of an operator. On a busy
      // machine the next key of the barcode may arrive later. The test then repeats the scan with another parcel.
      if (longestGapMs >= loneMs && station.calls.length > 0 && attempt < 10) continue
      expect([await station.service.returnLabelsOf(id), station.calls]).toEqual([[], []])
      break
    }
  }
})

test('a barcode of tabs does not press the button to which the tabs lead', async ({ page }) => {
  const { id, reference } = station.untouched()
  await scan(page, reference, { pauseMs: 500 })
  await expect(page.getByText('No return label yet')).toBeVisible()
  station.listen()
  for (let tabs = 1; tabs <= 8; tabs++) {
    for (const end of ['', ' ', '\r'])
      await scan(page, `${'\t'.repeat(tabs)}${end}`, { pauseMs: 500, gapMs: 8 })
  }
  await page.waitForTimeout(400)
  await expect(page.locator(`[data-shipment="${reference}"]`)).toBeVisible()
  expect([await station.service.returnLabelsOf(id), station.calls]).toEqual([[], []])
})

test('the card of a parcel accepts a command only with the secret of this desk', async ({ page }) => {
  const { id, reference } = station.untouched()
  await scan(page, reference, { pauseMs: 500 })
  await expect(page.locator(`[data-shipment="${reference}"]`)).toBeVisible()
  for (const text of ['SDCMDPRIMARY', 'SD00000PRIMARY']) {
    await scan(page, text)
    await expect(page.getByText(foreign)).toBeVisible()
    expect([await station.service.returnLabelsOf(id), station.calls]).toEqual([[], []])
  }
  await shot(page, 'command-of-another-desk')
  await scanCommand(page, 'PRIMARY')
  await expect(page.locator('[data-phase]')).toHaveAttribute('data-phase', 'printed')
  expect(await station.service.returnLabelsOf(id)).toHaveLength(1)
})
