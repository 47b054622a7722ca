import type { WorldLocationType } from '../world.ts'
import { daysBefore } from './dates.ts'
import type { Random } from './random.ts'

type Sketch = Pick<WorldLocationType, 'code' | 'name' | 'transport' | 'pickable' | 'administrationCode'>

const sketches: readonly Sketch[] = [
  { code: 'PICK', name: 'Picklocatie', transport: false, pickable: true, administrationCode: '100' },
  { code: 'FLOW', name: 'Doorrolstelling', transport: false, pickable: true, administrationCode: '110' },
  { code: 'BULK', name: 'Bulklocatie', transport: false, pickable: false, administrationCode: '200' },
  { code: 'DOCK', name: 'Laaddock', transport: false, pickable: false, administrationCode: '300' },
  { code: 'QUAR', name: 'Quarantaine', transport: false, pickable: false, administrationCode: '400' },
  { code: 'RET', name: 'Retourtafel', transport: false, pickable: false, administrationCode: null },
  { code: 'CART', name: 'Pickkar', transport: true, pickable: false, administrationCode: '900' },
  { code: 'ROLL', name: 'Rolcontainer', transport: true, pickable: false, administrationCode: null },
]

/** Eight kinds of places: two that orders are picked from, two that move. */
export function makeLocationTypes(random: Random, now: Date): WorldLocationType[] {
  return sketches.map((sketch, index) => ({
    id: random.uuid(),
    ...sketch,
    createdAt: daysBefore(now, 1500 - index),
  }))
}
