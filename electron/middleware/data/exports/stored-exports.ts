import { z } from 'zod'

const text = z.string().nullable()
const filters = z.object({ search: text, from: text, to: text })
/** As they were sent. */
export type StoredExportFilters = z.output<typeof filters>

const fields = z.array(z.string())

/** The two structures of an export that are kept as JSON text. */
export function readExportFilters(stored: string): StoredExportFilters {
  return filters.parse(JSON.parse(stored))
}

export function readExportFields(stored: string): string[] {
  return fields.parse(JSON.parse(stored))
}
