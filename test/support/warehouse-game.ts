import { expect } from 'vitest'
import type { Customer } from '#middleware/services/context.ts'
import { createArticles } from '#middleware/services/goods/articles.ts'
import { createVariant } from '#middleware/services/goods/variants.ts'
import { Refusal } from '#middleware/services/refusal.ts'
import { randomFrom } from './random.ts'
import { makeSmallWorld } from './small-world.ts'
import { startWarehouseBench, type WarehouseBench } from './warehouse-bench.ts'
import { type ModelVariant, WarehouseModel } from './warehouse-model.ts'

/**
 * The records that a call named, whether the call was applied or refused. Null: there was no suitable record, so the
 * call was not made.
 */
export type Touched = { orderId: string | null; variantIds: readonly string[] } | null
export const nothingTouched = { orderId: null, variantIds: [] }

/** For the name of each kind of call, a function that makes a random call of this kind. */
export type Calls = Readonly<Record<string, () => Promise<Touched>>>

/**
 * A warehouse with two customers, goods and locations; the model of this warehouse; and a source of random numbers.
 */
export interface Game {
  readonly bench: WarehouseBench
  readonly model: WarehouseModel
  readonly int: (from: number, to: number) => number
  readonly chance: (part: number) => boolean
  readonly pick: <Item>(items: readonly Item[]) => Item | undefined
  /** Returns one of the newest records, because a warehouse works on recent records. */
  readonly some: <Item>(items: ReadonlyMap<string, Item>) => Item | undefined
  readonly customerOf: (id: string) => Customer
  readonly anyCustomer: () => Customer
  /** Returns an unused number. */
  readonly fresh: () => number
  /** Returns one serial number for each piece of a variant with serial numbers, otherwise none. */
  readonly serials: (variant: ModelVariant, quantity: number) => string[]
  readonly addVariant: (customer: Customer, code: string) => Promise<void>
}

const window = 30

export async function startGame(seed: number): Promise<Game> {
  const world = makeSmallWorld()
  const none = { orders: [], batches: [], modifications: [], inbounds: [], shipments: [] }
  const noGoods = { articles: [], variants: [], locations: [] }
  const bench = await startWarehouseBench({ ...world, ...none, ...noGoods })
  const model = new WarehouseModel()
  const random = randomFrom(seed)
  const articles = new Map<string, string>()
  let made = 0
  const int = (from: number, to: number): number => from + Math.floor(random() * (to - from + 1))
  const chance = (part: number): boolean => random() < part
  const pick = <Item>(items: readonly Item[]): Item | undefined => items[int(0, items.length - 1)]

  async function addVariant(customer: Customer, code: string): Promise<void> {
    const fields = { expirable: chance(0.4) ? 1 : 0, using_serial_numbers: chance(0.4) ? 1 : 0 } as const
    const article_id = articles.get(customer.id) ?? ''
    const id = await createVariant(bench.context, customer, { article_id, article_code: code, ...fields })
    model.variants.set(id, {
      id,
      customerId: customer.id,
      code,
      expires: fields.expirable === 1,
      hasSerials: fields.using_serial_numbers === 1,
      isDeleted: false,
    })
  }

  for (const code of ['A-1', 'A-2', 'BULK-1', 'QUAR-1']) {
    const isPickable = code.startsWith('A')
    const { id } = await bench.port.nameLocation({ code, pickable: isPickable })
    model.places.set(id, { id, code, isPickable })
  }
  for (const customer of [bench.alder, bench.birch]) {
    const [record] = await createArticles(bench.context, customer, [{ name: 'All', variants: [], place: '' }])
    articles.set(customer.id, record?.article.id ?? '')
    for (let index = 0; index < 4; index += 1) await addVariant(customer, `P-${index}`)
  }
  return {
    bench,
    model,
    int,
    chance,
    pick,
    some: (items) => pick([...items.values()].slice(-window)),
    customerOf: (id) => (id === bench.alder.id ? bench.alder : bench.birch),
    anyCustomer: () => (chance(0.7) ? bench.alder : bench.birch),
    fresh: () => (made += 1),
    serials: ({ hasSerials }, quantity) =>
      hasSerials ? Array.from({ length: quantity }, () => `S${(made += 1)}`) : [],
    addVariant,
  }
}

/** Makes a call and expects the result that the model predicts. After a success, updates the model with `follow`. */
export async function attempt<Result>(
  isAllowed: boolean,
  call: () => Promise<Result>,
  follow: (result: Result) => void | Promise<void>,
): Promise<boolean> {
  let result: Result
  try {
    result = await call()
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    expect([isAllowed, error.message]).toEqual([false, error.message])
    return false
  }
  expect(isAllowed).toBe(true)
  await follow(result)
  return true
}
