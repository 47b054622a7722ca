/** What the warehouse has to look at when a client made or changed it. */
export const warehouseWorkKinds = ['order', 'inbound', 'modification', 'transfer'] as const
export type WarehouseWorkKind = (typeof warehouseWorkKinds)[number]
