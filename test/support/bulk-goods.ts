import { gs1CheckDigit } from '#shared/domain/gtin.ts'
import { foldText } from '#shared/domain/text-forms.ts'
import type { Variant } from '#shared/wire/variant.ts'

/**
 * Articles in bulk like those of a web shop, each computed from its number alone. The same number gives the same
 * article in every process, so that a million articles need no storage.
 */

const brands = words(
  `Nordvik Castello Brightmoor Hälden Oakline Ferraño Zephyra Lumière Kestrel Tavira Bergström Solano Mirávia Quillon
  Åstrid Velora Dunmore Fenwick Arcadia Rivetta Möntclair Stéllan Junípero Harrow Çalder Winslow Østara Pembrook Larkin
  Thorne Kjær Søndergård Müller Châtelet Peñarrubia Łukowski Dvořák Šimek`,
)
const styles = words(
  `slim classic organic waterproof lightweight premium vintage recycled thermal stretch quilted padded seamless
  reflective insulated breathable foldable wireless rechargeable ceramic stainless bamboo velvet merino denim leather
  cotton linen fleece knitted crème décoré façonné naïve rosé`,
)
const things = words(
  `jacket shirt trousers sneaker boot backpack wallet belt scarf glove beanie hoodie dress skirt blouse sandal jumper
  cardigan leggings coat lamp kettle mug bottle blanket pillow curtain towel charger headphones speaker keyboard mouse
  cable adapter tripod camera lens watch bracelet necklace earring perfume shampoo lotion candle vase planter shelf
  stool café-press soufflé-dish purée-ladle müesli-bowl`,
)
const colours = words(
  `black white navy red green blue grey beige brown yellow orange purple pink teal olive burgundy ivory charcoal
  turquoise mustard écru bordeaux türkis`,
)
const sizes = words('XS S M L XL XXL 36 37 38 39 40 41 42 43 44 45 46 128 140 152')
const countries = words('NL DE CN PT IT')

const firstMadeAt = Date.parse('2020-01-01T00:00:00Z')
/** The time between the creations of two articles is one minute, so a million articles take two years. */
const madeEveryMs = 60_000

export function bulkVariant(number: number): Variant {
  const draw = drawsOf(number)
  const of = (list: readonly string[]): string => list[Math.floor(draw() * list.length)] ?? ''
  const [brand, style, thing, colour, size] = [of(brands), of(styles), of(things), of(colours), of(sizes)]
  const model = 1_000 + Math.floor(draw() * 9_000)
  const at = new Date(firstMadeAt + number * madeEveryMs).toISOString()
  const skuParts = [brand, thing, colour].map((word) => foldText(word).slice(0, 3).toUpperCase())
  return {
    id: bulkId(number, draw),
    article_code: `ART-${String(number).padStart(8, '0')}`,
    name: `${brand} ${style} ${thing} ${model} ${colour} ${size}`,
    description: draw() < 0.5 ? null : `${style} ${thing} in ${colour}, model ${model}, by ${brand}`,
    ean: bulkEan(number),
    sku: `${skuParts.join('-')}-${size}-${number.toString(36).toUpperCase()}`,
    hs_tariff_code: '6109100010',
    height: Math.floor(draw() * 500),
    depth: Math.floor(draw() * 500),
    width: Math.floor(draw() * 500),
    weight: Math.floor(draw() * 5_000),
    expirable: draw() < 0.05,
    country_of_origin: of(countries),
    using_serial_numbers: draw() < 0.03,
    value: Math.round(draw() * 20_000) / 100,
    created_at: at,
    modified_at: at,
  }
}

/**
 * Returns an EAN. Different numbers below a thousand million have different EANs, which are not in the order of the
 * numbers.
 */
export function bulkEan(number: number): string {
  const digits = `87${String((number * 7_919) % 1_000_000_000).padStart(10, '0')}`
  return `${digits}${gs1CheckDigit(digits)}`
}

/** Returns `count` pseudo-random whole numbers from 0 to `among` - 1, the same in every run. */
export function bulkPicks(count: number, among: number, seed = 1): number[] {
  const draw = drawsOf(seed)
  return Array.from({ length: count }, () => Math.floor(draw() * among))
}

function words(text: string): readonly string[] {
  return text.trim().split(/\s+/)
}

/** Returns an id in the form of a random uuid that contains the number, so that no two ids are equal. */
function bulkId(number: number, draw: () => number): string {
  const hex = (digits: number): string =>
    Math.floor(draw() * 16 ** digits)
      .toString(16)
      .padStart(digits, '0')
  const own = number.toString(16).padStart(8, '0')
  return `${hex(8)}-${hex(4)}-4${hex(3)}-a${hex(3)}-${hex(4)}${own}`
}

/**
 * Returns a function that returns pseudo-random fractions from 0 to 1. Its 32-bit state is mixed by two multiplications
 * and three shifts.
 */
function drawsOf(seed: number): () => number {
  let state = Math.imul(seed + 1, 0x9e3779b1) >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000
  }
}
