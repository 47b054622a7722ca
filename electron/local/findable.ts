import type { Database } from 'better-sqlite3'
import type { Variant } from '#shared/wire/variant.ts'
import {
  beginBulkWords,
  buildWords,
  endBulkWords,
  hasWords,
  makeWords,
  prepareWords,
} from './catalogue-words.ts'
import { codesOfVariant } from './variant-codes.ts'

const indexes = `
  CREATE INDEX IF NOT EXISTS codes_by_key ON codes (key, kind, variant);
  CREATE INDEX IF NOT EXISTS codes_by_variant ON codes (variant);
`

/** Indexes of codes, and words, where a file has none yet: a new one, or one of an older version. */
export function makeFindable(database: Database): void {
  if (hasWords(database)) return
  const build = database.transaction(() => {
    database.exec(indexes)
    buildWords(database)
  })
  build.immediate()
}

/** A fill in bulk: codes and words are put in as they come, and their indexes are made at the end. */
export function beginBulk(database: Database): void {
  if (hasWords(database)) return
  const begin = database.transaction(() => {
    makeWords(database)
    beginBulkWords(database)
  })
  begin.immediate()
}

export function endBulk(database: Database): void {
  const end = database.transaction(() => {
    database.exec(indexes)
    endBulkWords(database)
  })
  end.immediate()
}

export interface FindableStatements {
  /** Of a new variant. */
  add(number: number, row: Variant): void
  /** In place of what it was; needs the indexes. */
  replace(number: number, row: Variant): void
}

export function prepareFindable(database: Database): FindableStatements {
  const forget = database.prepare<[number]>('DELETE FROM codes WHERE variant = ?')
  const put = database.prepare<[string, number, number]>(
    'INSERT INTO codes (key, kind, variant) VALUES (?, ?, ?)',
  )
  const words = prepareWords(database)
  const putCodes = (number: number, row: Variant): void => {
    for (const { key, kind } of codesOfVariant(row)) put.run(key, kind, number)
  }
  return {
    add(number, row) {
      putCodes(number, row)
      words.add(number, row)
    },
    replace(number, row) {
      forget.run(number)
      putCodes(number, row)
      words.replace(number, row)
    },
  }
}
