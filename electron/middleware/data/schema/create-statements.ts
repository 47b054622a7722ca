import type { ColumnFacts, ColumnType, Table, Trigger } from './table.ts'

/** The parts in which the SQL for tables differs between SQLite and PostgreSQL. */
export interface TableDialect {
  readonly types: Readonly<Record<ColumnType, string>>
  /** SQL that is added to the definition of a primary key of the type `sequence`. */
  readonly numbering: string
  /** SQL that is added to the definition of a computed column. */
  readonly computedStorage: string
  /** SQL at the end of the CREATE TABLE statement of a table whose rows are stored in the order of its primary key. */
  readonly keyedStorage: string
  trigger(name: string, table: string, trigger: Trigger): string
  /** Returns the statements that create the index for searches of parts of texts. */
  searchIndex(table: string, columns: readonly string[]): string[]
}

type Tables = Readonly<Record<string, Table>>

/**
 * Returns the statements that create the tables with their indexes and triggers. Each statement refers only to tables
 * that earlier statements create.
 */
export function createStatements(tables: Tables, dialect: TableDialect): string[] {
  const ordered = inOrderOfReferences(tables)
  return [
    ...ordered.map(([name, table]) => createTable(name, table, tables, dialect)),
    ...ordered.flatMap(([name, { rules }]) => createIndexes(name, rules.indexes ?? {})),
    ...ordered.flatMap(([name, { rules }]) =>
      Object.entries(rules.triggers ?? {}).map(([trigger, fact]) => dialect.trigger(trigger, name, fact)),
    ),
    ...ordered.flatMap(([name, { rules }]) =>
      rules.searched === undefined ? [] : dialect.searchIndex(name, rules.searched),
    ),
  ]
}

/**
 * Sorts tables so that each table refers only to tables before it. Throws if tables refer to each other in a circle, or
 * to an unknown table.
 */
function inOrderOfReferences(tables: Tables): [string, Table][] {
  const placed = new Map<string, Table>()
  const place = (name: string, from: readonly string[]): void => {
    const table = tables[name]
    if (table === undefined || from.includes(name))
      throw new Error(`These references cannot be created: ${[...from, name].join(', ')}`)
    for (const { facts } of Object.values(table.columns))
      if (facts.references !== undefined && !placed.has(facts.references))
        place(facts.references, [...from, name])
    placed.set(name, table)
  }
  for (const name of Object.keys(tables)) if (!placed.has(name)) place(name, [])
  return [...placed]
}

function createTable(name: string, { columns, rules }: Table, tables: Tables, dialect: TableDialect): string {
  const lines = Object.entries(columns).map(([column, { facts }]) => describe(column, facts, tables, dialect))
  if (rules.primaryKey) lines.push(`primary key ${listed(rules.primaryKey)}`)
  for (const unique of rules.unique ?? []) lines.push(`unique ${listed(unique)}`)
  if (rules.check !== undefined) lines.push(`check (${rules.check})`)
  const storage = rules.isKeyedStorage ? dialect.keyedStorage : ''
  return `create table ${name} (\n${lines.map((line) => `  ${line}`).join(',\n')}\n)${storage}`
}

function describe(name: string, facts: ColumnFacts, tables: Tables, dialect: TableDialect): string {
  const parts = [name, dialect.types[facts.type]]
  if (facts.isPrimaryKey) parts.push('primary key')
  if (facts.type === 'sequence') parts.push(dialect.numbering)
  else if (!facts.isPrimaryKey && !facts.isNullable) parts.push('not null')
  if (facts.isUnique) parts.push('unique')
  if (facts.standard !== undefined) parts.push(`default ${facts.standard}`)
  if (facts.references !== undefined)
    parts.push(`references ${facts.references} (${primaryKeyOf(facts.references, tables)})`)
  if (facts.isDeletedWithIt) parts.push('on delete cascade')
  if (facts.check !== undefined) parts.push(`check (${facts.check})`)
  if (facts.computedFrom !== undefined)
    parts.push(`generated always as (${facts.computedFrom}) ${dialect.computedStorage}`)
  return parts.join(' ')
}

function primaryKeyOf(name: string, tables: Tables): string {
  const found = Object.entries(tables[name]?.columns ?? {}).find(([, { facts }]) => facts.isPrimaryKey)
  if (found === undefined) throw new Error(`The table ${name} has no primary key of one column`)
  return found[0]
}

function createIndexes(table: string, indexes: NonNullable<Table['rules']['indexes']>): string[] {
  return Object.entries(indexes).map(([name, index]) => {
    const { on, where, isUnique } = 'on' in index ? index : { on: index, where: null, isUnique: false }
    const unique = isUnique ? 'unique ' : ''
    const part = where === null ? '' : ` where ${where}`
    return `create ${unique}index ${table}_${name} on ${table} ${listed(on)}${part}`
  })
}

function listed(columns: readonly string[]): string {
  return `(${columns.join(', ')})`
}

/** SQL for the texts of a row in lower case, with a line break between two texts. */
function wordsOf(row: 'new' | 'old', columns: readonly string[]): string {
  return columns.map((column) => `coalesce(lower(${row}.${column}), '')`).join(` || '\n' || `)
}

/** The name of the index of PostgreSQL for searches of parts of texts. */
export const partsIndex = 'searched_texts_parts'

export const postgresTables: TableDialect = {
  types: {
    text: 'text collate "C"',
    integer: 'bigint',
    sequence: 'bigint',
    real: 'double precision',
    bytes: 'bytea',
    flag: 'smallint',
    // JSON is not stored as `jsonb`, because that type would change the stored text, for example its blanks and the
    // order of its names
    json: 'json',
    instant: 'timestamptz(3)',
    date: 'date',
  },
  numbering: 'generated by default as identity',
  computedStorage: 'stored',
  keyedStorage: '',
  trigger: (name, table, { after, when, run }) => {
    const condition = when === undefined ? '' : ` when (${when})`
    return `create function ${name}() returns trigger language plpgsql as $$ begin\n  ${run};\n  return null;\nend $$;
create trigger ${name} after ${after} on ${table} for each row${condition} execute function ${name}()`
  },
  // the searched texts are in a separate table, because for each change of a row PostgreSQL writes to all indexes of
  // its table
  searchIndex: (table, columns) => [
    `create table searched_texts (
  id text collate "C" primary key references ${table} (id) on delete cascade,
  words text collate "C" not null
)`,
    // keeps the searched texts in the row itself, because each comparison of a text would otherwise read it from
    // another table
    'alter table searched_texts alter column words set storage main',
    // `fastupdate` collects new entries in a list and adds many of them to the index at once. This takes far less time
    // than adding each entry separately. Each search also reads the list, so every connection keeps the list short
    // (`settings` in engine/postgres.ts).
    `create index ${partsIndex} on searched_texts using gin (words gin_trgm_ops) with (fastupdate = on)`,
    `create function store_searched_texts() returns trigger language plpgsql as $$ begin
  insert into searched_texts values (new.id, ${wordsOf('new', columns)})
    on conflict (id) do update set words = excluded.words where searched_texts.words <> excluded.words;
  return null;
end $$`,
    `create trigger searched_texts_stored after insert or update of ${columns.join(', ')} on ${table}
  for each row execute function store_searched_texts()`,
  ],
}

export const sqliteTables: TableDialect = {
  types: {
    text: 'text',
    integer: 'integer',
    sequence: 'integer',
    real: 'real',
    bytes: 'blob',
    flag: 'integer',
    json: 'text',
    instant: 'text',
    date: 'text',
  },
  numbering: 'autoincrement',
  computedStorage: 'virtual',
  keyedStorage: ' without rowid',
  trigger: (name, table, { after, when, run }) => {
    const condition = when === undefined ? '' : ` when ${when}`
    return `create trigger ${name} after ${after} on ${table}${condition} begin\n  ${run};\nend`
  },
  searchIndex: (table, columns) => {
    const number = '(select number from searched_texts where id = new.id)'
    const added = `insert into searched_parts (rowid, words) values (${number}, ${wordsOf('new', columns)})`
    const removed =
      'delete from searched_parts where rowid = (select number from searched_texts where id = old.id)'
    return [
      // gives each row a number that never changes, because SQLite may change the numbers of the rows of the searched
      // table
      `create table searched_texts (
  number integer primary key autoincrement,
  id text not null unique references ${table} (id) on delete cascade
)`,
      `create virtual table searched_parts using fts5 (
  words, content = '', contentless_delete = 1, tokenize = 'trigram case_sensitive 1'
)`,
      `create trigger searched_texts_stored after insert on ${table} begin
  insert into searched_texts (id) values (new.id);
  ${added};
end`,
      `create trigger searched_texts_changed after update of ${columns.join(', ')} on ${table}
when ${wordsOf('new', columns)} <> ${wordsOf('old', columns)} begin
  ${removed};
  ${added};
end`,
      `create trigger searched_texts_deleted before delete on ${table} begin
  ${removed};
end`,
    ]
  },
}
