/**
 * States of an outbox command (ARCHITECTURE.md, decision 4). `unknown`: it may have reached the service and nobody
 * knows; sent again only after looking. `needsOperator` is a flag beside the state, not a state.
 */
export const commandStates = ['queued', 'sending', 'done', 'unknown', 'rejected', 'discarded'] as const
export type CommandState = (typeof commandStates)[number]

const next: Record<CommandState, readonly CommandState[]> = {
  // done: somebody found that it is there already. unknown: an earlier try may have arrived, and looking cannot tell
  queued: ['sending', 'done', 'unknown', 'discarded'],
  sending: ['done', 'unknown', 'rejected', 'queued'],
  unknown: ['done', 'queued', 'discarded'],
  rejected: ['queued', 'discarded'],
  done: [],
  discarded: [],
}

export function canMoveCommand(from: CommandState, to: CommandState): boolean {
  return next[from].includes(to)
}

/** Whether a write still waits for somebody or something. */
export function isOpen(state: CommandState): boolean {
  return state === 'queued' || state === 'sending' || state === 'unknown'
}
