import type { Modification } from '#shared/wire/modification.ts'
import type { Answer } from '../outbox/command-type.ts'
import type { ModificationFacts } from '../ports/commands.ts'

/** What an answer about a modification tells the ledger. */
export function modificationFacts({ id, reference, status }: Modification): ModificationFacts {
  return { kind: 'modification', serverId: id, reference, status }
}

export function modificationAnswer(modification: Modification): Answer {
  return { facts: modificationFacts(modification), documentAddress: null }
}
