import { exportsToExport } from '../../data/exports/rows/exports.ts'
import { readExportFields, readExportFilters } from '../../data/exports/stored-exports.ts'
import { defineExport, timeCell } from './define-export.ts'

/** The exports asked for, this one too. */
export const exports = defineExport(
  {
    id: (row) => row.id,
    subject: (row) => row.family,
    type: (row) => row.type,
    status: (row) => row.status,
    from: (row) => readExportFilters(row.filters).from,
    to: (row) => readExportFilters(row.filters).to,
    search: (row) => readExportFilters(row.filters).search,
    fields: (row) => readExportFields(row.fields).join(' '),
    created_at: (row) => timeCell(row.created_at),
    modified_at: (row) => timeCell(row.modified_at),
  },
  exportsToExport,
)
