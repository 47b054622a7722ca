import type { Migration } from './migration.ts'

/** Recent shipments and every code under which a scan may find one. */
export const recentShipments: Migration = {
  version: 1,
  sql: `
    CREATE TABLE shipments (
      scope TEXT NOT NULL,
      id TEXT NOT NULL,
      created_at INTEGER NOT NULL,
      as_of INTEGER NOT NULL,
      body TEXT NOT NULL,
      PRIMARY KEY (scope, id)
    ) STRICT;

    CREATE TABLE shipment_codes (
      scope TEXT NOT NULL,
      code TEXT NOT NULL,
      shipment_id TEXT NOT NULL,
      PRIMARY KEY (scope, code, shipment_id)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX shipment_codes_by_shipment ON shipment_codes (scope, shipment_id);

    CREATE TABLE shipment_stretch (
      scope TEXT NOT NULL PRIMARY KEY,
      newest INTEGER NOT NULL,
      oldest INTEGER NOT NULL,
      complete INTEGER NOT NULL CHECK (complete IN (0, 1)),
      synced_at INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
  `,
}
