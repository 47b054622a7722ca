import type { Locator, Page } from '@playwright/test'
import { gs1CheckDigit } from '#shared/domain/gtin.ts'
import { type Batch, batch } from '#shared/wire/batch.ts'
import { variant, type Variant } from '#shared/wire/variant.ts'
import { expect, shot, test } from '#support/app.ts'
import { MeddledMiddleware } from '#support/meddled-middleware.ts'
import { scan, scanCommand } from '#support/scan.ts'
import { connect, type ServiceClient } from '#support/service-client.ts'
import { logIn, setUpStation } from '#support/set-up-station.ts'
import { z } from 'zod'

// These tests use one desk of a customer whose goods expire, first online, then offline.
test.describe.configure({ mode: 'serial' })

const customer = 'RUIGPAD'
let server: MeddledMiddleware
let service: ServiceClient
let variants: Variant[]
let lotsOf: Map<string, Batch[]>

test.beforeAll(async () => {
  server = await MeddledMiddleware.start()
  service = await connect(server.truth, customer)
  variants = await service.read('/wms/variants/?limit=1000', z.array(variant))
  const lots = await service.read('/wms/batches/?limit=1000', z.array(batch))
  lotsOf = Map.groupBy(lots, (lot) => lot.variant.id)
})
test.afterAll(() => server.stop())

function someVariant(fits: (one: Variant) => boolean): Variant {
  const found = variants.find(fits)
  if (!found) throw new Error('the demo has no such article')
  return found
}

/** Returns the calendar days until a lot expires, counted from today on this machine. */
function daysLeft({ expiration_date: day }: Batch): number {
  const now = new Date()
  const today = Date.UTC(now.getFullYear(), now.getMonth(), now.getDate())
  return day === null ? Infinity : (Date.parse(day) - today) / 86_400_000
}

const isExpired = (lot: Batch): boolean => daysLeft(lot) < 0
const isSoon = (lot: Batch): boolean => daysLeft(lot) > 1 && daysLeft(lot) <= 30

/**
 * Returns an article with an EAN and at least three lots. At least one lot is expired, and at least one expires in 2 to
 * 30 days. So the tests can check the order of the lots and the texts `Expired` and `Expires in … days`.
 */
function perishable(): Variant {
  return someVariant(({ id, ean }) => {
    const lots = lotsOf.get(id) ?? []
    return ean !== null && lots.length > 2 && lots.some(isExpired) && lots.some(isSoon)
  })
}

/**
 * Returns the rows that the screen should show for the lots of an article. Each row has the expiry date, the text
 * `Expired` or `Expires in … days` (or no text), the number of pieces, and the reference of the inbound.
 */
function rowsOf({ id }: Variant): string[][] {
  const endless = '9999-12-31~'
  const lots = (lotsOf.get(id) ?? []).toSorted((one, other) => {
    const [a, b] = [one, other].map((lot) => `${lot.expiration_date ?? endless} ${lot.id}`)
    return (a ?? '') < (b ?? '') ? -1 : 1
  })
  return lots.map((lot) => {
    const soon = `Expires in ${String(daysLeft(lot))} days`
    return [
      lot.expiration_date ?? 'no date',
      isExpired(lot) ? 'Expired' : isSoon(lot) ? soon : '',
      String(lot.quantity),
      lot.inbound?.reference ?? '–',
    ]
  })
}

async function shownRows(page: Page): Promise<string[][]> {
  const rows = page.locator('[data-lots] tbody tr')
  const texts = await rows.evaluateAll((all) =>
    all.map((row) => Array.from(row.querySelectorAll('td'), (cell) => cell.textContent.trim())),
  )
  return texts.map(([day = '', ...others]) => {
    const ms = Date.parse(`${day} UTC`)
    return [Number.isNaN(ms) ? day : new Date(ms).toISOString().slice(0, 10), ...others.slice(0, 3)]
  })
}

const cardOf = (page: Page, { article_code: code }: Variant): Locator =>
  page.locator(`[data-article="${code}"]`)

test('the status bar counts the articles while the desk reads them, and shows the total after the last page', async ({
  desk,
  page,
}) => {
  let goOn = (): void => undefined
  const until = new Promise<void>((resolve) => (goOn = resolve))
  // The service returns only short pages. It delays the response with page 1, which the desk reads last.
  const perPage = 100
  let isLast = false
  server.meddle = (_method, path) => {
    const url = new URL(path, server.truth)
    if (url.pathname !== '/wms/variants/') return null
    if (Number(url.searchParams.get('limit')) > perPage)
      return {
        kind: 'answer',
        status: 400,
        type: 'application/json',
        body: '{"errors":{"limit":["Too many."]}}',
      }
    if (url.searchParams.get('limit') !== String(perPage)) return null
    if (url.searchParams.get('page') === '2') isLast = true
    return isLast && url.searchParams.get('page') === '1' ? { kind: 'late', until } : null
  }
  await setUpStation(desk, { ...server.invitation, customer }, 'Dock 9')
  await logIn(page, server.invitation.username, server.invitation.password ?? '')
  const articles = page.locator('[data-catalogue]')
  await expect(articles).toHaveAttribute('data-catalogue', 'filling')
  await expect(articles).toContainText(`${String(variants.length - perPage)} of ${String(variants.length)}`)
  await expect(articles.getByRole('progressbar')).toBeVisible()
  await shot(page, 'catalogue-filling')
  goOn()
  await expect(articles).toHaveAttribute('data-catalogue', 'ready')
  await expect(articles).toContainText(`${String(variants.length)} articles`)
  server.meddle = () => null
})

test('a scan of an EAN shows the article and its lots with marks for expiry, the earliest expiry first', async ({
  page,
}) => {
  const article = perishable()
  await scan(page, article.ean ?? '')
  await expect(cardOf(page, article)).toBeVisible()
  const rows = rowsOf(article)
  await expect(page.locator(`[data-lots="${String(rows.length)}"]`)).toBeVisible()
  expect(await shownRows(page)).toEqual(rows)
  await shot(page, 'article')
  await scanCommand(page, 'LANGUAGE')
  await expect(page.getByText('Verlopen', { exact: true }).first()).toBeVisible()
  await shot(page, 'article-nl')
  await scanCommand(page, 'LANGUAGE')
})

test('a scan finds an article by its SKU, its article code, or a UPC-A whose EAN the service has stored', async ({
  page,
}) => {
  const bySku = someVariant(({ sku, ean }) => sku !== null && ean === null)
  await scan(page, bySku.sku ?? '')
  await expect(cardOf(page, bySku)).toBeVisible()
  const byCode = someVariant(({ sku, ean }) => sku === null && ean === null)
  await scan(page, byCode.article_code)
  await expect(cardOf(page, byCode)).toBeVisible()
  const american = someVariant(({ ean }) => /^0\d{12}$/.test(ean ?? ''))
  await scan(page, (american.ean ?? '').slice(1))
  await expect(cardOf(page, american)).toBeVisible()
  await expect(cardOf(page, american).getByText('updated just now').first()).toBeVisible()
})

test('a scan reports a misread EAN as misread and an unassigned code as unknown', async ({ page }) => {
  const digits = (perishable().ean ?? '').slice(0, -1)
  const misread = `${digits}${String((gs1CheckDigit(digits) + 1) % 10)}`
  await scan(page, misread)
  await expect(page.locator(`[data-unknown="${misread}"]`)).toContainText('the check digit is wrong')
  await shot(page, 'article-misread')
  await scan(page, 'XQ-77-NOWHERE')
  const unknown = page.locator('[data-unknown="XQ-77-NOWHERE"]')
  await expect(unknown).toContainText('Neither this desk nor the service has it.')
  await expect(unknown).not.toContainText('check digit')
})

test('a user with read access sees the lots of an article, and the name of the missing role for bookings', async ({
  page,
}) => {
  await scanCommand(page, 'LOGOUT')
  await logIn(page, 'reader', server.invitation.password ?? '')
  const article = perishable()
  await scan(page, article.ean ?? '')
  await expect(page.locator(`[data-lots="${String(rowsOf(article).length)}"]`)).toBeVisible()
  const card = cardOf(page, article)
  await expect(card.getByRole('button', { name: 'Book stock' })).toBeDisabled()
  await expect(card).toContainText('Your login may not book stock')
  await expect(card).toContainText('MODIFICATIONS_CREATE')
  await scanCommand(page, 'PRIMARY')
  await expect(page.locator('html')).toHaveAttribute('data-place', 'stage')
  await shot(page, 'article-reader')
})

test('a desk without a connection shows articles and lots as it last read them, also those that were never opened', async ({
  page,
}) => {
  const seen = perishable()
  const unseen = someVariant(({ id, ean }) => id !== seen.id && ean !== null && lotsOf.has(id))
  await server.goOffline()
  await scan(page, seen.ean ?? '')
  await expect(page.locator('[data-line="offline"]')).toContainText('Offline')
  await expect(cardOf(page, seen)).toContainText('updated just now')
  await expect(page.locator('[data-lots]')).toContainText('no connection · read just now')
  expect(await shownRows(page)).toEqual(rowsOf(seen))
  await shot(page, 'article-offline')
  await scan(page, unseen.ean ?? '')
  await expect(cardOf(page, unseen)).toBeVisible()
  // The desk has these lots although no operator has opened the article, because the desk reads all lots periodically.
  await expect(page.locator(`[data-lots="${String(rowsOf(unseen).length)}"]`)).toContainText('no connection')
  expect(await shownRows(page)).toEqual(rowsOf(unseen))
  await shot(page, 'article-offline-unseen')
  await scan(page, 'XQ-77-NOWHERE')
  await expect(page.locator('[data-unknown]')).toContainText('the service could not be asked')

  await server.goOnline()
  await expect(page.locator('[data-line="online"]')).toBeVisible()
  await scan(page, unseen.ean ?? '')
  await expect(page.locator(`[data-lots="${String(rowsOf(unseen).length)}"]`)).toBeVisible()
})
