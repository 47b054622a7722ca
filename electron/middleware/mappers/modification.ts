import type { z } from 'zod'
import type { Modification, modificationCreate } from '#shared/wire/modification.ts'
import type { ModificationTable } from '../data/schema/goods.ts'
import type { ModificationRecord, NewModification } from '../services/moves/modifications.ts'
import { toWireTime } from './time.ts'
import { toWireVariant } from './variant.ts'

/** As lists show it: without lines (api.md, Modifications). */
export function toWireModification(row: ModificationTable): Modification {
  return {
    id: row.id,
    reference: row.reference,
    reason: row.reason,
    status: row.status,
    note: row.note,
    created_at: toWireTime(row.created_at),
    modified_at: toWireTime(row.modified_at),
  }
}

export function toWireModificationDetail({ modification, lines }: ModificationRecord): Modification {
  return {
    ...toWireModification(modification),
    modification_lines: lines.map(({ variant, location, quantity }) => ({
      variant: toWireVariant(variant),
      location: { id: location.id, code: location.code },
      quantity,
    })),
  }
}

/** Ids are kept in lower case; some clients send them in capitals. */
export function fromWireModification(body: z.output<typeof modificationCreate>): NewModification {
  return {
    reason: body.reason,
    note: body.note,
    lines: body.modification_lines.map(({ variant, location, quantity }) => ({
      variantId: variant.toLowerCase(),
      locationId: location.toLowerCase(),
      quantity,
    })),
  }
}
