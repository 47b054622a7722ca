import { idHash } from '#shared/domain/id-hash.ts'
import { hasMarker, markersIn, markNote } from '#shared/domain/references.ts'
import type { WriteType } from '#shared/writes/write-kinds.ts'
import { failure } from '#shared/errors/catalogue.ts'
import { ok, type Result } from '#shared/errors/result.ts'
import type { Modification, ModificationCreate } from '#shared/wire/modification.ts'
import { routes } from '#shared/wire/routes.ts'
import { mostOwnLines } from '#shared/writes/modification.ts'
import {
  bookedLineKeys,
  lineKeysOf,
  modificationAnswer,
  modificationMatches,
} from './modification-records.ts'
import { checkNewModification, type ModificationCommandParts, Twins } from './modification-twins.ts'
import { modificationTitle } from './modification-view.ts'
import {
  asPreparation,
  asReadBack,
  type CommandType,
  mapOutcome,
  unlessAnother,
  type ReadBack,
  type Sightings,
  type WriteKind,
} from '../outbox/command-type.ts'
import { recentLists, type RecentLists } from '../outbox/recent-lists.ts'
import { toSeen } from '../outbox/seen-records.ts'
import type { ApiOutcome } from '../ports/api.ts'
import type { CommandRow } from '../ports/commands.ts'
import type { ModificationRow } from '../ports/modification-store.ts'
import { isFinalRefusal, refusalReason } from '../service/answers.ts'

/** The command type of a booking in desk.db. */
export const modificationCreateCommand: WriteType<'modification'> = 'modification.create'

export interface ModificationKindParts extends ModificationCommandParts {
  /** Puts a booking that did not arrive back into the draft. Modifications.takeBack describes the steps. */
  readonly takeBack: (id: string) => Result<unknown>
  /** Notifies the window that a modification has changed. */
  readonly modificationMoved: (id: string) => void
  /**
   * Reports that the booking has changed and may have arrived at the service. The desk then looks for the decision of
   * the warehouse: approved or disapproved.
   */
  readonly arrived: (id: string) => void
}

/** Creates the kind of write for stock modifications. Each modification has one command. */
export function modificationKind(parts: ModificationKindParts): WriteKind<'modification'> {
  const { ledgers, takeBack, modificationMoved, arrived } = parts
  const { modifications } = ledgers
  const moved = (id: string): void => {
    modificationMoved(id)
    arrived(id)
  }
  return {
    types: { [modificationCreateCommand]: createModification(parts) },
    describe(id) {
      const start = modifications.start(id, mostOwnLines)
      if (!start) return null
      const { row, moreLines, morePieces } = start
      const { reason, locationCode } = row
      const lines = row.lines.map(({ variant: { name, articleCode }, quantity }) => ({
        name,
        articleCode,
        quantity,
      }))
      const others = moreLines > 0 ? { moreLines, morePieces } : {}
      return {
        title: modificationTitle(row),
        brief: { kind: 'modification', reason, locationCode, lines, ...others },
      }
    },
    isTaken: ({ serverId }) => modifications.isOurs(serverId),
    // `takeBack` puts the booking into the draft and ends its command in one transaction. The parameter `takeOut` of
    // `edit` would do the same, so it is not used
    edit({ subject }) {
      const taken = takeBack(subject.id)
      return taken.ok ? ok({ place: 'modification' }) : taken
    },
    moved,
    decided: moved,
  }
}

/**
 * POST /wms/modifications/. The API has no idempotency key, so a marker in the note identifies this booking at the
 * service.
 */
export function createModification(parts: ModificationCommandParts): CommandType<'modification'> {
  const { api, ledgers } = parts
  const { modifications } = ledgers
  const twins = new Twins(parts)
  const readBack = async (command: CommandRow<'modification'>): Promise<ReadBack> =>
    asReadBack(await lookForModification(parts, command, recentLists(parts), 'proof'))
  return {
    role: 'MODIFICATIONS_CREATE',
    isRepeatable: false,
    readBack,
    async prepare(command, hasWaited) {
      const row = modifications.get(command.subject.id)
      if (!row) return { kind: 'go', baseline: null, serviceTime: null }
      if (command.endedAt === null) return checkNewModification(parts, twins, { command, row, hasWaited })
      const known = asPreparation(await readBack(command), command)
      if (known) return known
      return checkNewModification(parts, twins, { command, row, hasWaited: false })
    },
    build(command) {
      const row = modifications.get(command.subject.id)
      if (!row) return () => Promise.resolve({ kind: 'not_sent', failure: failure('modification.unknown') })
      const body = toWire(row)
      return async (token) => {
        const outcome = await api.write(token, routes.createModification, { body })
        return mapOutcome(await checkCreated(parts, row, outcome), modificationAnswer)
      }
    },
    async explain(command) {
      if (command.endedAt === null) return null
      // looks for the booking: the service refused this attempt, but an earlier attempt may have arrived
      const seen = await readBack(command)
      if (seen.kind === 'found') return { kind: 'met', answer: seen.answer }
      return seen.kind === 'unreadable' && !seen.isRefused ? seen : null
    },
    sightings: (command, lists) => lookForModification(parts, command, lists, 'sight'),
    async neighbours(command, lists) {
      const row = modifications.get(command.subject.id)
      const found = row && (await twins.afterSend(row, command, lists))
      if (found?.ok === false) return found.isRefused ? [] : null
      return found?.matches.map(toSeen) ?? []
    },
  }
}

function toWire({ id, note, reason, locationId, lines }: ModificationRow): ModificationCreate {
  return {
    note: markNote(note, id),
    reason,
    modification_lines: lines.map(({ variant, quantity }) => ({
      variant: variant.id,
      location: locationId,
      quantity,
    })),
  }
}

/**
 * Maximum number of bookings that are read one by one because their note is missing or cut. If there are more such
 * bookings, and no booking that was read has the marker, only an operator can decide about the result.
 */
const mostOpened = 25

/**
 * Looks for a sent modification at the service. The marker in the note identifies the modification. The status of the
 * modification does not matter, because the warehouse may have approved the modification already. If the service
 * returns a booking with the same reason and lines, but its note is missing or cut, only an operator can decide whether
 * it is this booking. `need` is `proof` if the desk can send the booking again after the look has not found it. Then a
 * list that does not prove that the booking is missing (`showsEarlier`) counts as unreadable.
 */
async function lookForModification(
  parts: ModificationCommandParts,
  command: CommandRow<'modification'>,
  lists: RecentLists,
  need: 'proof' | 'sight',
): Promise<Sightings> {
  const row = parts.ledgers.modifications.get(command.subject.id)
  if (!row || command.firstSentAt === null) return { kind: 'seen', matches: [] }
  const last = Math.max(command.firstSentAt, command.endedAt ?? 0)
  const { rows, older, trouble } = await lists.modifications({
    first: command.firstSentAt,
    last,
    firstLocal: command.createdAt,
  })
  const listed = [...rows, ...older]
  const own = listed.filter((one) => one.id !== row.serverId && hasMarker(one.note, row.id))
  if (own.length > 0)
    return { kind: 'seen', matches: modificationMatches(oldestFirst(own), row, parts.nameVariant) }
  if (trouble) return { kind: 'unreadable', ...trouble, alike: [] }
  if (need === 'proof' && !showsEarlier(parts, command, listed))
    return { kind: 'unreadable', failure: failure('api.malformed_answer'), isRefused: false, alike: [] }
  // leaves out the bookings that the operator has excluded as the result of the command
  const excluded = new Set<string>(command.acknowledged)
  const doubtful = rows.filter(
    (one) => one.reason === row.reason && saysNothing(one.note, row) && !excluded.has(one.id),
  )
  return doubtful.length === 0 || row.serverId !== null
    ? { kind: 'seen', matches: [] }
    : compareLines(parts, row, doubtful)
}

/**
 * Whether a list can prove that the service lacks the wanted booking: the list must contain a booking that was noted
 * before the first attempt. A wrong response, such as an empty page, contains neither the noted booking nor the wanted
 * one, so it proves nothing. If no booking was noted, a list with any booking counts as proof; an empty list counts
 * only if none of this desk's newest bookings has arrived yet.
 */
function showsEarlier(
  { ledgers: { modifications } }: ModificationCommandParts,
  { baseline }: CommandRow,
  listed: readonly Modification[],
): boolean {
  if (baseline?.length) return listed.some(({ id }) => baseline.includes(idHash(id)))
  return listed.length > 0 || modifications.recent(mostOpened).every(({ serverId }) => serverId === null)
}

/**
 * Checks the response to a creation. Returns it as ambiguous if it describes a booking that this command cannot have
 * created; a look then searches for the created booking. If the response has neither the marker nor lines, reads the
 * booking by its id and returns the read booking. The outcome is ambiguous if this read fails, or if the read booking
 * cannot be the created one.
 */
async function checkCreated(
  parts: ModificationCommandParts,
  row: ModificationRow,
  outcome: ApiOutcome<Modification>,
): Promise<ApiOutcome<Modification>> {
  const { api, session } = parts
  const own = unlessAnother(outcome, (made) => isAnother(parts, row, made))
  if (own.kind !== 'answer' || hasMarker(own.value.note, row.id) || hasLines(own.value)) return own
  const { id } = own.value
  const read = await session.withAccess((token) => api.getModification(token, id), 'observePage')
  if (read.kind !== 'answer') return unlessAnother(own, () => true)
  return unlessAnother({ ...own, value: read.value }, (made) => isAnother(parts, row, made))
}

/**
 * Whether the response to a creation describes a booking that this command cannot have created: another booking of this
 * desk, or a booking without the marker that has another note, another reason or other lines. A proxy that confuses
 * responses sends such a response. A service may cut the note or leave out the note, the lines or their locations, so
 * what the response does not contain is not compared.
 */
function isAnother(
  { ledgers: { modifications } }: ModificationCommandParts,
  row: ModificationRow,
  made: Modification,
): boolean {
  if (made.id !== row.serverId && modifications.isOurs(made.id)) return true
  if (hasMarker(made.note, row.id)) return false
  if (made.reason !== row.reason || !isStartOfNote(made.note, row)) return true
  return hasLines(made) && !hasSameLines(withLocations(made, row), row)
}

function hasLines({ modification_lines: lines = [] }: Modification): boolean {
  return lines.length > 0
}

/** Returns the booking with the location of `row` in each line for which the service returned no location. */
function withLocations(made: Modification, { locationId: id }: ModificationRow): Modification {
  const lines = made.modification_lines?.map((line) => ({ ...line, location: line.location ?? { id } }))
  return { ...made, modification_lines: lines }
}

/** Whether the note is missing or was cut by the service, so that it may have lost its marker. */
function saysNothing(note: string | null, row: ModificationRow): boolean {
  return markersIn(note).length === 0 && isStartOfNote(note, row)
}

/** Whether the note is empty or is the start of the note that this desk sends for the booking. */
function isStartOfNote(note: string | null, row: ModificationRow): boolean {
  return squeeze(markNote(row.note, row.id)).startsWith(squeeze(note ?? ''))
}

function squeeze(text: string): string {
  return text.replaceAll(/\s+/g, '').toLowerCase()
}

async function compareLines(
  parts: ModificationCommandParts,
  row: ModificationRow,
  doubtful: readonly Modification[],
): Promise<Sightings> {
  const { api, session, ledgers } = parts
  const { modifications } = ledgers
  const own: Modification[] = []
  const alike: Modification[] = []
  for (const { id } of doubtful.slice(0, mostOpened)) {
    const outcome = await session.withAccess((token) => api.getModification(token, id), 'observePage')
    if (refusalReason(outcome) === 'gone') continue
    if (outcome.kind !== 'answer')
      return { kind: 'unreadable', failure: outcome.failure, isRefused: isFinalRefusal(outcome), alike: [] }
    const modification = outcome.value
    if (hasMarker(modification.note, row.id)) own.push(modification)
    else if (
      saysNothing(modification.note, row) &&
      hasSameLines(modification, row) &&
      !modifications.isOurs(id)
    )
      alike.push(modification)
  }
  if (own.length > 0)
    return { kind: 'seen', matches: modificationMatches(oldestFirst(own), row, parts.nameVariant) }
  if (alike.length === 0 && doubtful.length <= mostOpened) return { kind: 'seen', matches: [] }
  const noMarker = failure('modification.outcome_unknown', { cause: 'no_marker' })
  const records = modificationMatches(oldestFirst(alike), row, parts.nameVariant).map(toSeen)
  return { kind: 'unreadable', failure: noMarker, isRefused: true, alike: records }
}

function hasSameLines(modification: Modification, row: ModificationRow): boolean {
  return lineKeysOf(modification).toSorted().join() === bookedLineKeys(row).toSorted().join()
}

function oldestFirst(rows: readonly Modification[]): Modification[] {
  return rows.toSorted((a, b) => Date.parse(a.created_at) - Date.parse(b.created_at))
}
