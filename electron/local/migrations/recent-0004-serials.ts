import type { Migration } from './migration.ts'

/**
 * Serial numbers under which a scan may find a shipment, apart from its other codes: they are short, and another thing
 * may bear the same. Those of shipments that are here already come from what the service said of them. By age: what is
 * older than wanted is taken away a little at a time.
 */
export const recentSerials: Migration = {
  version: 4,
  sql: `
    CREATE TABLE shipment_serials (
      scope TEXT NOT NULL,
      code TEXT NOT NULL,
      shipment_id TEXT NOT NULL,
      PRIMARY KEY (scope, code, shipment_id)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX shipment_serials_by_shipment ON shipment_serials (scope, shipment_id);

    INSERT INTO shipment_serials (scope, code, shipment_id)
      SELECT DISTINCT s.scope, upper(replace(serial.value, ' ', '')), s.id
      FROM shipments s, json_each(s.body, '$.shipment_lines') line, json_each(line.value, '$.serial_numbers') serial
      WHERE serial.type = 'text' AND replace(serial.value, ' ', '') <> '';

    CREATE INDEX shipments_by_age ON shipments (scope, created_at);
  `,
}
