import { setTimeout as sleep } from 'node:timers/promises'
import { isPostgres } from '../data/engine/database.ts'
import { emptyLogOf } from '../data/engine/sqlite.ts'
import type { ServiceContext } from './context.ts'

/** Milliseconds between two attempts while another program reads the database. */
const pauseMs = 2000

/**
 * Removes the old values of redacted persons and removed secrets from the files of SQLite. While another program, such
 * as a backup, reads the database, this is tried again. If the server stops before the end, its next start continues
 * this work. PostgreSQL removes old values later (`vacuum`).
 */
export function removeOldValuesAfterwards({ database, afterwards, logger }: ServiceContext): void {
  if (isPostgres(database)) return
  afterwards.startAlone('old values', async () => {
    for (let isFirst = true; !afterwards.isEnding; isFirst = false) {
      if (await emptyLogOf(database)) return
      if (isFirst)
        logger.warn(
          'another program reads the database; old values stay in its files until the program has ended',
        )
      await sleep(pauseMs, undefined, { ref: false, signal: afterwards.ending }).catch(() => null)
    }
  })
}
