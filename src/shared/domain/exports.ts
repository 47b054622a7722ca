/** The types of exports by family (API.md 11.4). Each family has its own path and role for new exports. */
export const exportTypes = {
  standard: [
    'stock',
    'exports',
    'shipments',
    'orders',
    'modifications',
    'transfers',
    'inbounds',
    'serial_numbers',
    'external_shipments',
  ],
  billing: ['packings', 'inbounds', 'locations', 'orders'],
  financial: ['colloType', 'fillings', 'inbounds', 'locations', 'orders', 'shipments'],
} as const

export type ExportFamily = keyof typeof exportTypes
export type ExportTypeOf<Family extends ExportFamily> = (typeof exportTypes)[Family][number]

/**
 * States of an export (API.md 11.2; the contract names only `completed`). `created`: waits for its turn. `processing`:
 * the file is being written. If the process ends during `processing`, another process, or the next start of the
 * program, moves the export back to `created`; after the second time, to `failed`. `expired`: the file was deleted,
 * because it was too old or because the data of a person in it were redacted.
 */
export const exportStatuses = ['created', 'processing', 'completed', 'failed', 'expired'] as const
export type ExportStatus = (typeof exportStatuses)[number]

const next: Record<ExportStatus, readonly ExportStatus[]> = {
  created: ['processing'],
  processing: ['completed', 'failed', 'created'],
  completed: ['expired'],
  failed: [],
  expired: [],
}

export function canMoveExport(from: ExportStatus, to: ExportStatus): boolean {
  return next[from].includes(to)
}

/** Returns the states from which an export may move to `to`. */
export function exportStatusesBefore(to: ExportStatus): ExportStatus[] {
  return exportStatuses.filter((from) => canMoveExport(from, to))
}
