/** What can be exported (api.md, Exports). Each family has its own path, its own types and its own role. */
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
