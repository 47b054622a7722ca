/** Why stock is corrected (api.md, Modification). */
export const modificationReasons = ['LOST', 'DEFECTIVE', 'CORRECTION'] as const
export type ModificationReason = (typeof modificationReasons)[number]

/** Where a modification stands at the service; a new one is `created` (api.md, States, Modification). */
export const modificationStatuses = ['created', 'approved', 'disapproved'] as const
export type ModificationStatus = (typeof modificationStatuses)[number]

/** Statuses after which nothing changes any more. */
export type ModificationDecision = Exclude<ModificationStatus, 'created'>

/** Whether the warehouse has decided; a name that this version does not know decides nothing. */
export function isDecision(status: string | null): status is ModificationDecision {
  return status === 'approved' || status === 'disapproved'
}

/** The warehouse decides once; api.md shows no transitions. */
const next: Record<ModificationStatus, readonly ModificationStatus[]> = {
  created: ['approved', 'disapproved'],
  approved: [],
  disapproved: [],
}

export function canMoveModification(from: ModificationStatus, to: ModificationStatus): boolean {
  return next[from].includes(to)
}
