import type { Selectable } from 'kysely'
import type { ExportFamily, ExportStatus } from '#shared/domain/exports.ts'
import { instant, integer, json, type RowOf, table, text } from './table.ts'

/** The reason of a failed export. `too_large`: the file would be larger than allowed. */
export type ExportFailure = 'too_large'

const exports = table(
  {
    id: text().primaryKey(),
    customer_id: text().references('customers'),
    family: text<ExportFamily>(),
    type: text(),
    status: text<ExportStatus>(),
    created_at: instant(),
    modified_at: instant(),
    /** Size of the file in bytes of UTF-8. Triggers update it. */
    bytes: integer().default(0),
    /** The reason of the failure. Null: the export has not failed, or it failed for an unexpected reason. */
    failure: text<ExportFailure>().nullable(),
    /** How often a process crashed while it wrote the file. A normal stop of the process does not count. */
    interruptions: integer().default(0),
    /** How often the database refused the file for lack of space, memory or time. */
    refusals: integer().default(0),
    /** The filters as JSON, as the client sent them. */
    filters: json(),
    fields: json(),
  },
  {
    indexes: {
      by_created_at: ['customer_id', 'created_at', 'id'],
      unwritten: {
        on: ['status', 'customer_id', 'created_at', 'id'],
        where: `status in ('created', 'processing')`,
      },
      with_file: { on: ['customer_id', 'modified_at', 'id', 'bytes'], where: 'bytes > 0' },
      to_clear: { on: ['status', 'modified_at', 'id'], where: 'bytes > 0' },
      ended: { on: ['modified_at', 'id'], where: `bytes = 0 and status in ('expired', 'failed')` },
    },
  },
)
export type ExportTable = RowOf<typeof exports>
/** A row of an export as the database returns it. */
export type ExportRow = Selectable<ExportTable>

/** The parts of the files. Triggers update the size of a file when its parts are stored or deleted. */
const export_parts = table(
  {
    export_id: text().references('exports'),
    position: integer(),
    content: text(),
  },
  {
    primaryKey: ['export_id', 'position'],
    triggers: {
      export_part_stored: {
        after: 'insert',
        run: 'update exports set bytes = bytes + octet_length(new.content) where id = new.export_id',
      },
      export_part_deleted: {
        after: 'delete',
        run: 'update exports set bytes = bytes - octet_length(old.content) where id = old.export_id',
      },
    },
  },
)

export const exportTables = { exports, export_parts }
