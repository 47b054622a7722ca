/** Why stock is corrected (api.md, Modification). */
export const modificationReasons = ['LOST', 'DEFECTIVE', 'CORRECTION'] as const
export type ModificationReason = (typeof modificationReasons)[number]

/** Where a modification stands at the service; a new one is `created` (api.md, States, Modification). */
export const modificationStatuses = ['created', 'approved', 'disapproved'] as const
export type ModificationStatus = (typeof modificationStatuses)[number]

/** The warehouse decides once; api.md shows no transitions. */
const next: Record<ModificationStatus, readonly ModificationStatus[]> = {
  created: ['approved', 'disapproved'],
  approved: [],
  disapproved: [],
}

export function canMoveModification(from: ModificationStatus, to: ModificationStatus): boolean {
  return next[from].includes(to)
}
