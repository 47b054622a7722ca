import type { Migration } from './migration.ts'

/** How far desk.db has come in its journal: moved in every transaction that writes. One row, made after the migration. */
export const deskJournal: Migration = {
  version: 6,
  sql: `
    CREATE TABLE journal_position (
      one INTEGER PRIMARY KEY CHECK (one = 1),
      -- this desk.db's own name in its journal
      desk TEXT NOT NULL,
      -- transactions written down so far, and the checksum of the last
      seq INTEGER NOT NULL,
      sum TEXT NOT NULL,
      -- the journal's file that the next one goes to, by the number of its first transaction
      segment INTEGER NOT NULL
    ) STRICT;
  `,
}
