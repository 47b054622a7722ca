import type { LocationType } from '#shared/wire/location-type.ts'
import type { LocationTypeTable } from '../data/schema/goods.ts'

/** api.md, Location type; `administration_code` only with its Expand group. */
export function toWireLocationType(
  row: LocationTypeTable,
  expand: ReadonlySet<'administration_code'>,
): LocationType {
  return {
    id: row.id,
    code: row.code,
    name: row.name,
    transport: row.transport === 1,
    pickable: row.pickable === 1,
    ...(expand.has('administration_code') && { administration_code: row.administration_code }),
  }
}
