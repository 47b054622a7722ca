import type { Article } from '#shared/wire/article.ts'
import { type Modification, modificationCreate } from '#shared/wire/modification.ts'
import type { Variant } from '#shared/wire/variant.ts'
import { found, type Reply } from './scripted-labels.ts'
import { smallId } from './small-world.ts'
import { serverIdOf } from './ids.ts'

/** Articles and modifications of the scripted service. */

const madeAt = '2026-01-01T00:00:00.000Z'

/** Returns a variant with the article code `A-<number>`. */
export function scriptedVariant(number: number): Variant {
  return {
    id: smallId(300 + number),
    article_code: `A-${number}`,
    name: `Article ${number}`,
    description: null,
    ean: null,
    sku: null,
    hs_tariff_code: null,
    height: null,
    depth: null,
    width: null,
    weight: null,
    expirable: false,
    country_of_origin: null,
    using_serial_numbers: false,
    value: null,
    created_at: madeAt,
    modified_at: madeAt,
  }
}

/** Returns the response to GET /wms/articles/ for an article code or an EAN. Each variant is in its own article. */
export function scriptedArticles(variants: readonly Variant[], query: URLSearchParams): Article[] {
  const code = query.get('article_code')
  const wanted = query.get('ean')
  return variants
    .filter(({ article_code, ean }) => article_code === code || (ean !== null && ean === wanted))
    .map((variant) => ({
      id: variant.id,
      customer: smallId(1),
      name: variant.name,
      variants: [variant],
      created_at: madeAt,
      modified_at: madeAt,
    }))
}

/** Id of a location at which the service refuses modifications. */
export const blockedLocation = smallId(666)

/** Responds to POST /wms/modifications/. Not idempotent, like the real service. */
export function createScriptedModification(rows: Modification[], body: unknown): Reply {
  const { note, reason, modification_lines: lines } = modificationCreate.parse(body)
  if (lines.some(({ location }) => location === blockedLocation))
    return { status: 400, body: { error: 'This location is blocked for counting.' } }
  const at = new Date().toISOString()
  const made: Modification = {
    id: serverIdOf(smallId(700 + rows.length)),
    reference: `MOD${String(rows.length + 1).padStart(11, '0')}`,
    reason,
    status: 'created',
    note,
    created_at: at,
    modified_at: at,
    modification_lines: lines.map(({ variant, location, quantity }) => ({
      variant: { id: variant },
      location: { id: location, code: `S-${location.slice(-3)}` },
      quantity,
    })),
  }
  rows.push(made)
  return { status: 201, body: made }
}

/** Returns the response to GET /wms/modifications/: the newest first, without lines. */
export function scriptedModifications(rows: readonly Modification[]): unknown[] {
  return rows.map((row) => ({ ...row, modification_lines: undefined })).reverse()
}

export function scriptedModification(rows: readonly Modification[], path: string): Reply {
  return found(rows.find(({ id }) => path.includes(id)))
}
