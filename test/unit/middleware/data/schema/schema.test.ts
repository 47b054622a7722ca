import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { createStatements, sqliteTables } from '#middleware/data/schema/create-statements.ts'
import { schemaVersion, tables } from '#middleware/data/schema/schema.ts'

/** The hash of the statements that create the tables of a version, regardless of line breaks and spaces. */
const tablesOf: Record<number, string> = { 8: '5a2f908c6fb7ee39' }

describe('schemaVersion of the middleware', () => {
  it('is raised with every change of the tables, so that databases of earlier versions are refused', () => {
    const statements = createStatements(tables, sqliteTables).toSorted().join(';').replaceAll(/\s+/g, ' ')
    const hash = createHash('sha256').update(statements).digest('hex').slice(0, 16)
    expect({ [schemaVersion]: hash }).toEqual({ [schemaVersion]: tablesOf[schemaVersion] })
  })
})
