import { rmSync } from 'node:fs'
import { installPeers } from './peers.ts'
import { attempt } from './progress.ts'
import { copyOfSqliteData } from './server-data.ts'
import { benchCreates, benchList, benchMemory, benchPages, benchSearch } from './server-lists.ts'
import { benchPostgres } from './server-postgres.ts'

/**
 * Measures the middleware with a million variants over HTTP, with both database engines, and compares it with other
 * servers on the same machine. The middleware caches no response.
 */
export async function benchServer(): Promise<void> {
  // the load generator is installed together with the compared servers (peers), so nothing can be measured without this
  // installation
  const why = await installPeers()
  if (why !== null) throw new Error(why)
  const folder = await copyOfSqliteData()
  try {
    await attempt('a create', () => benchCreates(folder))
    await attempt('the list', () => benchList(folder))
    await attempt('a random page', () => benchPages(folder))
    await attempt('the search on SQLite', () => benchSearch('SQLite', ['--data', folder]))
    await attempt('the memory', () => benchMemory(folder))
  } finally {
    rmSync(folder, { recursive: true })
  }
  await attempt('PostgreSQL', benchPostgres)
}
