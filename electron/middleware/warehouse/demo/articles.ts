import type { WorldArticle, WorldCustomer, WorldVariant } from '../world.ts'
import { fashionSketches, outdoorSketches, type ArticleSketch } from './article-sketches.ts'
import { daysBefore } from './dates.ts'
import { drawIdentity, makeEan } from './identifiers.ts'
import type { Random } from './random.ts'

const fashionSize = { articles: 140, variants: 480 }
const outdoorSize = { articles: 110, variants: 220 }
const origins = ['PT', 'TR', 'IN', 'CN', 'DE', 'NL', 'IT', 'BD', 'PL', 'VN'] as const
const descriptions = [
  'Wasvoorschrift: 30 °C, niet in de droger.',
  'Nieuwe collectie; levering in kartonnen hoes.',
  'Let op: breekbaar, rechtop bewaren.',
  'Kühl und trocken lagern. Nach dem Öffnen innerhalb von 6 Wochen verbrauchen.',
] as const

export interface Goods {
  readonly articles: readonly WorldArticle[]
  readonly variants: readonly WorldVariant[]
}

interface Shelf {
  readonly customer: WorldCustomer
  readonly codePrefix: string
  readonly sketches: readonly ArticleSketch[]
  readonly variants: number
  /** The first of the shelf's item numbers: no two shelves overlap. */
  readonly firstItem: number
}

/** How many variants each article gets: one at least, as many as it can have at most, `total` together. */
function spread(random: Random, sketches: readonly ArticleSketch[], total: number): number[] {
  const counts = sketches.map(() => 1)
  let left = total - counts.length
  while (left > 0) {
    const open = counts.flatMap((count, index) =>
      count < (sketches[index]?.options.length ?? 0) ? [index] : [],
    )
    if (open.length === 0) throw new RangeError(`no room for ${left} variants more`)
    const at = random.pick(open)
    counts[at] = (counts[at] ?? 0) + 1
    left--
  }
  return counts
}

/** Millimetres of a box of a weight, some never measured. */
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

/** 250 articles and 700 variants; article codes are unique, EANs valid and unique. */
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
