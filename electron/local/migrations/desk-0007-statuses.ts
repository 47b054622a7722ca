import type { Migration } from './migration.ts'

/** A booking's status is kept as the service says it, also a name that no list has. */
export const deskStatuses: Migration = {
  version: 7,
  sql: `
    ALTER TABLE modifications ADD COLUMN status_now TEXT;
    UPDATE modifications SET status_now = status;
    ALTER TABLE modifications DROP COLUMN status;
    ALTER TABLE modifications RENAME COLUMN status_now TO status;
  `,
}
