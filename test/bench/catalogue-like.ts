import { openSqlite } from '#kit/open-sqlite.ts'
import { cataloguePaths } from '#local/catalogue/catalogue-disk.ts'
import { type Scope, scopeKey } from '#shared/domain/scope.ts'
import type { Sample } from './figure.ts'
import { say } from './progress.ts'

const texts = 120

/**
 * Measures a search without an index in this process: a LIKE query over the rows of the desk's catalogue file, with at
 * most twenty hits.
 */
export function benchLike(dataDir: string, scope: Scope, typed: readonly string[]): Sample {
  say('the same with LIKE …')
  const database = openSqlite(cataloguePaths(dataDir, scopeKey(scope)).goods.current, 'cache', {
    readonly: true,
  })
  database.pragma('cache_size = -65536')
  const like = database.prepare<[string]>('SELECT number FROM variants WHERE body LIKE ? LIMIT 20')
  const values = typed.slice(0, texts).map((text) => {
    const startedAt = performance.now()
    like.all(`%${text.replaceAll(' ', '%')}%`)
    return performance.now() - startedAt
  })
  database.close()
  return { name: 'LIKE over the same file, in process', values }
}
