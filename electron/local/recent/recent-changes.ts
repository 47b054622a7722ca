import type { Database } from 'better-sqlite3'
import { emptyLog } from '#kit/open-sqlite.ts'

/**
 * The changes of recent.db since the call of `noteChanges`. They are stored in temporary tables, which disappear when
 * the connection closes.
 */
export interface RecentChanges {
  /**
   * Makes the same changes in a copy of the file, so that the copy has the same rows. Returns false if there are too
   * many or too large changes, or if another connection is using the copy; throws SQLite's errors. In both cases the
   * copy is not usable.
   */
  carryTo(copy: string): boolean
  /** Removes the temporary tables. */
  end(): void
}

/**
 * Maximum number of changed rows that one transaction carries to the copy, and their maximum size in bytes before and
 * after the changes. The transaction takes some milliseconds for each megabyte.
 */
const mostChanges = 2_000
const mostBytes = 4_000_000

interface Table {
  readonly name: string
  /** The columns of the table's primary key. */
  readonly key: readonly Column[]
  readonly columns: readonly Column[]
}

interface Column {
  readonly name: string
  readonly type: string
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
        if (changedBytes(database, tables) > mostBytes) return false
        database.pragma('copy.synchronous = NORMAL')
        database.pragma('copy.secure_delete = ON')
        database.transaction(() => database.exec(tables.map(carry).join('\n')))()
        // writes the log of the copy into the copy here, because DETACH would also write it but would report no error,
        // for example if the disk is full
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
  const columnsOf = database.prepare<[string], Column & { pk: number }>(
    'SELECT name, type, pk FROM pragma_table_info(?) ORDER BY pk',
  )
  return database
    .prepare<[], string>(
      `SELECT name FROM main.sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'
       ORDER BY name = 'row_counts', name`,
    )
    .pluck()
    .all()
    .map((name) => {
      const columns = columnsOf.all(name)
      return { name, columns, key: columns.filter(({ pk }) => pk > 0) }
    })
}

/** Returns the size in bytes of the changed rows: before the changes in the copy, and after them in the file. */
function changedBytes(database: Database, tables: readonly Table[]): number {
  const sums = tables.flatMap((table) => [bytes(table, 'copy'), bytes(table, 'main')])
  return (
    database
      .prepare<[], number>(`SELECT ${sums.join(' + ')}`)
      .pluck()
      .get() ?? 0
  )
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
function carry(table: Table): string {
  const { name, key } = table
  const columns = key.map((column) => column.name).join()
  return `DELETE FROM copy.${name} WHERE (${columns}) IN (${changedKeys(table)});
    INSERT INTO copy.${name} SELECT row.* ${changedRows(table, 'main')};`
}

/** Returns an SQL expression for the size in bytes of the changed rows. SQLite does not read long values for it. */
function bytes(table: Table, schema: 'main' | 'copy'): string {
  const size = table.columns.map(({ name }) => `ifnull(octet_length(row.${name}), 0)`).join(' + ')
  return `(SELECT ifnull(sum(${size}), 0) ${changedRows(table, schema)})`
}

/** Returns the FROM clause for the changed rows, as the database `schema` has them. */
function changedRows(table: Table, schema: 'main' | 'copy'): string {
  const columns = table.key.map((column) => column.name).join()
  return `FROM (${changedKeys(table)}) CROSS JOIN ${schema}.${table.name} AS row USING (${columns})`
}

function changedKeys({ name, key }: Table): string {
  return `SELECT DISTINCT ${key.map((column) => column.name).join()} FROM temp.changed_${name}`
}
