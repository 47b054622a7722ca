import type { Modification } from '#shared/wire/modification.ts'
import type { Answer } from '../outbox/command-type.ts'
import type { ModificationFacts } from '../ports/commands.ts'

/**
 * Longest reference and status that are compared and stored, in characters. References have 14, known statuses at most
 * 11; each look at the service would otherwise store as much text as the service likes.
 */
const longestWord = 60

/** What an answer about a modification tells the ledger; reference and status are cut at 60 characters. */
export function modificationFacts({ id, reference, status }: Modification): ModificationFacts {
  return {
    kind: 'modification',
    serverId: id,
    reference: reference.slice(0, longestWord),
    status: status.slice(0, longestWord),
  }
}

export function modificationAnswer(modification: Modification): Answer {
  return { facts: modificationFacts(modification), documentAddress: null }
}
