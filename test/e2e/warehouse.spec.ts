import type { Locator, Page } from '@playwright/test'
import SqliteDatabase from 'better-sqlite3'
import { z } from 'zod'
import { expect, shot, test } from '#support/app.ts'
import { scan, scanCommand } from '#support/scan.ts'
import { beginBooking, StockServer } from '#support/stock-server.ts'

// These tests use one desk and one server, whose simulated warehouse makes a step each second.
test.describe.configure({ mode: 'serial' })

const withinMs = 60_000
const listed = z.array(z.object({ id: z.string(), status: z.string() }).loose())
const place = z.object({ id: z.string(), code: z.string(), ean: z.string() })

let server: StockServer
/** The status of each resource directly after the start of the server, by the id of the resource. */
let atStart: Map<string, string>

test.beforeAll(async () => {
  server = await StockServer.start('--pace', '1')
  atStart = await statuses()
})
test.afterAll(() => server.stop())

async function statuses(): Promise<Map<string, string>> {
  const paths = ['orders', 'inbounds', 'modifications', 'customer-to-customer-transfers']
  const lists = await Promise.all(
    paths.map((path) => server.service.read(`/wms/${path}/?limit=1000`, listed)),
  )
  return new Map(lists.flat().map(({ id, status }) => [id, status]))
}

/** Returns a location and an article. At the location the article has at least two pieces (`some`) or none (`none`). */
function goods(amount: 'some' | 'none'): z.output<typeof place> {
  const database = new SqliteDatabase(server.middleware.databaseFile, { readonly: true })
  try {
    const lots = `select coalesce(sum(quantity), 0) from batches
      where variant_id = variants.id and location_id = locations.id`
    const row = database
      .prepare(
        `select locations.id, locations.code, variants.ean from variants, locations
         where variants.customer_id = (select id from customers where code = ?) and ean is not null
           and locations.pickable = 1 and (${lots}) ${amount === 'some' ? '>= 2' : '= 0'} limit 1`,
      )
      .get(server.middleware.invitation.customer)
    return place.parse(row)
  } finally {
    database.close()
  }
}

const banner = (page: Page, kind: string): Locator => page.locator(`[data-decided="${kind}"]`)

/** Books one lost piece of an article at a location. The desk gets the location from its barcode. */
async function book(page: Page, { id, code, ean }: z.output<typeof place>): Promise<void> {
  await beginBooking(page)
  await scanCommand(page, 'LOST')
  await scan(page, `LOC|${code}|${id}`)
  await scan(page, ean)
  await expect(page.locator('[data-phase="ready"]')).toBeVisible()
  await scanCommand(page, 'PRIMARY')
  await expect(page.locator('[data-phase="done"]')).toBeVisible()
}

test('while the operator continues to work, a banner shows that the warehouse has approved a booking', async ({
  desk,
  page,
}) => {
  await server.openDesk(desk)
  await book(page, goods('some'))
  await scanCommand(page, 'HOME')
  await expect(banner(page, 'approved')).toContainText('approved', { timeout: withinMs })
  await shot(page, 'warehouse-approved')
})

test('the warehouse disapproves a booking of pieces that are not in stock', async ({ page }) => {
  await book(page, goods('none'))
  await scanCommand(page, 'HOME')
  await expect(banner(page, 'disapproved')).toBeVisible({ timeout: withinMs })
})

test('the warehouse ships orders, completes an inbound and accepts a transfer while the desk works', async () => {
  const hadMoved = async (from: readonly string[], to: string): Promise<number> => {
    const now = await statuses()
    return [...atStart].filter(([id, status]) => from.includes(status) && now.get(id) === to).length
  }
  const options = { timeout: withinMs }
  const waiting = ['created', 'plannable', 'planned', 'processing', 'backorder']
  await expect.poll(() => hadMoved(waiting, 'shipped'), options).toBeGreaterThan(0)
  await expect.poll(() => hadMoved(['announced', 'processing'], 'completed'), options).toBeGreaterThan(0)
  await expect.poll(() => hadMoved(['requested', 'processing'], 'accepted'), options).toBeGreaterThan(0)
})
