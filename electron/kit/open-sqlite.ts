import Database from 'better-sqlite3'

/** `precious`: an acknowledged commit survives a power cut; `cache`: may be thrown away, so commits are cheap. */
export type Durability = 'precious' | 'cache'

/**
 * Opens a SQLite file in WAL mode. better-sqlite3 opens WAL databases at synchronous=NORMAL, which loses
 * acknowledged commits on a power cut, and reading the pragma back right after the switch to WAL lies: so it is set
 * explicitly on the connection that the product uses, and a test reads it back after a reopen and a write.
 */
export function openSqlite(
  file: string,
  durability: Durability,
  options: { readonly?: boolean } = {},
): Database.Database {
  const database = new Database(file, { readonly: options.readonly ?? false })
  try {
    if (!options.readonly) database.pragma('journal_mode = WAL')
    database.pragma(`synchronous = ${durability === 'precious' ? 'FULL' : 'NORMAL'}`)
    database.pragma('foreign_keys = ON')
    database.pragma('busy_timeout = 5000')
    return database
  } catch (error) {
    database.close()
    throw error
  }
}
