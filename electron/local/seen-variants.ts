import type { Database } from 'better-sqlite3'
import type { StoredVariant } from '#desk/ports/catalogue-store.ts'
import { variant, type Variant } from '#shared/wire/variant.ts'
import { parseBody } from './cached-body.ts'
import type { RankedVariant } from './catalogue-reader.ts'
import type { RecentDatabase } from './recent-database.ts'
import { codesOfVariant } from './variant-codes.ts'

export interface SeenVariants {
  get(id: string): StoredVariant | null
  byCode(key: string): RankedVariant[]
  keep(variants: readonly Variant[], asOf: number): void
}

interface SeenRecord {
  body: string
  as_of: number
}

/** Variants that an answer of the service named, in recent.db: the catalogue may not hold them yet. */
export function createSeenVariants(recent: RecentDatabase, scope: string): SeenVariants {
  const part = recent.part((database) => ({
    get: database.prepare<[string, string], SeenRecord>(
      'SELECT body, as_of FROM seen_variants WHERE scope = ? AND id = ?',
    ),
    byCode: database.prepare<[string, string], SeenRecord & { kind: number }>(
      `SELECT v.body, v.as_of, min(c.kind) AS kind FROM seen_variant_codes c
         JOIN seen_variants v ON v.scope = c.scope AND v.id = c.variant_id
       WHERE c.scope = ? AND c.key = ? GROUP BY v.id`,
    ),
    keep: prepareKeep(database, scope),
  }))
  return {
    get: (id) =>
      part.use(
        ({ get }) => {
          const record = get.get(scope, id)
          return record ? toStored(record) : null
        },
        () => null,
      ),
    byCode: (key) =>
      part.use(
        ({ byCode }) => byCode.all(scope, key).map((record) => ({ ...toStored(record), kind: record.kind })),
        () => [],
      ),
    keep: (variants, asOf) => {
      part.use(
        ({ keep }) => keep(variants, asOf),
        () => undefined,
      )
    },
  }
}

function prepareKeep(database: Database, scope: string): SeenVariants['keep'] {
  const upsert = database.prepare<[string, string, number, string]>(
    `INSERT INTO seen_variants (scope, id, as_of, body) VALUES (?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET as_of = excluded.as_of, body = excluded.body`,
  )
  const forget = database.prepare<[string, string]>(
    'DELETE FROM seen_variant_codes WHERE scope = ? AND variant_id = ?',
  )
  const code = database.prepare<[string, string, number, string]>(
    `INSERT INTO seen_variant_codes (scope, key, kind, variant_id) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING`,
  )
  const keep = database.transaction((variants: readonly Variant[], asOf: number) => {
    for (const one of variants) {
      upsert.run(scope, one.id, asOf, JSON.stringify(one))
      forget.run(scope, one.id)
      for (const { key, kind } of codesOfVariant(one)) code.run(scope, key, kind, one.id)
    }
  })
  return (variants, asOf) => keep.immediate(variants, asOf)
}

function toStored(record: SeenRecord): StoredVariant {
  return { variant: parseBody(variant, record.body), asOf: record.as_of }
}
