import type { WorldInbound, WorldQualityControl } from '../world.ts'
import { makePaper } from './papers.ts'
import type { Random } from './random.ts'

const minuteMs = 60_000
const conditions = ['Goed', 'Licht beschadigd', 'Nat', 'Gescheurde folie', 'Scheve pallet'] as const
const comments = [
  '',
  'Aantallen kloppen met de pakbon.',
  'Twee dozen open, inhoud geteld.',
  'Levering kwam een dag te vroeg.',
  'Label van de fabrikant ontbreekt op één pallet.',
] as const

/** What stood on the dock: on every third inbound one control, on a few of them a second look, most with papers. */
export function makeQualityControls(
  random: Random,
  inbound: Pick<WorldInbound, 'externalReference' | 'createdAt'>,
  index: number,
): WorldQualityControl[] {
  if (index % 3 !== 0) return []
  return Array.from({ length: index % 12 === 0 ? 2 : 1 }, (_, look): WorldQualityControl => {
    const createdAt = new Date(Date.parse(inbound.createdAt) + (look + 1) * minuteMs).toISOString()
    const boxCondition = look === 0 ? random.pick(conditions) : 'Goed'
    const papers = random.weighted([
      [0, 25],
      [1, 50],
      [2, 25],
    ] as const)
    return {
      id: random.uuid(),
      palletCount: String(random.int(1, 12)),
      wasDeliveryAppointment: random.chance(0.8),
      hadPackingList: random.chance(0.85),
      wasCorrectQuantity: random.chance(0.9),
      hadProperMarkings: random.chance(0.9),
      boxCondition,
      comments: random.pick(comments),
      documents: Array.from({ length: papers }, (__, page) =>
        makePaper(random, {
          title: `Controle ${inbound.externalReference ?? ''} ${look + 1}-${page + 1}.pdf`,
          documentType: 'quality_control',
          createdAt,
          lines: [`Inbound ${inbound.externalReference ?? ''}`, `Staat van de dozen: ${boxCondition}`],
        }),
      ),
      createdAt,
    }
  })
}
