import type { WorldLocation, WorldLocationType } from '../world.ts'
import { daysBefore } from './dates.ts'
import type { Random } from './random.ts'

const aisles = ['A', 'B', 'C']
const bays = [1, 2, 3, 4]
const levels = [1, 2, 3]
/** Locations that are not pickable. */
const backRooms = ['BULK-01', 'DOCK-12', 'QUAR-01', 'RET-01']

/** Creates forty locations: 36 pick locations like `A-01-01` (aisle, bay, level) and four that are not pickable. */
export function makeLocations(random: Random): WorldLocation[] {
  const two = (number: number): string => String(number).padStart(2, '0')
  const faces = aisles.flatMap((aisle) =>
    bays.flatMap((bay) => levels.map((level) => `${aisle}-${two(bay)}-${two(level)}`)),
  )
  return [
    ...faces.map((code) => ({ id: random.uuid(), code, pickable: true })),
    ...backRooms.map((code) => ({ id: random.uuid(), code, pickable: false })),
  ]
}

type TypeSketch = Pick<WorldLocationType, 'code' | 'name' | 'transport' | 'pickable' | 'administrationCode'>

const typeSketches: readonly TypeSketch[] = [
  { code: 'PICK', name: 'Picklocatie', transport: false, pickable: true, administrationCode: '100' },
  { code: 'FLOW', name: 'Doorrolstelling', transport: false, pickable: true, administrationCode: '110' },
  { code: 'BULK', name: 'Bulklocatie', transport: false, pickable: false, administrationCode: '200' },
  { code: 'DOCK', name: 'Laaddock', transport: false, pickable: false, administrationCode: '300' },
  { code: 'QUAR', name: 'Quarantaine', transport: false, pickable: false, administrationCode: '400' },
  { code: 'RET', name: 'Retourtafel', transport: false, pickable: false, administrationCode: null },
  { code: 'CART', name: 'Pickkar', transport: true, pickable: false, administrationCode: '900' },
  { code: 'ROLL', name: 'Rolcontainer', transport: true, pickable: false, administrationCode: null },
]

/** Creates eight types of locations. Two are pickable, and two are mobile. */
export function makeLocationTypes(random: Random, now: Date): WorldLocationType[] {
  return typeSketches.map((sketch, index) => ({
    id: random.uuid(),
    ...sketch,
    createdAt: daysBefore(now, 1500 - index),
  }))
}
