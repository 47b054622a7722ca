import { writeFileSync } from 'node:fs'
import { openApiDocument } from '../openapi-document.ts'

// Run after a change of routes or wire schemas; a contract test compares the committed file with the server.
writeFileSync(new URL('../../../resources/openapi.json', import.meta.url), await openApiDocument())
