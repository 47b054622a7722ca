import type { Database } from 'better-sqlite3'
import type { RecentDatabase } from './recent-database.ts'

const dayMs = 24 * 3600_000

/** Tables of recent.db with somebody's name in them, each with its codes and with how far it reaches. */
const lists = [
  {
    rows: 'shipments',
    codes: ['shipment_codes', 'shipment_serials'],
    key: 'shipment_id',
    stretch: 'shipment_stretch',
  },
  { rows: 'labels', codes: ['label_codes'], key: 'label_id', stretch: 'label_stretch' },
] as const

/**
 * Removes what was made before that moment, except what the service has said again within a day: that was asked for. The
 * index then reaches back no further; and lots and stock figures not seen for so long. Answers how many rows went.
 */
export function createRecentPurge(recent: RecentDatabase): (at: number, before: number) => number {
  const part = recent.part(prepare)
  return (at, before) =>
    part.use(
      (purge) => purge(at, before),
      () => 0,
    )
}

function prepare(database: Database): (at: number, before: number) => number {
  const purges = lists.map(({ rows, codes, key, stretch }) => {
    const old = `created_at < @before AND as_of < @said`
    const forgets = codes.map((table) =>
      database.prepare<{ before: number; said: number }>(
        `DELETE FROM ${table} WHERE (scope, ${key}) IN (SELECT scope, id FROM ${rows} WHERE ${old})`,
      ),
    )
    const row = database.prepare<{ before: number; said: number }>(`DELETE FROM ${rows} WHERE ${old}`)
    const reach = database.prepare<{ before: number }>(
      `UPDATE ${stretch} SET oldest = @before WHERE oldest < @before AND newest >= @before`,
    )
    return (at: number, before: number): number => {
      const limits = { before, said: at - dayMs }
      for (const forget of forgets) forget.run(limits)
      reach.run({ before })
      return row.run(limits).changes
    }
  })
  const lots = database.prepare<[number]>('DELETE FROM lots WHERE as_of < ?')
  const stock = database.prepare<[number]>('DELETE FROM stock WHERE as_of < ?')
  const run = database.transaction((at: number, before: number) => {
    const figures = lots.run(before).changes + stock.run(before).changes
    return purges.reduce((rows, purge) => rows + purge(at, before), figures)
  })
  return (at, before) => run.immediate(at, before)
}
