import { describe, expect, it } from 'vitest'
import { createStatements, sqliteTables } from '#middleware/data/schema/create-statements.ts'
import { integer, instant, sequence, table, type Table, text } from '#middleware/data/schema/table.ts'

const create = (tables: Readonly<Record<string, Table>>): string[] =>
  createStatements(tables, sqliteTables).map((statement) => statement.replaceAll(/\s+/g, ' '))

describe('createStatements', () => {
  it('creates a table only after the tables to whose primary keys it refers', () => {
    const lines = table({ id: sequence(), order_code: text().belongsTo('orders') })
    const orders = table({ code: text().primaryKey(), user_id: text().nullable().references('users') })
    const users = table({ id: text().primaryKey() })
    expect(create({ lines, orders, users })).toEqual([
      'create table users ( id text primary key )',
      'create table orders ( code text primary key, user_id text references users (id) )',
      'create table lines ( id integer primary key autoincrement, order_code text not null references orders (code) on delete cascade )',
    ])
  })

  it('writes the columns, rules, indexes and triggers of a table as SQL', () => {
    const parts = table(
      {
        id: text().unique(),
        pieces: integer().check('pieces > 0'),
        size: integer().computed('2 * pieces'),
        bytes: integer().default(0),
        deleted_at: instant().nullable(),
      },
      {
        primaryKey: ['id', 'pieces'],
        unique: [['id', 'bytes']],
        check: 'bytes <> pieces',
        isKeyedStorage: true,
        indexes: {
          by_bytes: ['bytes', 'id'],
          living: { on: ['id'], where: 'deleted_at is null', isUnique: true },
        },
        triggers: { part_stored: { after: 'insert', when: 'new.bytes > 0', run: 'delete from parts' } },
      },
    )
    expect(create({ parts })).toEqual([
      'create table parts ( id text not null unique, pieces integer not null check (pieces > 0), ' +
        'size integer not null generated always as (2 * pieces) virtual, bytes integer not null default 0, ' +
        'deleted_at text, primary key (id, pieces), unique (id, bytes), check (bytes <> pieces) ) without rowid',
      'create index parts_by_bytes on parts (bytes, id)',
      'create unique index parts_living on parts (id) where deleted_at is null',
      'create trigger part_stored after insert on parts when new.bytes > 0 begin delete from parts; end',
    ])
  })

  it('refuses a table that refers to a missing table, and tables that refer to each other in a circle', () => {
    const one = table({ id: text().primaryKey().references('two') })
    const two = table({ id: text().primaryKey().references('one') })
    expect(() => create({ one })).toThrow('cannot be created: one, two')
    expect(() => create({ one, two })).toThrow('cannot be created: one, two, one')
  })
})
