/**
 * Statuses of an inbound (api.md, States, Inbound, and those the service's clients know beside). api.md shows no
 * transitions; these are this service's own.
 */
export const inboundStatuses = [
  'announced',
  'process_no_announcement',
  'awaiting_transfer',
  'transfer',
  'processing',
  'on_hold',
  'completed',
  'cancelled',
] as const
export type InboundStatus = (typeof inboundStatuses)[number]

/** How the warehouse heard of an inbound: read from a file, told by a client, or not at all. */
export const inboundTypes = ['import', 'announced', 'unannounced'] as const
export type InboundType = (typeof inboundTypes)[number]

const next: Record<InboundStatus, readonly InboundStatus[]> = {
  announced: ['awaiting_transfer', 'processing', 'on_hold', 'cancelled'],
  // goods that nobody announced: they stand on the dock already
  process_no_announcement: ['processing', 'on_hold'],
  // they arrived at another site and go on from there
  awaiting_transfer: ['transfer', 'on_hold', 'cancelled'],
  transfer: ['processing', 'on_hold'],
  processing: ['completed', 'on_hold'],
  on_hold: ['announced', 'awaiting_transfer', 'processing', 'cancelled'],
  completed: [],
  cancelled: [],
}

export function canMoveInbound(from: InboundStatus, to: InboundStatus): boolean {
  return next[from].includes(to)
}

/** Whether lines and day may still change: while the customer could also cancel. */
export function isInboundOpen(status: InboundStatus): boolean {
  return canMoveInbound(status, 'cancelled')
}

/** Statuses that something may still follow. */
export const openInboundStatuses: readonly InboundStatus[] = inboundStatuses.filter(
  (status) => next[status].length > 0,
)
