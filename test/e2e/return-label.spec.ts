import type { Shipment } from '#shared/wire/shipment.ts'
import { expect, shot, test } from '#support/app.ts'
import { labelFiles, readLabelFile } from '#support/label-folder.ts'
import { canDecodeLabels, readLabel } from '#support/label-raster.ts'
import { scan, scanCommand } from '#support/scan.ts'
import { connectEmbedded, type ServiceClient } from '#support/service-client.ts'
import { byHand } from '#support/keyboard.ts'

// All tests of this file use one desk. Each test uses different shipments.
let service: ServiceClient
let shipments: Shipment[]

/** Returns a shipment that no test of this file has used, and that is the only one of its order. */
function untouched(): Shipment {
  const found = shipments.shift()
  if (!found) throw new Error('the demo has too few shipments for this file')
  return found
}

test.beforeAll(async ({ deskOf }, testInfo) => {
  const desk = await deskOf(testInfo.file)
  await desk.page.locator('html[data-screen="login"]').waitFor()
  service = await connectEmbedded(desk.dataDir)
  const recent = await service.shipments(400)
  const orders = Map.groupBy(recent, (shipment) => shipment.order_external_reference)
  shipments = recent.filter((shipment) => orders.get(shipment.order_external_reference)?.length === 1)
  await shot(desk.page, 'login')
})

test.beforeEach(async ({ page }, testInfo) => {
  // Logs in if the login screen is open. The test of the page Speed leaves it open. After a failed test, the next test
  // uses a new desk, which begins with the login screen too.
  if (testInfo.title.startsWith('one press of Enter')) return
  if ((await page.locator('html').getAttribute('data-screen')) === 'login')
    await page.keyboard.press('Enter', byHand)
  await page.locator('html[data-screen="stage"]').waitFor()
})

test('one press of Enter on the login screen logs the operator in at the sandbox', async ({ page }) => {
  await expect(page.getByText('Sandbox').first()).toBeVisible()
  await page.keyboard.press('Enter', byHand)
  await expect(page.locator('html')).toHaveAttribute('data-screen', 'stage')
  await shot(page, 'home')
})

test('a scan of a shipment and then of a command makes a label and writes its PDF to the label folder', async ({
  page,
  desk,
}) => {
  test.skip(!(await canDecodeLabels()), 'poppler-utils and zbar-tools are not installed')
  const shipment = untouched()
  await scan(page, shipment.reference)
  await expect(page.locator(`[data-shipment="${shipment.reference}"]`)).toBeVisible()
  await shot(page, 'shipment')
  await scanCommand(page, 'PRIMARY')
  await expect(page.locator('[data-phase]')).toHaveAttribute('data-phase', 'printed')
  await shot(page, 'label-printed')

  const [label, ...others] = await service.returnLabelsOf(shipment.id)
  expect(others).toEqual([])
  const trackingCode = label?.tracking_information[0]?.tracking_code ?? ''
  expect(trackingCode).not.toBe('')
  const [file, ...more] = labelFiles(desk.dataDir)
  expect(more).toEqual([])
  const { codes } = await readLabel(readLabelFile(desk.dataDir, file ?? ''))
  expect(codes.map((code) => code.text)).toContain(trackingCode)
})

test('a second scan of a shipment shows its existing label and makes no further label', async ({ page }) => {
  const shipment = untouched()
  await scan(page, shipment.reference)
  await scanCommand(page, 'PRIMARY')
  await expect(page.locator('[data-phase]')).toHaveAttribute('data-phase', 'printed')
  await scanCommand(page, 'HOME')
  await scan(page, shipment.reference)
  await expect(page.locator(`[data-shipment="${shipment.reference}"]`)).toBeVisible()
  await expect(page.locator('[data-phase]')).toHaveAttribute('data-phase', 'printed')
  expect(await service.returnLabelsOf(shipment.id)).toHaveLength(1)
})

test('the setup shows how long scans and labels took today', async ({ page }) => {
  const shipment = untouched()
  await scan(page, shipment.reference)
  await expect(page.locator(`[data-shipment="${shipment.reference}"]`)).toBeVisible()
  await scanCommand(page, 'PRIMARY')
  await expect(page.locator('[data-phase]')).toHaveAttribute('data-phase', 'printed')
  await scanCommand(page, 'LOGOUT')
  await page.getByRole('button', { name: 'Stations and servers' }).click()
  await page.getByRole('button', { name: 'Speed' }).click()
  for (const kind of ['sound', 'card', 'label']) {
    const row = page.locator(`[data-speed=${kind}]`)
    // waits, because the window sends its durations to the main process every two seconds
    await expect(row).toHaveAttribute('data-count', /^[1-9]/)
    await expect(row.locator('td').first()).toHaveText(/^[\d.]+ (?:ms|s)$/)
  }
  await shot(page, 'speed')
  await page.getByRole('button', { name: 'Back to login' }).click()
})

test('a shipment is found by its order reference and by a tracking code', async ({ page }) => {
  const byOrder = untouched()
  await scan(page, byOrder.order_external_reference ?? '')
  await expect(page.locator(`[data-shipment="${byOrder.reference}"]`)).toBeVisible()
  const byTracking = untouched()
  await scan(page, byTracking.shipment_labels?.[0]?.tracking_code ?? '')
  await expect(page.locator(`[data-shipment="${byTracking.reference}"]`)).toBeVisible()
})

test('a scan is handled although a field has the focus, and the field keeps its text', async ({ page }) => {
  await scanCommand(page, 'HOME')
  const field = page.getByRole('textbox').first()
  await field.fill('half typed')
  // The command LANGUAGE does not move the focus away from the field.
  await scanCommand(page, 'LANGUAGE')
  await expect(page.locator('html')).toHaveAttribute('lang', 'nl')
  await expect(field).toHaveValue('half typed')
  await scanCommand(page, 'LANGUAGE')
  await expect(page.locator('html')).toHaveAttribute('lang', 'en')
  await expect(field).toHaveValue('half typed')
  const shipment = untouched()
  await scan(page, shipment.reference)
  await expect(page.locator(`[data-shipment="${shipment.reference}"]`)).toBeVisible()
})

test('the card of an unknown code says that the code was not found', async ({ page }) => {
  await scan(page, '8719999999991')
  await expect(page.getByRole('heading', { level: 1 })).toContainText('Not found')
  await shot(page, 'unknown')
})

test('a command barcode switches the desk to Dutch and back', async ({ page }) => {
  await scanCommand(page, 'HOME')
  await scanCommand(page, 'LANGUAGE')
  await expect(page.locator('html')).toHaveAttribute('lang', 'nl')
  await shot(page, 'home-nl')
  await scanCommand(page, 'LANGUAGE')
  await expect(page.locator('html')).toHaveAttribute('lang', 'en')
})
