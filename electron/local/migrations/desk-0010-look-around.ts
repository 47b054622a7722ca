import type { Migration } from './migration.ts'

/** When the service is looked at next for what other desks did like a creation that arrived; null: no more. */
export const deskLookAround: Migration = {
  version: 10,
  sql: `
    ALTER TABLE commands ADD COLUMN look_around_at INTEGER;
    CREATE INDEX commands_to_look_around ON commands (scope, look_around_at) WHERE look_around_at IS NOT NULL;
  `,
}
