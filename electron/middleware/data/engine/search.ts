import { sql } from 'kysely'

/**
 * Whether one of the columns holds the text, whatever the case of its ASCII letters. Only those are folded on both
 * sides: the engine knows no others, and a text must be found as it is written.
 */
export function anyContains(columns: readonly string[], text: string): ReturnType<typeof sql<boolean>> {
  const part = text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase())
  const each = columns.map((column) => sql`instr(lower(${sql.ref(column)}), ${part}) > 0`)
  return sql<boolean>`(${sql.join(each, sql` or `)})`
}
