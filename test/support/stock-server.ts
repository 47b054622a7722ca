import type { Page } from '@playwright/test'
import SqliteDatabase from 'better-sqlite3'
import { z } from 'zod'
import { modification, type Modification } from '#shared/wire/modification.ts'
import { stock } from '#shared/wire/stock.ts'
import { variant, type Variant } from '#shared/wire/variant.ts'
import { expect } from './app.ts'
import { type Meddle, MeddledMiddleware } from './meddled-middleware.ts'
import { scanCommand } from './scan.ts'
import { connect, type ServiceClient } from './service-client.ts'
import { logIn, type OpenDesk, setUpStation } from './set-up-station.ts'

export interface Shelf {
  readonly id: string
  readonly code: string
}

/** A line of a booking at the service. The quantity is in pieces, and negative if they were removed. */
export type BookedLine = readonly [variantId: string, locationId: string, quantity: number]

export interface Booked extends Pick<Modification, 'reference' | 'reason' | 'status'> {
  readonly note: string
  readonly lines: readonly BookedLine[]
}

const shelves = 3
const list = z.array(modification)

/**
 * A server for bookings of stock, and a second client for checks. The server has bookings from the start. A fault hides
 * the lines of these bookings, except of the newest three, so the desk learns only the locations of these three.
 */
export class StockServer {
  readonly middleware: MeddledMiddleware
  readonly service: ServiceClient
  readonly #old: readonly string[]
  /** Articles that have an EAN. */
  readonly articles: readonly Variant[]
  /** Locations that the desk learns from visible bookings. */
  readonly known: readonly Shelf[]
  /** Locations of the service that the desk does not learn. */
  readonly hidden: readonly Shelf[]

  /** `args`: options of the middleware, such as `--quirks`. */
  static async start(...args: string[]): Promise<StockServer> {
    const middleware = await MeddledMiddleware.start(...args)
    const service = await connect(middleware.truth)
    const variants = await service.read('/wms/variants/?limit=1000', z.array(variant))
    const old = (await service.read('/wms/modifications/?limit=1000', list)).map(({ id }) => id)
    const booked = await Promise.all(old.map((id) => shelfOf(service, id)))
    const known = booked.slice(0, shelves)
    // Several bookings may use the same location. The desk learns the locations of the visible bookings, so a location
    // is hidden only if all its bookings are hidden.
    const ids = new Set(known.map(({ id }) => id))
    const hidden = booked.filter(({ id }) => !ids.has(id) && ids.add(id))
    return new StockServer(middleware, service, variants, old, { known, hidden })
  }

  private constructor(
    middleware: MeddledMiddleware,
    service: ServiceClient,
    variants: readonly Variant[],
    old: readonly string[],
    places: { readonly known: readonly Shelf[]; readonly hidden: readonly Shelf[] },
  ) {
    this.middleware = middleware
    this.service = service
    this.#old = old
    this.articles = variants.filter(({ ean }) => ean !== null)
    this.known = places.known
    this.hidden = places.hidden
    this.meddle(() => null)
  }

  /** Adds a fault between the desk and the service. The fault that hides the old bookings stays. */
  meddle(meddle: Meddle): void {
    this.middleware.meddle = (method, path) => {
      const [, id = ''] = /^\/wms\/modifications\/([^/?]+)\/$/.exec(path) ?? []
      if (this.#old.indexOf(id) >= shelves)
        return { kind: 'answer', status: 404, type: 'application/json', body: '{"code":404}' }
      return meddle(method, path)
    }
  }

  /** Resolves when the desk has the articles and the locations. */
  async openDesk(desk: OpenDesk): Promise<void> {
    const { page } = desk
    const { username, password } = this.middleware.invitation
    await setUpStation(desk, this.middleware.invitation, 'Stock 1')
    await logIn(page, username, password ?? '')
    await page.locator('[data-catalogue="ready"]').waitFor()
    await expect(async () => {
      await scanCommand(page, 'LOCATIONS')
      await expect(page.locator(`[data-locations="${shelves}"]`)).toBeVisible({ timeout: 400 })
    }).toPass()
  }

  /** Returns all bookings since the start of the server, the newest first. */
  async booked(): Promise<Booked[]> {
    const all = await this.service.read('/wms/modifications/?limit=1000', list)
    const fresh = all.filter(({ id }) => !this.#old.includes(id))
    return Promise.all(fresh.map(({ id }) => this.#read(id)))
  }

  /** Makes a decision of the warehouse about a booking, by its reference. */
  decide(reference: string, status: 'approved' | 'disapproved'): void {
    const database = new SqliteDatabase(this.middleware.databaseFile)
    try {
      const at = new Date().toISOString()
      const { changes } = database
        .prepare('UPDATE modifications SET status = ?, modified_at = ? WHERE reference = ?')
        .run(status, at, reference)
      if (changes !== 1) throw new Error(`the service has no booking ${reference}`)
    } finally {
      database.close()
    }
  }

  /** Returns the stock of an article at the service. */
  async stockOf({ id, article_code: code }: Variant): Promise<{ salable: number; quarantine: number }> {
    const rows = await this.service.read(
      `/wms/stock/?article_code=${encodeURIComponent(code)}`,
      z.array(stock),
    )
    const row = rows.find((one) => one.id === id)
    if (!row) throw new Error(`the service has no stock of ${code}`)
    return { salable: row.stock_salable, quarantine: row.stock_quarantine }
  }

  async #read(id: string): Promise<Booked> {
    const one = await this.service.read(`/wms/modifications/${id}/`, modification)
    const lines = (one.modification_lines ?? []).map((line): BookedLine => [
      line.variant.id,
      line.location?.id ?? '',
      line.quantity,
    ])
    return { ...one, note: one.note ?? '', lines }
  }

  async stop(): Promise<void> {
    await this.middleware.stop()
  }
}

async function shelfOf(service: ServiceClient, id: string): Promise<Shelf> {
  const { modification_lines: lines } = await service.read(`/wms/modifications/${id}/`, modification)
  const location = lines?.[0]?.location
  if (!location?.code) throw new Error('the demo has bookings without a location')
  return { id: location.id, code: location.code }
}

/** Opens the booking form in the window and clears it. */
export async function beginBooking(page: Page): Promise<void> {
  await scanCommand(page, 'HOME')
  await scanCommand(page, 'BOOK')
  await page.locator('html[data-place="modification"]').waitFor()
  const clear = page.getByRole('button', { name: 'Start over' })
  if (await clear.isEnabled()) await clear.click()
  await expect(clear).toBeDisabled()
}
