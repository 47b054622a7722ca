import { gs1CheckDigit } from '#shared/domain/check-digit.ts'
import type { Random } from './random.ts'

/** Makers' number ranges: prefixes of GS1 Netherlands, Germany, France, Belgium and the US, and a company's five digits. */
const ranges: readonly (readonly [string, number])[] = [
  ['87199042', 40],
  ['40615377', 25],
  ['37604218', 12],
  ['54139966', 13],
  ['08507361', 10],
]

/** EAN-13 of the n-th item (up to 9999): no two items share one, whatever range is drawn. */
export function makeEan(random: Random, item: number): string {
  const digits = random.weighted(ranges) + String(item).padStart(4, '0')
  return `${digits}${gs1CheckDigit(digits)}`
}

export type Identity = 'both' | 'ean' | 'sku' | 'neither'

/** What a variant can be found by beside its article code. */
export function drawIdentity(random: Random): Identity {
  return random.weighted<Identity>([
    ['both', 60],
    ['ean', 26],
    ['sku', 9],
    ['neither', 5],
  ])
}
