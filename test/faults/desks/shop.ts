import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { openSqlite } from '#kit/open-sqlite.ts'
import type { Random } from '#middleware/warehouse/demo/random.ts'
import { sandbox } from '#shared/domain/sandbox.ts'
import type { Order } from '../outbox/deed.ts'
import { type FaultCount, FaultProxy } from '../outbox/fault-proxy.ts'
import { readGoods, serviceFile, World } from '../outbox/world.ts'
import type { DeskOrder } from './errand.ts'
import type { WireJournal } from './wire-journal.ts'

/** Maximum delay of a write in milliseconds. The quiet time of a desk (one minute) is longer. */
const lateMs = 250
/** Time limit of a desk for a response during faults, in milliseconds. */
export const headersMs = 350
/**
 * Milliseconds that represent one minute in this suite. The pauses of one to sixty seconds between two operators are
 * shortened in the same ratio.
 */
export const minuteMs = 1_500
/**
 * Outages of the desks: minimum and maximum of the time between two outages (`everyMs`) and of the duration of one
 * outage (`lastMs`), in milliseconds.
 */
const outages = { everyMs: [1_500, 6_000], lastMs: [200, 1_500] } as const

export interface ShopPlan {
  readonly desks: number
  readonly random: Random
}

/** One service, and desks that each reach it over their own faulty connection. */
export interface Shop {
  readonly world: World
  readonly proxies: readonly FaultProxy[]
  readonly orders: readonly Omit<DeskOrder, 'task' | 'seed' | 'killAt'>[]
}

export async function openShop(
  { desks, random }: ShopPlan,
  folder: string,
  journal: WireJournal,
  count: FaultCount,
): Promise<Shop> {
  const world = await World.start(folder)
  const numbers = Array.from({ length: desks }, (_, desk) => desk)
  const proxies = await Promise.all(
    numbers.map((desk) =>
      FaultProxy.start(
        {
          target: world.url,
          random: random.fork(`proxy ${desk}`),
          rates: { writes: 0.45, reads: 0.05, logins: 0.05 },
          lateMs,
          tls: null,
          log: (line) => appendFileSync(join(folder, `wire-${desk}.jsonl`), `${line}\n`),
          through: journal.through(desk),
        },
        count,
      ),
    ),
  )
  const goods = readShopGoods(folder)
  const { wmsCode, customerCode, username, password } = sandbox
  const orders = proxies.map((proxy, desk) => ({
    dataDir: deskFolder(folder, desk),
    embeddedUrl: `http://127.0.0.1:${proxy.port}`,
    baseUrl: 'embedded:',
    proxy: null,
    authority: null,
    wmsCode,
    customerCode,
    username,
    password,
    quietMs: minuteMs,
    headersMs,
    waitedMs: minuteMs,
    variants: goods.variants,
    locationIds: goods.locationIds,
    shipments: goods.shipments.length,
  }))
  return { world, proxies, orders }
}

export async function closeShop({ world, proxies }: Shop): Promise<void> {
  await Promise.all(proxies.map((proxy) => proxy.close()))
  await world.stop()
}

/** Turns faults and outages on. */
export function makeHostile({ proxies }: Shop): void {
  for (const proxy of proxies) {
    proxy.isHostile = true
    proxy.openGaps(outages)
  }
}

/** Turns faults off and waits until every held write was applied. */
export async function makeCalm({ proxies }: Shop): Promise<void> {
  await Promise.all(proxies.map((proxy) => proxy.calm()))
}

export function deskFolder(folder: string, desk: number): string {
  return join(folder, `desk-${desk}`)
}

/** The goods of the suite: shipments by the code on the parcel, and the articles and locations of bookings. */
export interface ShopGoods extends Pick<Order, 'methodIds' | 'variants' | 'locationIds'> {
  readonly shipments: readonly { readonly id: string; readonly code: string }[]
}

export function readShopGoods(folder: string): ShopGoods {
  const { methodIds, variants, locationIds } = readGoods(folder)
  const database = openSqlite(serviceFile(folder), 'cache', { readonly: true })
  try {
    const shipments = database
      .prepare<[string], { id: string; code: string }>(
        `SELECT s.id, s.reference AS code FROM shipments s JOIN customers c ON c.id = s.customer_id
         WHERE c.code = ? ORDER BY s.reference DESC`,
      )
      .all(sandbox.customerCode)
    return { methodIds, variants, locationIds, shipments }
  } finally {
    database.close()
  }
}
