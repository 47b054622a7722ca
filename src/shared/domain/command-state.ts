/**
 * States of an outbox command (ARCHITECTURE.md, decision 4). `unknown`: it is uncertain whether the service received
 * the command, so the desk asks the service for the command's record before it sends the command again. `needsOperator`
 * is a flag beside the state, not a state.
 */
export const commandStates = ['queued', 'sending', 'done', 'unknown', 'rejected', 'discarded'] as const
export type CommandState = (typeof commandStates)[number]

/**
 * Every move of a command, with the states before and after it:
 *
 *     queued ───begin───────► sending
 *            ├──complete────► done        a query before the attempt found its record
 *            ├──doubt───────► unknown     an earlier attempt may have arrived; a query cannot tell
 *            └──reject──────► rejected    its call cannot be built
 *     sending ──complete────► done
 *             ├─requeue─────► queued      certainly not applied
 *             ├─markUnknown─► unknown     it may have been applied
 *             └─reject──────► rejected    the service refused it
 *     unknown ──complete────► done        a query found its record
 *             └─requeue─────► queued      it certainly did not arrive, or an operator sends it again
 *     rejected ─requeue─────► queued      an operator sends it again
 *     queued, unknown, rejected ─discard► discarded
 */
const moves = {
  begin: { queued: 'sending' },
  complete: { queued: 'done', sending: 'done', unknown: 'done' },
  doubt: { queued: 'unknown' },
  requeue: { sending: 'queued', unknown: 'queued', rejected: 'queued' },
  markUnknown: { sending: 'unknown' },
  reject: { queued: 'rejected', sending: 'rejected' },
  discard: { queued: 'discarded', unknown: 'discarded', rejected: 'discarded' },
} as const satisfies Record<string, Partial<Record<CommandState, CommandState>>>
export type CommandMove = keyof typeof moves

/** Returns the state to which a move leads; null: the move is not allowed from this state. */
export function movedCommand(from: CommandState, move: CommandMove): CommandState | null {
  const targets: Partial<Record<CommandState, CommandState>> = moves[move]
  return targets[from] ?? null
}

/**
 * Whether a write is queued, is being sent, or has an unknown outcome. A rejected write is not open, although it may
 * wait for a decision.
 */
export function isOpen(state: CommandState): boolean {
  return state === 'queued' || state === 'sending' || state === 'unknown'
}
