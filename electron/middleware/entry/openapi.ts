import { readFileSync, writeFileSync } from 'node:fs'
import { withGeneratedTables } from '../api-reference.ts'
import { openApiDocument } from '../openapi-document.ts'

// Run this program after a change of routes or API schemas. Tests check that both files that it writes match the
// server.
const document = await openApiDocument()
writeFileSync(new URL('../../../resources/openapi.json', import.meta.url), document)
const reference = new URL('../API.md', import.meta.url)
writeFileSync(reference, withGeneratedTables(readFileSync(reference, 'utf8'), document))
