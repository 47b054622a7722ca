import type { Generated, GeneratedAlways } from 'kysely'

/**
 * The definition of a table: its columns, keys, indexes and triggers. The type of the rows and the statements that
 * create the table (create-statements.ts) are derived from this definition. SQL inside a definition is valid in every
 * engine.
 *
 * Long texts of clients, JSON and bytes must be the last columns. To reach a column, SQLite reads all values before it.
 * If a date came after a note, a list that filters by the date would read all notes.
 *
 * All engines return the same values: booleans as 0 or 1, structures as JSON text, times and dates as text.
 */
export interface Table<Columns extends ColumnsOfTable = ColumnsOfTable> {
  readonly columns: Columns
  readonly rules: TableRules<keyof Columns & string>
}

type ColumnsOfTable = Readonly<Record<string, Column<unknown>>>

export function table<const Columns extends ColumnsOfTable>(
  columns: Columns,
  rules: TableRules<keyof Columns & string> = {},
): Table<Columns> {
  return { columns, rules }
}

/**
 * The type of a row, in the form that kysely expects: kysely's types `Selectable` and `Insertable` derive the types of
 * read and inserted rows from it.
 */
export type RowOf<Of extends Table> = { [Name in keyof Of['columns']]: Of['columns'][Name]['value'] }

/** The types of the rows of several tables. Each key is the name of a table. */
export type RowsOf<Tables extends Readonly<Record<string, Table>>> = {
  [Name in keyof Tables]: RowOf<Tables[Name]>
}

interface TableRules<Name extends string> {
  /** A primary key of several columns. */
  readonly primaryKey?: readonly Name[]
  readonly unique?: readonly (readonly Name[])[]
  readonly check?: string
  /**
   * Whether the table is stored as the index of its primary key (SQLite's `without rowid`). Other engines ignore this.
   */
  readonly isKeyedStorage?: boolean
  /** The indexes by name. The name of the table is added to each name. */
  readonly indexes?: Readonly<Record<string, readonly Name[] | PartialIndex<Name>>>
  readonly triggers?: Readonly<Record<string, Trigger>>
  /**
   * Text columns in which any part of the text can be found with an index (`rowsWithPart` of engine/database.ts). Only
   * one table can have such columns, and it must have a primary key `id`.
   */
  readonly searched?: readonly Name[]
}

/** An index that contains only the rows to which `where` applies. */
interface PartialIndex<Name extends string> {
  readonly on: readonly Name[]
  readonly where: string
  readonly isUnique?: boolean
}

/**
 * The statement of a trigger, which runs for each inserted or deleted row. `new` and `old` name that row, as in SQL.
 */
export interface Trigger {
  readonly after: 'insert' | 'delete'
  readonly when?: string
  readonly run: string
}

/** A boolean as the database returns it. */
export type Flag = 0 | 1

export type ColumnType =
  'text' | 'integer' | 'sequence' | 'real' | 'bytes' | 'flag' | 'json' | 'instant' | 'date'

export interface ColumnFacts {
  readonly type: ColumnType
  readonly isNullable?: boolean
  readonly isPrimaryKey?: boolean
  readonly isUnique?: boolean
  /** The table whose primary key this column contains. */
  readonly references?: string
  /** Whether the row is deleted together with the row to which it refers. */
  readonly isDeletedWithIt?: boolean
  readonly standard?: number
  readonly computedFrom?: string
  readonly check?: string
}

class Column<Value> {
  /** The type of the values. It exists only for the compiler. */
  declare readonly value: Value
  readonly facts: ColumnFacts

  constructor(facts: ColumnFacts) {
    this.facts = facts
  }

  nullable(): Column<Value | null> {
    return new Column({ ...this.facts, isNullable: true })
  }

  primaryKey(): Column<Value> {
    return new Column({ ...this.facts, isPrimaryKey: true })
  }

  unique(): Column<Value> {
    return new Column({ ...this.facts, isUnique: true })
  }

  references(name: string): Column<Value> {
    return new Column({ ...this.facts, references: name })
  }

  /**
   * Makes the column refer to a table as `references` does. If the referenced row is deleted, this row is deleted too.
   */
  belongsTo(name: string): Column<Value> {
    return new Column({ ...this.facts, references: name, isDeletedWithIt: true })
  }

  default(standard: Value & number): Column<Generated<Value>> {
    return new Column({ ...this.facts, standard })
  }

  /** The database computes the value from other columns of the row. */
  computed(computedFrom: string): Column<GeneratedAlways<Value>> {
    return new Column({ ...this.facts, computedFrom })
  }

  check(check: string): Column<Value> {
    return new Column({ ...this.facts, check })
  }
}

/** A text, which is compared and sorted by its bytes. */
export function text<Value extends string = string>(): Column<Value> {
  return new Column({ type: 'text' })
}

/** A whole number of at most 2^53. */
export function integer(): Column<number> {
  return new Column({ type: 'integer' })
}

/** The primary key of a table whose rows are numbered in the order of their insertion. Numbers are never reused. */
export function sequence(): Column<Generated<number>> {
  return new Column({ type: 'sequence', isPrimaryKey: true })
}

export function real(): Column<number> {
  return new Column({ type: 'real' })
}

export function bytes(): Column<Uint8Array> {
  return new Column({ type: 'bytes' })
}

export function flag(): Column<Flag> {
  return new Column({ type: 'flag' })
}

/** A structure as JSON text, which is returned as it was stored. It cannot be compared. */
export function json(): Column<string> {
  return new Column({ type: 'json' })
}

/** A time in UTC: `YYYY-MM-DDTHH:MM:SS.mmmZ`, so that the order of the text is the order of time. */
export function instant(): Column<string> {
  return new Column({ type: 'instant' })
}

/** A day: `YYYY-MM-DD`. */
export function date(): Column<string> {
  return new Column({ type: 'date' })
}
