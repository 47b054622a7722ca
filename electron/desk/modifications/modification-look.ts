import { hasMarker, markersIn, markNote } from '#shared/domain/note-marker.ts'
import { failure } from '#shared/errors/catalogue.ts'
import type { Modification } from '#shared/wire/modification.ts'
import { type CommandTypesParts, type Match, type Sightings, toSeen } from '../outbox/command-type.ts'
import type { CommandRow } from '../ports/commands.ts'
import type { ModificationRow } from '../ports/modification-store.ts'
import type { RecentLists } from '../outbox/recent-lists.ts'
import { modificationMatch } from './modification-records.ts'
import { isFinalRefusal } from '../service/final-refusal.ts'

/** More than so many without a note are not opened one by one: then looking does not tell. */
const mostOpened = 25

/**
 * What the service has of a modification that was sent. The marker in the note tells, whatever its status: the warehouse
 * may have approved it already. Where a service does not give the note back, one with the same reason and lines may be
 * it, and only an operator can say so.
 */
export async function lookForModification(
  parts: CommandTypesParts,
  command: CommandRow,
  lists: RecentLists,
): Promise<Sightings> {
  const row = parts.modifications.get(command.subject.id)
  if (!row || command.firstSentAt === null) return { kind: 'seen', matches: [] }
  const last = Math.max(command.firstSentAt, command.endedAt ?? 0)
  const { rows, trouble } = await lists.modifications({ first: command.firstSentAt, last })
  const own = rows.filter((one) => one.id !== row.serverId && hasMarker(one.note, row.id))
  if (own.length > 0) return { kind: 'seen', matches: oldestFirst(own).map(toMatch(parts, row)) }
  if (trouble) return { kind: 'unreadable', ...trouble, alike: [] }
  const doubtful = rows.filter((one) => one.reason === row.reason && saysNothing(one.note, row))
  return doubtful.length === 0 || row.serverId !== null
    ? { kind: 'seen', matches: [] }
    : compareLines(parts, row, doubtful)
}

/** The note is left out or cut short, so that a marker may be missing from it. */
function saysNothing(note: string | null, row: ModificationRow): boolean {
  if (markersIn(note).length > 0) return false
  const said = squeeze(note ?? '')
  return said === '' || squeeze(markNote(row.note, row.id)).startsWith(said)
}

function squeeze(text: string): string {
  return text.replaceAll(/\s+/g, '').toLowerCase()
}

async function compareLines(
  parts: CommandTypesParts,
  row: ModificationRow,
  doubtful: readonly Modification[],
): Promise<Sightings> {
  const { api, session, modifications } = parts
  const own: Modification[] = []
  const alike: Modification[] = []
  for (const { id } of doubtful.slice(0, mostOpened)) {
    const outcome = await session.withAccess((token) => api.getModification(token, id))
    if (outcome.kind === 'refused' && outcome.status === 404) continue
    if (outcome.kind !== 'answer')
      return { kind: 'unreadable', failure: outcome.failure, isRefused: isFinalRefusal(outcome), alike: [] }
    const said = outcome.value
    if (hasMarker(said.note, row.id)) own.push(said)
    else if (saysNothing(said.note, row) && hasSameLines(said, row) && !modifications.isOurs(id, null))
      alike.push(said)
  }
  if (own.length > 0) return { kind: 'seen', matches: oldestFirst(own).map(toMatch(parts, row)) }
  if (alike.length === 0 && doubtful.length <= mostOpened) return { kind: 'seen', matches: [] }
  const noMarker = failure('modification.outcome_unknown', { cause: 'no_marker' })
  const records = oldestFirst(alike).map((one) => toSeen(toMatch(parts, row)(one)))
  return { kind: 'unreadable', failure: noMarker, isRefused: true, alike: records }
}

function hasSameLines({ modification_lines: lines = [] }: Modification, row: ModificationRow): boolean {
  const place = row.locationId.toLowerCase()
  const key = (variant: string, quantity: number): string => `${variant.toLowerCase()} ${String(quantity)}`
  if (lines.some(({ location }) => location?.id.toLowerCase() !== place)) return false
  const theirs = lines.map((line) => key(line.variant.id, line.quantity)).toSorted()
  const ours = row.lines.map((line) => key(line.variant.id, line.quantity)).toSorted()
  return theirs.join() === ours.join()
}

function oldestFirst(rows: readonly Modification[]): Modification[] {
  return rows.toSorted((a, b) => Date.parse(a.created_at) - Date.parse(b.created_at))
}

function toMatch(parts: CommandTypesParts, row: ModificationRow): (one: Modification) => Match {
  return (one) => modificationMatch(one, row, parts.nameVariant)
}
