import type { ExportFamily, ExportTypeOf } from '#shared/domain/export-types.ts'
import type { ExportSource } from './define-export.ts'
import { exports } from './exports.ts'
import { inboundLines, inboundTotals, inboundValues } from './inbounds.ts'
import { fillings, locations, locationValues } from './locations.ts'
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
import { stock } from './stock.ts'
import { transfers } from './transfers.ts'

type Catalogue = { readonly [Family in ExportFamily]: Record<ExportTypeOf<Family>, ExportSource> }

/** Every type of export there is; README.md lists their columns. */
export const exportSources: Catalogue = {
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

/** The source of a stored export; throws for a type that this version does not know. */
export function sourceOf(family: ExportFamily, type: string): ExportSource {
  const sources: Readonly<Record<string, ExportSource>> = exportSources[family]
  const source = sources[type]
  if (source === undefined) throw new Error(`There is no export of ${type} (${family})`)
  return source
}
