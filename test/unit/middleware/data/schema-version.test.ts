import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { schemaSql, schemaVersion } from '#middleware/data/schema/schema.ts'

/** The hash of the tables of a version, without comments and the layout of the text. */
const tablesOf: Record<number, string> = { 2: '9d47f7f4b68da6d4' }

describe('schemaVersion of the middleware', () => {
  it('is raised with every change of the tables, because a database of an earlier version lacks their columns', () => {
    const statements = schemaSql.replaceAll(/--.*$/gm, '').replaceAll(/\s+/g, ' ').trim()
    const hash = createHash('sha256').update(statements).digest('hex').slice(0, 16)
    expect({ [schemaVersion]: hash }).toEqual({ [schemaVersion]: tablesOf[schemaVersion] })
  })
})
