/**
 * Roles of a user; a call without the needed role fails with 403 (API.md 1.3). On the wire each role has the prefix
 * `rolePrefix`.
 */
export const roles = [
  'ARTICLES_READ',
  'ARTICLES_CREATE',
  'ARTICLES_UPDATE',
  'BATCH_READ',
  'CUSTOMERS_READ',
  'DOCUMENTS_READ',
  'DOCUMENTS_DELETE',
  'EXPORT_READ',
  'EXPORT_CREATE',
  'EXPORT_BILLING_CREATE',
  'EXPORT_FINANCIAL_CREATE',
  'EXPORT_DOWNLOAD',
  'GDPR',
  'INBOUNDS_READ',
  'INBOUNDS_CREATE',
  'INBOUNDS_UPDATE',
  'INBOUNDS_CANCEL',
  'LOCATIONTYPES_READ',
  'MODIFICATIONS_READ',
  'MODIFICATIONS_CREATE',
  'MODIFICATIONS_UPDATE',
  'MODIFICATIONS_APPROVE',
  'MODIFICATIONS_DISAPPROVE',
  'ORDERS_READ',
  'ORDERS_CREATE',
  'ORDERS_UPDATE',
  'ORDERS_CANCEL',
  'ORDERS_DOCUMENTS_READ',
  'ORDERS_DOCUMENTS_CREATE',
  'ORDERS_DOCUMENTS_UPDATE',
  'ORDERS_DOCUMENTS_DELETE',
  'RETURN_LABELS_READ',
  'RETURN_LABELS_CREATE',
  'RETURN_LABELS_UPDATE',
  'RETURN_LABELS_REQUEST',
  'RETURN_LABELS_CANCEL',
  'SANDBOX',
  'SHIPMENTS_READ',
  'SHIPPINGMETHODS_READ',
  'TRANSFERS_READ',
  'TRANSFERS_CREATE',
  'TRANSFERS_UPDATE',
  'TRANSFERS_REQUEST',
  'TRANSFERS_CANCEL',
  'STOCK_READ',
  'WEBHOOKS_READ',
  'WEBHOOKS_CREATE',
  'WEBHOOKS_UPDATE',
  'WEBHOOKS_DELETE',
] as const
export type Role = (typeof roles)[number]

/** Roles of a user of the warehouse. Such a user works for all customers and uses only the calls of /warehouse/. */
export const warehouseRoles = [
  'WAREHOUSE_READ',
  'WAREHOUSE_ORDERS',
  'WAREHOUSE_INBOUNDS',
  'WAREHOUSE_MODIFICATIONS',
  'WAREHOUSE_TRANSFERS',
  'WAREHOUSE_STOCK',
  'WAREHOUSE_GOODS',
] as const
export type WarehouseRole = (typeof warehouseRoles)[number]

export const rolePrefix = 'ROLE_MIDDLEWARE_'

/**
 * Returns the name of a role in the `roles` of a token: `ROLE_MIDDLEWARE_SHIPMENTS_READ` for `SHIPMENTS_READ`,
 * `ROLE_WAREHOUSE_READ` for `WAREHOUSE_READ`.
 */
export function wireRole(role: Role | WarehouseRole): string {
  return role.startsWith('WAREHOUSE_') ? `ROLE_${role}` : rolePrefix + role
}
