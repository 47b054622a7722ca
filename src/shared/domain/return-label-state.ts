/** States of a return label (api.md, States). `requesting`: the carrier is being asked, and nobody may change it. */
export const returnLabelStates = ['unrequested', 'requesting', 'requested', 'cancelled'] as const
export type ReturnLabelState = (typeof returnLabelStates)[number]

const next: Record<ReturnLabelState, readonly ReturnLabelState[]> = {
  unrequested: ['requesting', 'cancelled'],
  // back: the carrier failed, or the process that asked died
  requesting: ['requested', 'unrequested'],
  requested: [],
  cancelled: [],
}

export function canMoveReturnLabel(from: ReturnLabelState, to: ReturnLabelState): boolean {
  return next[from].includes(to)
}
