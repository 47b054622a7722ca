import type { Database } from 'better-sqlite3'
import { type NumberedVariant, prepareWords } from './catalogue-words.ts'
import { prepareInsertMany } from './insert-many.ts'
import { codesOfVariant } from './variant-codes.ts'

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
