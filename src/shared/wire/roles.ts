/** Roles a user may hold; a missing one answers 403 (api.md, Authentication). On the wire each carries the prefix. */
export const roles = [
  'ARTICLES_READ',
  'ARTICLES_CREATE',
  'ARTICLES_UPDATE',
  'BATCH_READ',
  'CUSTOMERS_READ',
  'DOCUMENTS_READ',
  'DOCUMENTS_DELETE',
  'LOCATIONTYPES_READ',
  'MODIFICATIONS_READ',
  'MODIFICATIONS_CREATE',
  'MODIFICATIONS_UPDATE',
  'MODIFICATIONS_APPROVE',
  'MODIFICATIONS_DISAPPROVE',
  'RETURN_LABELS_READ',
  'RETURN_LABELS_CREATE',
  'RETURN_LABELS_UPDATE',
  'RETURN_LABELS_REQUEST',
  'RETURN_LABELS_CANCEL',
  'SHIPMENTS_READ',
  'SHIPPINGMETHODS_READ',
] as const
export type Role = (typeof roles)[number]

export const rolePrefix = 'ROLE_MIDDLEWARE_'

/** `SHIPMENTS_READ` -> `ROLE_MIDDLEWARE_SHIPMENTS_READ`, as the token's `roles` claim carries it. */
export function wireRole(role: Role): string {
  return rolePrefix + role
}
