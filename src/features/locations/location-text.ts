import { m } from '#messages/messages.js'
import type { LocationImport, LocationView } from '#shared/bridge/stock-views.ts'

export const sourceWords: Record<LocationView['source'], () => string> = {
  import: m.location_source_import,
  scan: m.location_source_scan,
  modification: m.location_source_modification,
}

export const skippedWords: Record<LocationImport['skipped'][number]['why'], () => string> = {
  no_id: m.import_no_id,
  no_code: m.import_no_code,
  code_twice: m.import_code_twice,
  columns: m.import_columns,
}
