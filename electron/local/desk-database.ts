import { join } from 'node:path'
import type { Database } from 'better-sqlite3'
import { openSqlite } from '#kit/open-sqlite.ts'
import { migrate } from './migrate.ts'
import { deskGround } from './migrations/desk-0001-ground.ts'
import { deskSubjects } from './migrations/desk-0002-subjects.ts'
import { deskModifications } from './migrations/desk-0003-modifications.ts'
import { deskScanKinds } from './migrations/desk-0004-scan-kinds.ts'
import { asCatalogued } from './sqlite-failure.ts'

export const deskMigrations = [deskGround, deskSubjects, deskModifications, deskScanKinds]

/**
 * Opens desk.db, the precious one, at synchronous=FULL. A damaged one is never deleted nor put aside: the failure is
 * thrown (CataloguedError `store.unavailable`) and the file stays for recovery.
 */
export async function openDeskDatabase(dataDir: string): Promise<Database> {
  try {
    const database = openSqlite(join(dataDir, 'desk.db'), 'precious')
    try {
      await migrate(database, deskMigrations, (from) => join(dataDir, `desk.schema-${from}.backup.db`))
      return database
    } catch (error) {
      database.close()
      throw error
    }
  } catch (error) {
    throw asCatalogued(error)
  }
}
