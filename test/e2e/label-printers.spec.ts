import type { Page } from '@playwright/test'
import { expect, shot, test } from '#support/app.ts'
import { decodeZpl } from '#support/decode-zpl.ts'
import { type FakeZplPrinter, startFakeZplPrinter } from '#support/fake-zpl-printer.ts'
import { canRunIppEverywhere, type IppEverywhere, startIppEverywhere } from '#support/ipp-everywhere.ts'
import { expectPhase, openShipment } from '#support/label-form.ts'
import { canDecodeLabels, readBitmap, readLabel } from '#support/label-raster.ts'
import { LabelStation, trackingCode } from '#support/label-station.ts'
import { scan, scanCommand } from '#support/scan.ts'
import { logIn } from '#support/set-up-station.ts'

// These tests form one sequence on one desk.
test.describe.configure({ mode: 'serial' })

let station: LabelStation
let zpl: FakeZplPrinter
let ipp: IppEverywhere | null = null

test.beforeAll(async ({ deskOf }, testInfo) => {
  zpl = await startFakeZplPrinter()
  if (canRunIppEverywhere) ipp = await startIppEverywhere()
  station = await LabelStation.start(await deskOf(testInfo.file))
})
test.afterAll(async () => {
  await zpl.close()
  await ipp?.close()
  await station.server.stop()
})

async function openPrinters(page: Page): Promise<void> {
  await scanCommand(page, 'LOGOUT')
  await page.getByRole('button', { name: 'Stations and servers' }).click()
  await page.getByRole('button', { name: 'Printers', exact: true }).click()
}

/** Tests the printer in the form, saves it as the first printer, returns to the login screen and logs in. */
async function testAndUse(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Test connection' }).click()
  await expect(page.locator('[data-printer-test]')).toHaveAttribute('data-printer-test', 'reached')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByRole('button', { name: 'Make it the first' }).click()
  await expect(page.getByText('The first printer')).toBeVisible()
  await page.getByRole('button', { name: 'Back to login' }).click()
  await logIn(page, station.server.invitation.username, station.server.invitation.password ?? '')
}

/** Makes the label of a shipment that has no label. Returns the code that the print must contain. */
async function printLabel(page: Page): Promise<string> {
  const shipment = station.untouched()
  await openShipment(page, shipment)
  await scanCommand(page, 'PRIMARY')
  await expectPhase(page, 'printed')
  return trackingCode(await station.labelOf(shipment))
}

test('a ZPL printer prints the label of a scanned shipment, and the barcode on the print can be read', async ({
  page,
}) => {
  test.skip(!(await canDecodeLabels()), 'poppler-utils and zbar-tools are not installed')
  await openPrinters(page)
  await page.getByRole('button', { name: 'Add a printer' }).click()
  await page.getByLabel('Name', { exact: true }).fill('Zebra left')
  await page.getByText('Label printer (ZPL)', { exact: true }).click()
  await page.getByLabel('Address of the printer').fill('127.0.0.1')
  await page.getByLabel('Port').fill(String(zpl.port))
  await testAndUse(page)
  const code = await printLabel(page)
  await shot(page, 'label-printed-by-zpl')
  expect(zpl.printed).toHaveLength(1)
  const codes = await readBitmap(decodeZpl(zpl.printed[0] ?? '').bitmap)
  expect(codes.map(({ text }) => text)).toContain(code)
})

test('a scan of the barcode on a printed label confirms that the label was printed', async ({ page }) => {
  test.skip(!(await canDecodeLabels()), 'poppler-utils and zbar-tools are not installed')
  const code = await printLabel(page)
  await scanCommand(page, 'HOME')
  await scan(page, code)
  await expectPhase(page, 'scanned')
  await shot(page, 'label-scanned-back')
})

test('an interrupted print leads to the question whether the label came out, and the answer NO prints the label again', async ({
  page,
}) => {
  zpl.behaviour = { kind: 'resets', afterBytes: 2_000, answers: true }
  const before = zpl.printed.length
  const shipment = station.untouched()
  await openShipment(page, shipment)
  await scanCommand(page, 'PRIMARY')
  await expectPhase(page, 'print_unknown')
  zpl.behaviour = { kind: 'ready' }
  await scanCommand(page, 'PRINTS')
  // The card shows the question that the operator has not answered yet.
  await expect(page.locator('canvas')).toBeVisible()
  await expect(page.getByRole('button', { name: 'No, print again' })).toBeVisible()
  await shot(page, 'prints-did-it-come-out')
  await scanCommand(page, 'NO')
  await expect.poll(() => zpl.printed.length).toBe(before + 1)
})

test('an IPP printer prints a label, and the barcode on the print can be read', async ({ page }) => {
  test.skip(
    ipp === null || !(await canDecodeLabels()),
    'cups-ipp-utils, poppler-utils or zbar-tools are not installed',
  )
  await openPrinters(page)
  await page.getByRole('button', { name: 'Add a printer' }).click()
  await page.getByLabel('Name', { exact: true }).fill('Office')
  await page.getByText('Printer or queue (IPP)', { exact: true }).click()
  await page.getByLabel('Address of the queue or printer').fill(ipp?.uri ?? '')
  await testAndUse(page)
  const code = await printLabel(page)
  await shot(page, 'label-printed-by-ipp')
  const [document] = (await ipp?.printed()) ?? []
  const { codes } = await readLabel(document ?? new Uint8Array())
  expect(codes.map(({ text }) => text)).toContain(code)
})
