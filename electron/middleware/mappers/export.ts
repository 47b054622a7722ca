import type { z } from 'zod'
import type { ExportFamily } from '#shared/domain/export-types.ts'
import type { exportCreate, ExportRecord } from '#shared/wire/export.ts'
import type { ExportRow } from '../data/schema/clients.ts'
import { readExportFields, readExportFilters } from '../data/exports/stored-exports.ts'
import type { NewExport } from '../services/exports/asked-exports.ts'

/** api.md, Export. */
export function toWireExport(row: ExportRow): ExportRecord {
  return {
    id: row.id,
    status: row.status,
    extension: 'csv',
    subject: row.family,
    type: row.type,
    filters: readExportFilters(row.filters),
    fields: readExportFields(row.fields),
    ready: row.status === 'completed',
  }
}

/** What a request asks for; an empty filter is none. */
export function fromWireExport(
  family: ExportFamily,
  body: Omit<z.output<typeof exportCreate>, 'type'> & { type: string },
): NewExport {
  const { search, from, to }: { search?: string | null; from?: string | null; to?: string | null } =
    body.filters ?? {}
  return {
    family,
    type: body.type,
    filters: { search: blankToNull(search), from: from ?? null, to: to ?? null },
    fields: body.fields ?? [],
  }
}

function blankToNull(text: string | null | undefined): string | null {
  return text === undefined || text === null || text.trim() === '' ? null : text
}
