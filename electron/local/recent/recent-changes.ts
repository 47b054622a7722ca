import type { Database } from 'better-sqlite3'
import { emptyLog } from '../file-care.ts'

/** The changes of recent.db since a time. They are in temporary tables of the connection, which end with it. */
export interface RecentChanges {
  /**
   * Makes the same changes in a copy of the file, so that the copy has the same rows. Returns false if there are too
   * many changes, or if another connection is using the copy; throws SQLite's errors. In both cases the copy is not
   * usable.
   */
  carryTo(copy: string): boolean
  /** Removes the temporary tables. */
  end(): void
}

/** Maximum number of changed rows that one transaction carries to the copy. The transaction takes some milliseconds. */
const mostChanges = 2_000

interface Table {
  readonly name: string
  /** The columns of the primary key. */
  readonly key: readonly { readonly name: string; readonly type: string }[]
}

/** Starts to note the primary key of each row that this connection changes. */
export function noteChanges(database: Database): RecentChanges {
  const tables = tablesOf(database)
  database.exec(tables.map(notes).join('\n'))
  const count = database.prepare<[], number>(
    `SELECT ${tables.map(({ name }) => `(SELECT count(*) FROM temp.changed_${name})`).join(' + ')}`,
  )
  return {
    carryTo(copy) {
      if ((count.pluck().get() ?? 0) > mostChanges) return false
      database.prepare<[string]>('ATTACH ? AS copy').run(copy)
      try {
        database.pragma('copy.synchronous = NORMAL')
        database.pragma('copy.secure_delete = ON')
        database.transaction(() => database.exec(tables.map(carry).join('\n')))()
        // DETACH also writes the log to the copy, but reports no error, for example if the disk is full
        return emptyLog(database, 'copy')
      } finally {
        database.exec('DETACH copy')
      }
    },
    end: () =>
      void database.exec(
        tables
          .map(({ name }) => [
            ...events.map((on) => `DROP TRIGGER temp.changed_${name}_${on};`),
            `DROP TABLE temp.changed_${name};`,
          ])
          .flat()
          .join('\n'),
      ),
  }
}

/** Returns the tables. The table of the row counts is last, because triggers of other tables change it. */
function tablesOf(database: Database): Table[] {
  const keyOf = database.prepare<[string], { name: string; type: string }>(
    'SELECT name, type FROM pragma_table_info(?) WHERE pk > 0 ORDER BY pk',
  )
  return database
    .prepare<[], string>(
      `SELECT name FROM main.sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'
       ORDER BY name = 'row_counts', name`,
    )
    .pluck()
    .all()
    .map((name) => ({ name, key: keyOf.all(name) }))
}

const events = ['INSERT', 'UPDATE', 'DELETE'] as const

/** Returns SQL that creates the temporary table for the keys of changed rows, and the triggers that fill it. */
function notes({ name, key }: Table): string {
  const keyIn = (row: 'new' | 'old'): string => `(${key.map((column) => `${row}.${column.name}`).join()})`
  const rows = { INSERT: keyIn('new'), UPDATE: `${keyIn('old')}, ${keyIn('new')}`, DELETE: keyIn('old') }
  const columns = key.map((column) => `${column.name} ${column.type}`).join()
  return [
    `CREATE TEMP TABLE changed_${name} (${columns});`,
    ...events.map(
      (on) => `CREATE TEMP TRIGGER changed_${name}_${on} AFTER ${on} ON main.${name} BEGIN
         INSERT INTO changed_${name} VALUES ${rows[on]}; END;`,
    ),
  ].join('\n')
}

/** Returns SQL that replaces the changed rows of the copy with the current rows. */
function carry({ name, key }: Table): string {
  const columns = key.map((column) => column.name).join()
  const changed = `SELECT DISTINCT ${columns} FROM temp.changed_${name}`
  return `DELETE FROM copy.${name} WHERE (${columns}) IN (${changed});
    INSERT INTO copy.${name} SELECT row.* FROM (${changed}) CROSS JOIN main.${name} AS row USING (${columns});`
}
