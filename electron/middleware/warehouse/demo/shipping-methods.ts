import type { LabelLayout, WorldShippingMethod } from '../world.ts'
import { daysBefore } from './dates.ts'
import type { Random } from './random.ts'

interface MethodSketch {
  readonly code: string
  readonly description: string
  readonly carrier: string
  readonly labelLayout: LabelLayout
  readonly supportsReturnLabels: boolean
  readonly administrationCode: string | null
}

const sketches: readonly MethodSketch[] = [
  {
    code: 'PP-STD',
    description: 'Polder Post Standaard',
    carrier: 'polder-post',
    labelLayout: 'a6',
    supportsReturnLabels: true,
    administrationCode: '8010',
  },
  {
    code: 'PP-AVOND',
    description: 'Polder Post Avondlevering',
    carrier: 'polder-post',
    labelLayout: '4x6',
    supportsReturnLabels: true,
    administrationCode: '8012',
  },
  {
    code: 'PP-BRIEF',
    description: 'Polder Post Brievenbuspakje',
    carrier: 'polder-post',
    labelLayout: 'a6',
    supportsReturnLabels: false,
    administrationCode: '8015',
  },
  {
    code: 'BF-CLASSIC',
    description: 'Bergfink Classic',
    carrier: 'bergfink-paket',
    labelLayout: 'sheet',
    supportsReturnLabels: true,
    administrationCode: '8110',
  },
  {
    code: 'BF-EUROPA',
    description: 'Bergfink Europa Paket',
    carrier: 'bergfink-paket',
    labelLayout: '4x6',
    supportsReturnLabels: true,
    administrationCode: '8111',
  },
  {
    code: 'MC-48',
    description: 'Marlpit Tracked 48',
    carrier: 'marlpit-couriers',
    labelLayout: '4x6',
    supportsReturnLabels: true,
    administrationCode: null,
  },
  {
    code: 'SV-EXPRESS',
    description: 'Stormvogel Express Worldwide',
    carrier: 'stormvogel-express',
    labelLayout: 'rotated',
    supportsReturnLabels: true,
    administrationCode: '8210',
  },
  {
    code: 'SV-ECO',
    description: 'Stormvogel Economy Select',
    carrier: 'stormvogel-express',
    labelLayout: 'sheet',
    supportsReturnLabels: true,
    administrationCode: null,
  },
]

/**
 * For each country, the shipping methods for parcels to this country. The number of a method is its relative
 * probability in a random choice.
 */
export const methodsByCountry: Readonly<Record<string, readonly (readonly [string, number])[]>> = {
  NL: [
    ['PP-STD', 60],
    ['PP-AVOND', 15],
    ['PP-BRIEF', 25],
  ],
  BE: [
    ['PP-STD', 55],
    ['BF-EUROPA', 45],
  ],
  DE: [
    ['BF-CLASSIC', 85],
    ['SV-EXPRESS', 15],
  ],
  FR: [
    ['BF-EUROPA', 70],
    ['SV-ECO', 30],
  ],
  GB: [
    ['MC-48', 90],
    ['SV-EXPRESS', 10],
  ],
  US: [
    ['SV-EXPRESS', 45],
    ['SV-ECO', 55],
  ],
}

/** Creates eight methods of four carriers. Every label layout occurs, and one method does not support return labels. */
export function makeShippingMethods(random: Random, now: Date): WorldShippingMethod[] {
  return sketches.map((sketch, index) => ({
    id: random.uuid(),
    ...sketch,
    shipper: 'Loods Vier Fulfilment',
    shipperCode: `LV4-${sketch.code}`,
    shippingSoftware: index % 3 === 2 ? 'Kadewerk Connect' : 'Pakbon Online',
    createdAt: daysBefore(now, 1200 - index * 37),
  }))
}
