import type { CommandFacts } from '#desk/ports/commands.ts'

type Kind = CommandFacts['kind']

/** Writes what an answer said into the ledger of its subject; runs inside the outbox's transaction. */
export type ApplyFacts<K extends Kind = Kind> = (
  subjectId: string,
  facts: Extract<CommandFacts, { kind: K }>,
  at: number,
) => void

/** One for each kind of subject. */
export type FactsAppliers = { readonly [K in Kind]: ApplyFacts<K> }

/** Hands the facts to the ledger of their kind. */
export function applyFacts(
  appliers: FactsAppliers,
  subjectId: string,
  facts: CommandFacts,
  at: number,
): void {
  switch (facts.kind) {
    case 'return_label':
      appliers.return_label(subjectId, facts, at)
      return
    case 'modification':
      appliers.modification(subjectId, facts, at)
      return
  }
}
