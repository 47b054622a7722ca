import { z } from 'zod'
import type { LotsStore } from '#desk/ports/recent-store.ts'
import { batch } from '#shared/wire/batch.ts'
import { parseBody } from './cached-body.ts'
import type { RecentDatabase } from './recent-database.ts'

const batches = z.array(batch)

/** The lots of a variant as the service listed them last, in recent.db. */
export function createLotsStore(recent: RecentDatabase, scope: string): LotsStore {
  const part = recent.part((database) => ({
    kept: database.prepare<[string, string], { body: string; as_of: number }>(
      'SELECT body, as_of FROM lots WHERE scope = ? AND variant_id = ?',
    ),
    keep: database.prepare<[string, string, number, string]>(
      `INSERT INTO lots (scope, variant_id, as_of, body) VALUES (?, ?, ?, ?)
       ON CONFLICT DO UPDATE SET as_of = excluded.as_of, body = excluded.body`,
    ),
  }))
  return {
    kept: (variantId) =>
      part.use(
        ({ kept }) => {
          const record = kept.get(scope, variantId)
          return record ? { batches: parseBody(batches, record.body), asOf: record.as_of } : null
        },
        () => null,
      ),
    keep: (variantId, rows, asOf) => {
      part.use(
        ({ keep }) => void keep.run(scope, variantId, asOf, JSON.stringify(rows)),
        () => undefined,
      )
    },
  }
}
