import type { ExportFamily, ExportTypeOf } from '#shared/domain/exports.ts'
import type { ExportRow } from '../schema/exports.ts'
import { defineExport, type ExportSource, timeCell, walkRecords } from './define-export.ts'
import { inboundLines, inboundTotals, inboundValues } from './inbounds.ts'
import { modifications } from './modifications.ts'
import { orders, orderTotals, orderValues } from './orders.ts'
import {
  colloTypes,
  externalShipments,
  packings,
  serialNumbers,
  shipments,
  shipmentValues,
} from './shipments.ts'
import { fillings, locations, locationValues, stock } from './stock.ts'
import { readExportFields, readExportFilters } from './stored-exports.ts'
import { transfers } from './transfers.ts'

const exportColumns = [
  'id',
  'family',
  'type',
  'status',
  'filters',
  'fields',
  'created_at',
  'modified_at',
] as const
type ExportedExport = Pick<ExportRow, (typeof exportColumns)[number]>

/** The exports of the customer, including the export that is being written. */
const exports = defineExport<ExportedExport>(
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
  (read, scope) =>
    walkRecords<ExportedExport>(read, scope, {
      table: 'exports',
      columns: exportColumns,
      searched: ['type', 'family', 'status'],
    }),
)

type ExportSources = { readonly [Family in ExportFamily]: Record<ExportTypeOf<Family>, ExportSource> }

/** All types of exports. API.md 11.4 lists their columns. */
export const exportSources: ExportSources = {
  standard: {
    stock,
    exports,
    shipments,
    orders,
    modifications,
    transfers,
    inbounds: inboundLines,
    serial_numbers: serialNumbers,
    external_shipments: externalShipments,
  },
  billing: { packings, inbounds: inboundTotals, locations, orders: orderTotals },
  financial: {
    colloType: colloTypes,
    fillings,
    inbounds: inboundValues,
    locations: locationValues,
    orders: orderValues,
    shipments: shipmentValues,
  },
}

/** Returns the source of a stored export. Throws for a type that this version does not have. */
export function sourceOf(family: ExportFamily, type: string): ExportSource {
  const sources: Readonly<Record<string, ExportSource>> = exportSources[family]
  const source = sources[type]
  if (source === undefined) throw new Error(`There is no export of ${type} (${family})`)
  return source
}
