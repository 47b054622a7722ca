import { lineKey } from '#shared/domain/modification.ts'
import { withoutMarker } from '#shared/domain/references.ts'
import type { Modification } from '#shared/wire/modification.ts'
import { type ModificationFacts, mostLines, piecesOf } from '#shared/writes/modification.ts'
import type { Answer, Match } from '../outbox/command-type.ts'
import { mostRecords } from '../outbox/seen-records.ts'
import type { ModificationRow } from '../ports/modification-store.ts'

/** Returns the name and the code of an article; null: this desk does not know the article. */
export type NameVariant = (id: string) => { readonly name: string; readonly articleCode: string } | null

type Booked = Pick<ModificationRow, 'lines' | 'locationId' | 'locationCode'>

/**
 * Converts modifications of the service for the operator: the first 20, each with its first 20 lines. A question or a
 * notice shows no more. The limit also saves time, because each name of an article may need a read. `row`: the similar
 * booking of this desk, which has the names of its articles.
 */
export function modificationMatches(
  modifications: readonly Modification[],
  row: Booked,
  nameVariant: NameVariant,
): Match[] {
  const names = new Map<string, ReturnType<NameVariant>>(
    row.lines.map(({ variant }) => [variant.id, variant]),
  )
  const nameOnce = (id: string): ReturnType<NameVariant> => {
    const known = names.get(id)
    if (known !== undefined) return known
    const name = nameVariant(id)
    names.set(id, name)
    return name
  }
  return modifications.slice(0, mostRecords).map((one) => modificationMatch(one, row, nameOnce))
}

function modificationMatch(modification: Modification, row: Booked, nameVariant: NameVariant): Match {
  const lines = modification.modification_lines ?? []
  const moreLines = lines.length - mostLines
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
        lines: lines.slice(0, mostLines).map(({ variant, quantity }) => {
          const known = nameVariant(variant.id)
          return { name: known?.name ?? '', articleCode: known?.articleCode ?? '', quantity }
        }),
        ...(moreLines > 0 ? { moreLines, morePieces: piecesOf(lines.slice(mostLines)) } : {}),
      },
      note: withoutMarker(modification.note),
      requested: false,
    },
  }
}

/**
 * Longest reference or status to compare and store, in characters. References have 14 characters, known statuses at
 * most 11. Without a limit, the service could fill the store with long texts.
 */
const longestWord = 60

/** Returns the part of a response that the ledger stores. Reference and status are cut at `longestWord` characters. */
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

/** Returns one key for each line of a modification of the service. Lines are compared by these keys (see lineKey). */
export function lineKeysOf({ modification_lines: lines = [] }: Modification): string[] {
  return lines.map(({ variant, location, quantity }) =>
    lineKey({ variantId: variant.id, locationId: location?.id ?? null, quantity }),
  )
}

/**
 * Returns one key for each line of a booking of this desk. Lines are compared by these keys. All lines of a booking
 * have the same location.
 */
export function bookedLineKeys({
  lines,
  locationId,
}: Pick<ModificationRow, 'lines' | 'locationId'>): string[] {
  return lines.map(({ variant, quantity }) => lineKey({ variantId: variant.id, locationId, quantity }))
}
