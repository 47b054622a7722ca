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
import { codeKinds, codesOfVariant } from './variant-codes.ts'

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
  const words = prepareWords(database)
  const putCodes = preparePutCodes(database)
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

/** All codes of a variant in one go: a fill in bulk has three million of them. */
function preparePutCodes(database: Database): (number: number, row: Variant) => void {
  const statements = Object.values(codeKinds).map((_, index) =>
    database.prepare<(string | number)[]>(
      `INSERT INTO codes (key, kind, variant) VALUES ${Array.from({ length: index + 1 }, () => '(?, ?, ?)').join()}`,
    ),
  )
  return (number, row) => {
    const codes = codesOfVariant(row)
    statements[codes.length - 1]?.run(...codes.flatMap(({ key, kind }) => [key, kind, number]))
  }
}
