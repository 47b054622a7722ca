import { isoTime } from '#kit/clock.ts'
import type { Connection } from '../../data/engine/database.ts'
import type { Cursor, ExportScope, Portion } from '../../data/exports/rows/portion.ts'
import type { Cell } from './csv.ts'

/** One type of export: its columns, and where its records come from. */
export interface ExportSource {
  /** In the order of a file that chooses none. */
  readonly columns: readonly string[]
  /** The next lines, with the given columns. */
  lines(
    connection: Connection,
    scope: ExportScope,
    after: Cursor | null,
    columns: readonly string[],
  ): Promise<{ lines: Cell[][]; next: Cursor | null }>
}

export function defineExport<Row>(
  columns: Readonly<Record<string, (row: Row) => Cell>>,
  read: (connection: Connection, scope: ExportScope, after: Cursor | null) => Promise<Portion<Row>>,
): ExportSource {
  return {
    columns: Object.keys(columns),
    async lines(connection, scope, after, wanted) {
      const { rows, next } = await read(connection, scope, after)
      return { lines: rows.map((row) => wanted.map((name) => columns[name]?.(row) ?? null)), next }
    },
  }
}

/** A stored time as the API writes it. */
export function timeCell(stored: string): string {
  return isoTime(Date.parse(stored))
}

/** Two decimals at most. */
export function money(value: number): number {
  return Math.round(value * 100) / 100
}
