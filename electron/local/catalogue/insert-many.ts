import type { Database } from 'better-sqlite3'

type Value = string | number

/** Rows of one statement, far below SQLite's limit of parameters. */
const rowsAtOnce = 100

/**
 * Puts rows in, by few statements. For each statement of several rows SQLite has an index of words that is being written
 * note where it stands, in case that statement is taken back: a statement for each article's three codes cost a fill more
 * than all of its rows.
 */
export function prepareInsertMany(
  database: Database,
  table: string,
  columns: readonly string[],
): (rows: readonly (readonly Value[])[]) => void {
  const prepare = (count: number) => {
    const row = `(${columns.map(() => '?').join()})`
    return database.prepare<Value[]>(
      `INSERT INTO ${table} (${columns.join()}) VALUES ${Array.from({ length: count }, () => row).join()}`,
    )
  }
  const one = prepare(1)
  const many = prepare(rowsAtOnce)
  return (rows) => {
    const whole = rows.length - (rows.length % rowsAtOnce)
    for (let at = 0; at < whole; at += rowsAtOnce) many.run(...rows.slice(at, at + rowsAtOnce).flat())
    for (const row of rows.slice(whole)) one.run(...row)
  }
}
