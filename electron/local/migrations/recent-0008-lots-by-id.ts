import type { Migration } from './migration.ts'

/**
 * Which variant a looked-at lot is of, by the lot's id. Of what is there, the newest looks of a usual size are taken over;
 * a look of more than a million characters goes, since reading it takes too long.
 */
export const recentLotsById: Migration = {
  version: 8,
  sql: `
    CREATE TABLE lot_ids (
      scope TEXT NOT NULL,
      lot_id TEXT NOT NULL,
      variant_id TEXT NOT NULL,
      PRIMARY KEY (scope, lot_id, variant_id)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX lot_ids_by_variant ON lot_ids (scope, variant_id);
    DELETE FROM lots WHERE octet_length(body) > 1000000;
    INSERT OR IGNORE INTO lot_ids (scope, lot_id, variant_id)
      SELECT l.scope, json_extract(lot.value, '$.id'), l.variant_id
      FROM (SELECT scope, variant_id, body FROM lots WHERE octet_length(body) < 100000 AND json_valid(body)
            ORDER BY as_of DESC LIMIT 300) l, json_each(l.body) lot
      WHERE lot.type = 'object';
  `,
}
