import type { Migration } from './migration.ts'

/** Return labels are found by their shipment, for a look without a connection. */
export const recentLabelsOfShipments: Migration = {
  version: 5,
  sql: `
    ALTER TABLE labels ADD COLUMN shipment_id TEXT;
    UPDATE labels SET shipment_id = json_extract(body, '$.shipment.id');
    CREATE INDEX labels_by_shipment ON labels (scope, shipment_id, created_at) WHERE shipment_id IS NOT NULL;
  `,
}
