import type { Page } from '@playwright/test'
import { z } from 'zod'
import { batch } from '#shared/wire/batch.ts'
import { modification } from '#shared/wire/modification.ts'
import type { ReturnLabel } from '#shared/wire/return-label.ts'
import { variant, type Variant } from '#shared/wire/variant.ts'
import { labelFiles, readLabelFile } from '#support/label-folder.ts'
import { canDecodeLabels, readLabel } from '#support/label-raster.ts'
import { commandText, fromScanTo, scan, scanCommand } from '#support/scan.ts'
import type { ServiceClient } from '#support/service-client.ts'
import { join } from 'node:path'

/**
 * The running desk, a second client of its middleware that checks the results, and a function that takes screenshots.
 */
export interface DemoStage {
  readonly page: Page
  readonly service: ServiceClient
  readonly dataDir: string
  readonly shot: (name: string) => Promise<void>
}

interface DemoLabel {
  readonly id: string
  readonly externalReference: string
  readonly trackingCode: string
  /** The file that the folder printer wrote. */
  readonly pdf: string
}

/** Logs in. The login form of the sandbox is already filled in, so one command barcode is enough. */
export async function signIn({ page, shot }: DemoStage): Promise<void> {
  await shot('login')
  await scanCommand(page, 'PRIMARY')
  await page.locator('html[data-screen="stage"]').waitFor()
  // waits until the desk finds scanned articles in its own catalogue
  await page.locator('[data-catalogue="ready"]').waitFor()
  await shot('home')
}

/**
 * Scans the reference of a parcel, then the command that prints its label. Checks that the folder contains one label,
 * and that a barcode of the label contains the tracking code of the service (only with poppler-utils and zbar-tools).
 */
export async function printLabel({ page, service, dataDir, shot }: DemoStage): Promise<{
  label: DemoLabel
  scanToCard: number
  /**
   * Milliseconds from the command to the end of the print job. The printer of a new desk is the label folder, which
   * then contains the PDF.
   */
  scanToPrinted: number
}> {
  const [shipment] = await service.shipments(1)
  if (!shipment) throw new Error('the sandbox has no shipment')
  const scanToCard = await fromScanTo(page, shipment.reference, `[data-shipment="${shipment.reference}"]`)
  await shot('shipment')
  const scanToPrinted = await fromScanTo(page, await commandText(page, 'PRIMARY'), '[data-phase="printed"]')
  await shot('label-saved')
  const [label] = await service.returnLabelsOf(shipment.id)
  if (!label) throw new Error('the service knows of no label')
  const { pdf, trackingCode } = await proveLabel(label, dataDir)
  const { id, external_reference: externalReference } = label
  return {
    label: { id, externalReference: externalReference ?? '', trackingCode, pdf },
    scanToCard: Math.round(scanToCard),
    scanToPrinted: Math.round(scanToPrinted),
  }
}

async function proveLabel(
  label: ReturnLabel,
  dataDir: string,
): Promise<{ pdf: string; trackingCode: string }> {
  const trackingCode = label.tracking_information[0]?.tracking_code ?? ''
  const [file, ...others] = labelFiles(dataDir)
  if (!file || others.length > 0) throw new Error(`${others.length + 1} files in the label folder, not one`)
  if (await canDecodeLabels()) {
    const { codes } = await readLabel(readLabelFile(dataDir, file))
    if (!codes.some(({ text }) => text === trackingCode))
      throw new Error(`the label does not say ${trackingCode}`)
  } else process.stderr.write('poppler-utils or zbar-tools are missing: the label was not decoded\n')
  return { pdf: join(dataDir, 'labels', file), trackingCode }
}

/**
 * Scans the EAN of an article, or its code if it has no EAN. Checks that the desk shows as many lots as the service
 * has.
 */
export async function lookUpArticle({ page, service, shot }: DemoStage): Promise<{
  article: Variant
  batches: number
}> {
  const article = await articleOfManyLots(service)
  await scan(page, article.ean ?? article.article_code)
  await page.locator(`[data-article="${article.article_code}"]`).waitFor()
  const known = await service.read(
    `/wms/batches/?article_code=${encodeURIComponent(article.article_code)}`,
    z.array(batch),
  )
  await page.locator(`[data-lots="${known.length}"]`).waitFor()
  await shot('article-lots')
  return { article, batches: known.length }
}

/** Returns the article with the most lots, so that the order of its lots by date can be seen. */
async function articleOfManyLots(service: ServiceClient): Promise<Variant> {
  const batches = await service.read('/wms/batches/?limit=1000', z.array(batch))
  const byVariant = Map.groupBy(batches, (lot) => lot.variant.id)
  const [most] = [...byVariant].toSorted(([, a], [, b]) => b.length - a.length)
  if (!most) throw new Error('the sandbox has no stock')
  return service.read(`/wms/variants/${most[0]}/`, variant)
}

/**
 * Books two defective pieces of the article, which is on the stage, at a location. Scans the command that opens the
 * booking with one piece of the article, the reason, the location, the article (second piece), and the command that
 * books.
 */
export async function bookModification(
  { page, service, shot }: DemoStage,
  article: Variant,
): Promise<{ reference: string; status: string }> {
  const location = await someLocation(service)
  await scanCommand(page, 'BOOK')
  await page.locator('html[data-place="modification"]').waitFor()
  await scanCommand(page, 'DEFECTIVE')
  await scan(page, location.code)
  await scan(page, article.ean ?? article.article_code)
  await page.locator(`[data-line="${article.article_code}"][data-pieces="-2"]`).waitFor()
  await shot('booking')
  await scanCommand(page, 'PRIMARY')
  await page.locator('[data-phase="done"]').waitFor()
  await shot('booked')
  const [newest] = await service.read('/wms/modifications/?sort=createdAt&limit=1', z.array(modification))
  const booked =
    newest && (await service.read(`/wms/modifications/${newest.id}/`, modification)).modification_lines
  const line = booked?.[0]
  if (!newest || booked?.length !== 1 || line?.quantity !== -2 || line.variant.id !== article.id)
    throw new Error('the service has not booked what was scanned')
  if (line.location?.id !== location.id) throw new Error('the service booked it somewhere else')
  return { reference: newest.reference, status: newest.status }
}

/** Returns a location of an existing booking. The desk knows it, because the desk learns locations from bookings. */
async function someLocation(service: ServiceClient): Promise<{ id: string; code: string }> {
  const seen = await service.read('/wms/modifications/?limit=1', z.array(modification))
  const [first] = seen
  const lines =
    first && (await service.read(`/wms/modifications/${first.id}/`, modification)).modification_lines
  const location = lines?.[0]?.location
  if (!location?.code) throw new Error('the sandbox has no booking to learn a location from')
  return { id: location.id, code: location.code }
}
