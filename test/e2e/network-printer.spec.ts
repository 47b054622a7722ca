import type { Page } from '@playwright/test'
import { expect, shot, test } from '#support/app.ts'
import { type FakeEscposPrinter, startFakeEscposPrinter } from '#support/fake-escpos-printer.ts'
import { labelFiles } from '#support/label-folder.ts'
import { expectPhase, openShipment, shotInDutch } from '#support/label-form.ts'
import { canDecodeLabels, readBitmap } from '#support/label-raster.ts'
import { LabelStation, trackingCode } from '#support/label-station.ts'
import { scanCommand } from '#support/scan.ts'
import { logIn } from '#support/set-up-station.ts'

// These tests form one sequence on one desk.
test.describe.configure({ mode: 'serial' })

let station: LabelStation
let printer: FakeEscposPrinter

test.beforeAll(async ({ deskOf }, testInfo) => {
  printer = await startFakeEscposPrinter()
  station = await LabelStation.start(await deskOf(testInfo.file))
})
test.afterAll(async () => {
  await printer.close()
  await station.server.stop()
})

/** Logs out and opens the printer section of the setup screen. */
async function openPrinters(page: Page): Promise<void> {
  await scanCommand(page, 'LOGOUT')
  await page.getByRole('button', { name: 'Stations and servers' }).click()
  await page.getByRole('button', { name: 'Printers', exact: true }).click()
}

async function backToWork(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Back to login' }).click()
  await logIn(page, station.server.invitation.username, station.server.invitation.password ?? '')
}

async function makeFirst(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Make it the first' }).click()
  await expect(page.getByText('The first printer')).toBeVisible()
}

async function expectTest(page: Page, state: string, words: string): Promise<void> {
  await page.getByRole('button', { name: 'Test connection' }).click()
  await expect(page.locator('[data-printer-test]')).toHaveAttribute('data-printer-test', state)
  await expect(page.locator('[data-printer-test]')).toContainText(words)
}

/** Returns the codes on the labels that the printer received, in the order of its connections. */
async function printedCodes(): Promise<string[]> {
  const labels = printer.jobs.flatMap((job) => job.labels)
  const codes = await Promise.all(labels.map((label) => readBitmap(label)))
  return codes.flat().map(({ text }) => text)
}

test('the connection test reaches an unsaved network printer, and the window asks the operator before it discards this printer', async ({
  page,
  desk,
}) => {
  await openPrinters(page)
  await page.getByRole('button', { name: 'Add a printer' }).click()
  await page.getByLabel('Name', { exact: true }).fill('Receipts')
  await page.getByText('Receipt printer (ESC/POS)', { exact: true }).click()
  await page.getByLabel('Address of the printer').fill('127.0.0.1')
  await page.getByLabel('Port').fill('1')
  await expectTest(page, 'refused', 'Nothing answers at this address')
  await shot(page, 'printer-not-reachable')
  await page.getByLabel('Port').fill(String(printer.port))
  // Until the printer is saved, the desk sends no bytes to it and does not query its state.
  await expectTest(page, 'reached', 'The printer can be reached. Save it, then test again')
  await shot(page, 'printer-reached')
  await desk.app.evaluate(({ BrowserWindow }) => {
    BrowserWindow.getAllWindows()[0]?.close()
  })
  await expect(page.getByText('Your changes are not saved')).toBeVisible()
  await page.getByRole('button', { name: 'Stay here' }).click()
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await makeFirst(page)
  expect(printer.jobs).toEqual([])
  await backToWork(page)
})

test('a network printer prints the label of a scanned shipment, and the barcode on the print can be read', async ({
  page,
  desk,
}) => {
  test.skip(!(await canDecodeLabels()), 'poppler-utils and zbar-tools are not installed')
  const shipment = station.untouched()
  await openShipment(page, shipment)
  await scanCommand(page, 'PRIMARY')
  await expectPhase(page, 'printed')
  await shot(page, 'label-printed-on-network')
  expect(printer.jobs).toHaveLength(1)
  expect(printer.jobs[0]?.labels[0]?.widthDots).toBe(832)
  expect(await printedCodes()).toContain(trackingCode(await station.labelOf(shipment)))
  expect(labelFiles(desk.dataDir)).toEqual([])
})

test('the card of a label shows that the printer is out of paper, and the label is printed automatically after the refill', async ({
  page,
}) => {
  test.skip(!(await canDecodeLabels()), 'poppler-utils and zbar-tools are not installed')
  printer.behaviour = { kind: 'paper_out' }
  const shipment = station.untouched()
  await openShipment(page, shipment)
  await scanCommand(page, 'PRIMARY')
  await expectPhase(page, 'not_printed')
  await expect(page.locator('article')).toContainText('The printer is out of paper')
  await expect(page.locator('article')).toContainText('paper_out')
  await shot(page, 'label-printer-refused')
  await shotInDutch(page, 'label-printer-refused-nl')
  expect(printer.jobs).toHaveLength(1)
  printer.behaviour = { kind: 'ready' }
  await expectPhase(page, 'printed')
  expect(printer.jobs).toHaveLength(2)
  expect(await printedCodes()).toContain(trackingCode(await station.labelOf(shipment)))
})

test('a desk prints on its network printer after a restart, without a new setup', async ({ desk }) => {
  await desk.restart()
  const { page } = desk
  await page.locator('html[data-screen="stage"]').waitFor()
  await openShipment(page, station.untouched())
  await scanCommand(page, 'PRIMARY')
  await expectPhase(page, 'printed')
  expect(printer.jobs).toHaveLength(3)
  expect(labelFiles(desk.dataDir)).toEqual([])
})

test('a label that waits for its printer is written to the label folder when the printer is removed', async ({
  page,
  desk,
}) => {
  printer.behaviour = { kind: 'cover_open' }
  const shipment = station.untouched()
  await openShipment(page, shipment)
  await scanCommand(page, 'PRIMARY')
  await expectPhase(page, 'not_printed')
  await openPrinters(page)
  await page.getByRole('button', { name: /^Receipts/ }).click()
  await page.getByRole('button', { name: 'Remove', exact: true }).click()
  await page.getByRole('button', { name: 'Yes, remove it' }).click()
  await expect(page.getByText('Takes all paper')).toBeVisible()
  await expect.poll(() => labelFiles(desk.dataDir)).toHaveLength(1)
  await backToWork(page)
  await openShipment(page, shipment)
  await expectPhase(page, 'printed')
  expect(printer.jobs).toHaveLength(3)
})
