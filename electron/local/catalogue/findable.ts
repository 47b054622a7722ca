import type { Database } from 'better-sqlite3'
import {
  beginBulkWords,
  buildWords,
  endBulkWords,
  hasWords,
  makeWords,
  type NumberedVariant,
  prepareWords,
} from './catalogue-words.ts'
import { prepareInsertMany } from './insert-many.ts'
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
  /** Of new variants. */
  add(variants: readonly NumberedVariant[]): void
  /** In place of what it was; needs the indexes. */
  replace(variant: NumberedVariant): void
}

export function prepareFindable(database: Database): FindableStatements {
  const forget = database.prepare<[number]>('DELETE FROM codes WHERE variant = ?')
  const putCodes = prepareInsertMany(database, 'codes', ['key', 'kind', 'variant'])
  const words = prepareWords(database)
  return {
    add(variants) {
      putCodes(variants.flatMap(codeRows))
      words.add(variants)
    },
    replace(variant) {
      forget.run(variant.number)
      putCodes(codeRows(variant))
      words.replace(variant)
    },
  }
}

function codeRows({ number, row }: NumberedVariant): (readonly [string, number, number])[] {
  return codesOfVariant(row).map(({ key, kind }) => [key, kind, number])
}
