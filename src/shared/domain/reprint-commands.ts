import type { Command } from './commands.ts'
import type { ReprintReason } from './print-hold.ts'

/** Reasons that somebody is asked for; `not_out` is what the desk knows itself. */
export type AskedReason = Exclude<ReprintReason, 'not_out'>

/** The commands that say why a label is printed once more, in the order in which they are offered. */
export const reprintCommands = {
  damaged: 'DAMAGED',
  lost: 'GONE',
  misprint: 'FAINT',
  other: 'OTHER',
} as const satisfies Record<AskedReason, Command>

export const askedReasons = ['damaged', 'lost', 'misprint', 'other'] as const satisfies readonly AskedReason[]

/** The reason that a command stands for, or null. */
export function reprintReasonOf(command: Command): AskedReason | null {
  return askedReasons.find((reason) => reprintCommands[reason] === command) ?? null
}
