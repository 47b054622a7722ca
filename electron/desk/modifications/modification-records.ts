import { withoutMarker } from '#shared/domain/references.ts'
import type { Modification } from '#shared/wire/modification.ts'
import type { ModificationFacts } from '#shared/writes/modification.ts'
import type { Answer, CommandTypesParts, Match } from '../outbox/command-type.ts'
import type { ModificationRow } from '../ports/modification-store.ts'

/** A modification of the service; `row`: the one of ours it is like, for names that the service does not give. */
export function modificationMatch(
  modification: Modification,
  row: Pick<ModificationRow, 'lines' | 'locationId' | 'locationCode'>,
  nameVariant: CommandTypesParts['nameVariant'],
): Match {
  const lines = modification.modification_lines ?? []
  const names = new Map(row.lines.map(({ variant }) => [variant.id, variant]))
  const [first] = lines
  const isHere = first?.location?.id.toLowerCase() === row.locationId.toLowerCase()
  return {
    answer: modificationAnswer(modification),
    record: {
      serverId: modification.id,
      reference: modificationFacts(modification).reference,
      createdAt: modification.created_at,
      brief: {
        kind: 'modification',
        reason: modification.reason,
        locationCode: first?.location?.code ?? (isHere ? row.locationCode : null),
        lines: lines.map(({ variant, quantity }) => {
          const known = names.get(variant.id) ?? nameVariant(variant.id)
          return { name: known?.name ?? '', articleCode: known?.articleCode ?? '', quantity }
        }),
      },
      note: withoutMarker(modification.note),
      requested: false,
    },
  }
}

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
