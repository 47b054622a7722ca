/** Statuses of a customer-to-customer transfer (api.md, States). */
export const transferStatuses = [
  'created',
  'requested',
  'processing',
  'denied',
  'accepted',
  'cancelled',
] as const
export type TransferStatus = (typeof transferStatuses)[number]

/**
 * A cancel is possible from any status, as api.md's table has it; the moves of the warehouse are this service's own. The
 * goods change hands with `accepted`. Cancelling an accepted transfer changes its status alone: the goods stay with the
 * destination, which hands them back by a transfer of its own.
 */
const next: Record<TransferStatus, readonly TransferStatus[]> = {
  created: ['requested', 'cancelled'],
  requested: ['processing', 'denied', 'cancelled'],
  processing: ['accepted', 'denied', 'cancelled'],
  denied: ['cancelled'],
  accepted: ['cancelled'],
  cancelled: [],
}

export function canMoveTransfer(from: TransferStatus, to: TransferStatus): boolean {
  return next[from].includes(to)
}

/** Statuses in which goods may still change hands. */
export const openTransferStatuses = [
  'created',
  'requested',
  'processing',
] as const satisfies readonly TransferStatus[]
