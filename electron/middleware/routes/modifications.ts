import { serverId } from '#shared/domain/ids.ts'
import type { z } from 'zod'
import type { Modification, modificationCreate } from '#shared/wire/modification.ts'
import { routes } from '#shared/wire/routes.ts'
import type { ModificationTable } from '../data/schema/moves.ts'
import {
  createModification,
  getModification,
  listModifications,
  type ModificationRecord,
  type NewModification,
} from '../services/moves/modifications.ts'
import { toWireVariant } from './goods.ts'
import { register, type RouteHost } from './register.ts'
import { toWireTime } from './wire-values.ts'

const options = { expand: [] } as const

/** Modifications (API.md 9). */
export function registerModifications(host: RouteHost): void {
  const { context } = host
  register(host, routes.listModifications, options, async ({ caller, query }) => {
    const call = { status: query.status ?? null, query }
    return (await listModifications(context, caller.customer, call)).map(toWireModification)
  })
  register(host, routes.getModification, options, async ({ caller, params }) =>
    toWireModificationDetail(await getModification(context, caller.customer, params.id)),
  )
  register(host, routes.createModification, options, async ({ caller: { customer }, body }) => {
    const id = await createModification(context, customer, fromWireModification(body))
    return toWireModificationDetail(await getModification(context, customer, id))
  })
}

/** Returns a modification as the list of modifications contains it: without its lines (API.md 9.1). */
function toWireModification(row: ModificationTable): Modification {
  return {
    id: serverId.parse(row.id),
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

/**
 * Converts the body of a new modification. Ids become lower case, because they are stored so and some clients send them
 * in upper case.
 */
function fromWireModification(body: z.output<typeof modificationCreate>): NewModification {
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
