import { withoutMarker } from '#shared/domain/note-marker.ts'
import type { Modification } from '#shared/wire/modification.ts'
import type { CommandTypesParts, Match } from '../outbox/command-type.ts'
import { modificationAnswer, modificationFacts } from './modification-facts.ts'
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
