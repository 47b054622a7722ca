import type { WorldLocation } from '../world.ts'
import type { Random } from './random.ts'

const aisles = ['A', 'B', 'C']
const bays = [1, 2, 3, 4]
const levels = [1, 2, 3]
/** Places that orders are not picked from. */
const backRooms = ['BULK-01', 'DOCK-12', 'QUAR-01', 'RET-01']

/** Forty locations: 36 pick faces `A-01-01` (aisle, bay, level) and four back rooms. */
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
