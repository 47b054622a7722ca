import type { Connection } from './database.ts'
import type { InboundLineTable, InboundTable } from './schema.ts'

export async function findInbounds(
  connection: Connection,
  ids: readonly string[],
): Promise<Map<string, InboundTable>> {
  if (ids.length === 0) return new Map()
  const rows = await connection.selectFrom('inbounds').selectAll().where('id', 'in', ids).execute()
  return new Map(rows.map((row) => [row.id, row]))
}

/** Lines of the given inbounds, in the order they were announced. */
export async function linesOfInbounds(
  connection: Connection,
  inboundIds: readonly string[],
): Promise<InboundLineTable[]> {
  if (inboundIds.length === 0) return []
  return connection
    .selectFrom('inbound_lines')
    .selectAll()
    .where('inbound_id', 'in', inboundIds)
    .orderBy('inbound_id')
    .orderBy('position')
    .execute()
}
