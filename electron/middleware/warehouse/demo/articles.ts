import { gs1CheckDigit } from '#shared/domain/gtin.ts'
import type { WorldArticle, WorldBundle, WorldCustomer, WorldVariant } from '../world.ts'
import {
  fashionColours,
  fashionLongTails,
  fashionModels,
  type Garment,
  garments,
  type OutdoorLine,
  outdoorLines,
  outdoorLongTails,
  outdoorModels,
  sizeRuns,
} from './assortments.ts'
import { daysBefore } from './dates.ts'
import type { Random } from './random.ts'

interface Goods {
  readonly articles: readonly WorldArticle[]
  readonly variants: readonly WorldVariant[]
}

const fashionSize = { articles: 140, variants: 480 }
const outdoorSize = { articles: 110, variants: 220 }

/** Creates 250 articles and 700 variants. Article codes are unique, EANs are valid and unique. */
export function makeGoods(
  random: Random,
  now: Date,
  customers: { readonly fashion: WorldCustomer; readonly outdoor: WorldCustomer },
): Goods {
  const fashion = fillShelf(random, now, {
    customer: customers.fashion,
    codePrefix: 'ZL',
    sketches: fashionSketches(random, fashionSize.articles),
    variants: fashionSize.variants,
    firstItem: 1,
  })
  const outdoor = fillShelf(random, now, {
    customer: customers.outdoor,
    codePrefix: 'RP',
    sketches: outdoorSketches(random, outdoorSize.articles),
    variants: outdoorSize.variants,
    firstItem: 5001,
  })
  return {
    articles: [...fashion.articles, ...outdoor.articles],
    variants: [...fashion.variants, ...outdoor.variants],
  }
}

interface Shelf {
  readonly customer: WorldCustomer
  readonly codePrefix: string
  readonly sketches: readonly ArticleSketch[]
  readonly variants: number
  /** The first item number of the customer. The item numbers of two customers do not overlap. */
  readonly firstItem: number
}

function fillShelf(random: Random, now: Date, shelf: Shelf): Goods {
  const counts = spread(random, shelf.sketches, shelf.variants)
  const articles: WorldArticle[] = []
  const variants: WorldVariant[] = []
  for (const [index, sketch] of shelf.sketches.entries()) {
    const article = {
      id: random.uuid(),
      customerId: shelf.customer.id,
      name: sketch.name,
      createdAt: daysBefore(now, 130 + random.next() * 600),
    }
    articles.push(article)
    for (let option = 0; option < (counts[index] ?? 1); option++) {
      const numbers = { article: 1001 + index, item: shelf.firstItem + variants.length, option }
      variants.push(makeVariant(random, shelf, article, sketch, numbers))
    }
  }
  return { articles, variants }
}

/**
 * Returns the number of variants of each article: at least one, and at most its number of options. The sum is `total`.
 */
function spread(random: Random, sketches: readonly ArticleSketch[], total: number): number[] {
  const counts = sketches.map(() => 1)
  let left = total - counts.length
  while (left > 0) {
    const open = counts.flatMap((count, index) =>
      count < (sketches[index]?.options.length ?? 0) ? [index] : [],
    )
    if (open.length === 0) throw new RangeError(`no space for ${left} more variants`)
    const at = random.pick(open)
    counts[at] = (counts[at] ?? 0) + 1
    left--
  }
  return counts
}

const origins = ['PT', 'TR', 'IN', 'CN', 'DE', 'NL', 'IT', 'BD', 'PL', 'VN'] as const
const descriptions = [
  'Wasvoorschrift: 30 °C, niet in de droger.',
  'Nieuwe collectie; levering in kartonnen hoes.',
  'Let op: breekbaar, rechtop bewaren.',
  'Kühl und trocken lagern. Nach dem Öffnen innerhalb von 6 Wochen verbrauchen.',
] as const

function makeVariant(
  random: Random,
  shelf: Shelf,
  article: WorldArticle,
  sketch: ArticleSketch,
  numbers: { readonly article: number; readonly item: number; readonly option: number },
): WorldVariant {
  const option = sketch.options[numbers.option] ?? { name: '', code: 'STD' }
  const identity = drawIdentity(random)
  const ean = makeEan(random, numbers.item)
  const [low, high] = sketch.price
  return {
    id: random.uuid(),
    articleId: article.id,
    customerId: shelf.customer.id,
    articleCode: `${shelf.codePrefix}-${sketch.short}${numbers.article}-${option.code}`,
    name: option.name === '' ? article.name : `${article.name} – ${option.name}`,
    description: random.chance(0.3) ? random.pick(descriptions) : null,
    ean: identity === 'both' || identity === 'ean' ? ean : null,
    sku:
      identity === 'both' || identity === 'sku'
        ? `${shelf.codePrefix}${String(numbers.item).padStart(6, '0')}`
        : null,
    hsTariffCode: random.chance(0.9) ? sketch.hsTariffCode : null,
    ...boxOf(random, sketch.weightGrams),
    expirable: sketch.expirable,
    countryOfOrigin: random.chance(0.92) ? random.pick(origins) : null,
    usingSerialNumbers: sketch.usingSerialNumbers,
    value: random.chance(0.95) ? random.int(low, high) - 0.05 : null,
    createdAt: article.createdAt,
  }
}

/** Returns the size in millimetres of a box with this weight. Some boxes have no measurements. */
function boxOf(
  random: Random,
  weightGrams: number,
): Pick<WorldVariant, 'height' | 'depth' | 'width' | 'weight'> {
  if (random.chance(0.07)) return { height: null, depth: null, width: null, weight: null }
  const side = Math.cbrt(weightGrams * 4500)
  const vary = (share: number): number => Math.round(side * share * (0.85 + random.next() * 0.3))
  return {
    height: vary(0.45),
    depth: vary(1.1),
    width: vary(1.6),
    weight: Math.round(weightGrams * (0.95 + random.next() * 0.1)),
  }
}

type Identity = 'both' | 'ean' | 'sku' | 'neither'

/** Draws the codes of a variant other than its article code. */
function drawIdentity(random: Random): Identity {
  return random.weighted<Identity>([
    ['both', 60],
    ['ean', 26],
    ['sku', 9],
    ['neither', 5],
  ])
}

/**
 * Ranges of EANs with their weights in a random choice. A range is a prefix of GS1 Netherlands, Germany, France,
 * Belgium or the US and five digits of a company.
 */
const eanRanges: readonly (readonly [string, number])[] = [
  ['87199042', 40],
  ['40615377', 25],
  ['37604218', 12],
  ['54139966', 13],
  ['08507361', 10],
]

/**
 * Returns an EAN-13: a random prefix from `eanRanges`, the item number (at most 9999) and the check digit. Different
 * item numbers give different EANs.
 */
function makeEan(random: Random, item: number): string {
  const digits = random.weighted(eanRanges) + String(item).padStart(4, '0')
  return `${digits}${gs1CheckDigit(digits)}`
}

/** An article before it has ids: its name, and its possible variants in the order in which they are created. */
interface ArticleSketch {
  readonly name: string
  readonly short: string
  readonly hsTariffCode: string
  readonly weightGrams: number
  readonly price: readonly [number, number]
  readonly expirable: boolean
  readonly usingSerialNumbers: boolean
  readonly options: readonly { readonly name: string; readonly code: string }[]
}

/** Creates `count` articles of the fashion shop with different names. */
function fashionSketches(random: Random, count: number): ArticleSketch[] {
  const pairs = garments.flatMap((garment) => fashionModels.map((model) => ({ garment, model })))
  return random
    .shuffled(pairs)
    .slice(0, count)
    .map(({ garment, model }, index) => ({
      ...garment,
      name: longName(random, `${garment.name} ${model}`, fashionLongTails, index),
      expirable: false,
      usingSerialNumbers: false,
      options: garmentOptions(random, garment),
    }))
}

function garmentOptions(random: Random, garment: Garment): ArticleSketch['options'] {
  const colours = random.shuffled(fashionColours).slice(0, garment.sizes === 'one' ? 4 : random.int(1, 3))
  return colours.flatMap(([colour, colourCode]) =>
    sizeRuns[garment.sizes].map((size) => ({
      name: [colour, size].filter((part) => part !== '').join(', '),
      code: [colourCode, size.replaceAll(' ', '')].filter((part) => part !== '').join('-'),
    })),
  )
}

/** Creates `count` articles of the outdoor shop with different names. */
function outdoorSketches(random: Random, count: number): ArticleSketch[] {
  const pairs = outdoorLines.flatMap((line) => outdoorModels.map((model) => ({ line, model })))
  return random
    .shuffled(pairs)
    .slice(0, count)
    .map(({ line, model }, index) => ({
      ...line,
      name: longName(random, `${model} ${line.name}`, outdoorLongTails, index),
      expirable: line.expirable ?? false,
      usingSerialNumbers: line.usingSerialNumbers ?? false,
      options: lineOptions(random, line),
    }))
}

function lineOptions(random: Random, line: OutdoorLine): ArticleSketch['options'] {
  return random.shuffled(line.options).map(([name, code]) => ({ name, code }))
}

/** One in this number of articles has a name of more than a hundred characters. */
const longNameEvery = 18

function longName(random: Random, name: string, tails: readonly string[], index: number): string {
  return index % longNameEvery === longNameEvery - 1 ? `${name} ${random.pick(tails)}` : name
}

const bundlesPerCustomer = 62

/**
 * Creates 62 bundles for each customer. A bundle contains one to four other variants, with 1, 2 or 6 pieces of each.
 */
export function makeBundles(
  random: Random,
  now: Date,
  sources: { readonly customers: readonly WorldCustomer[]; readonly variants: readonly WorldVariant[] },
): WorldBundle[] {
  return sources.customers.flatMap((customer) => {
    const own = sources.variants.filter((variant) => variant.customerId === customer.id)
    const [wholes, parts] = halves(random.shuffled(own))
    return wholes.slice(0, bundlesPerCustomer).map((whole, index) => ({
      id: random.uuid(),
      customerId: customer.id,
      variantId: whole.id,
      items: random
        .shuffled(parts)
        .slice(0, random.int(1, 4))
        .map((part) => ({
          id: random.uuid(),
          variantId: part.id,
          quantity: random.weighted([
            [1, 70],
            [2, 20],
            [6, 10],
          ] as const),
        })),
      createdAt: daysBefore(now, 120 - index - random.next()),
    }))
  })
}

function halves<T>(items: readonly T[]): [T[], T[]] {
  const middle = Math.floor(items.length / 2)
  return [items.slice(0, middle), items.slice(middle)]
}
