import { isOpen } from '#shared/domain/command-state.ts'
import { idHash } from '#shared/domain/id-hash.ts'
import type { BriefLabel } from '#shared/domain/label-codes.ts'
import { isOwnReference } from '#shared/domain/references.ts'
import { failure } from '#shared/errors/catalogue.ts'
import { type ReturnLabelCreate, returnLabelRequest } from '#shared/wire/return-label.ts'
import { routes } from '#shared/wire/routes.ts'
import { alikeOldestFirst, alikeTo, checkCreatedLabel, oldestOf } from './created-label.ts'
import {
  createFirstPreparation,
  isMadeHere,
  type LabelCommandParts,
  mostLedgerRows,
} from './label-precheck.ts'
import { readShipmentLabel } from './label-reader.ts'
import { labelMatch, toLabelAnswer } from './label-records.ts'
import {
  asPreparation,
  asReadBack,
  type CommandType,
  mapOutcome,
  type ReadBack,
  type Sightings,
} from '../outbox/command-type.ts'
import { type RecentLists, recentLists } from '../outbox/recent-lists.ts'
import { toSeen } from '../outbox/seen-records.ts'
import { type CommandRow, sameEventMs, type SeenRecord, wasSentUnseen } from '../ports/commands.ts'
import type { LabelRow } from '../ports/label-ledger.ts'

/**
 * POST /wms/return-labels/. The service has no idempotency key. Therefore the command notes the similar labels that
 * exist before the first attempt: labels for the same shipment or, if the label has no shipment, with the same external
 * reference. A similar label that a look finds later can be the result of this command only if it was not noted, is not
 * in the ledger yet, and was not excluded by the operator.
 */
export function createLabel(parts: LabelCommandParts): CommandType<'return_label'> {
  const { api } = parts
  const look = createLook(parts)
  const readBack = async (command: CommandRow<'return_label'>): Promise<ReadBack> =>
    asReadBack(await look(command, recentLists(parts), 'proof'), !isFromShipment(parts, command))
  const prepareFirst = createFirstPreparation(parts)
  return {
    role: 'RETURN_LABELS_CREATE',
    isRepeatable: false,
    readBack,
    async prepare(command, hasWaited) {
      if (command.endedAt === null) return prepareFirst(command, hasWaited)
      const known = asPreparation(await readBack(command), command)
      if (known) return known
      // checks for other labels again, because another desk may have created a label since the first attempt
      return prepareFirst(command, false)
    },
    build(command) {
      const body = bodyOf(command)
      return async (token) => {
        const outcome = await api.write(token, routes.createReturnLabel, { body, expand: 'shipment' })
        const checked = await checkCreatedLabel(parts, command, outcome)
        return mapOutcome(checked, (label) => toLabelAnswer(label))
      }
    },
    async explain(command) {
      // looks for the label after an earlier attempt: the service may refuse because that attempt has created a label
      // with this reference
      if (command.endedAt === null) return null
      const seen = await readBack(command)
      if (seen.kind === 'found') return { kind: 'met', answer: seen.answer }
      return seen.kind === 'unreadable' && !seen.isRefused ? seen : null
    },
    // later looks also check a creation that was sent once and is done. It may have two labels too: this desk may have
    // adopted the label of another desk, and the label of the creation arrives late
    sightings: (command, lists) => look(command, lists, 'sight'),
    neighbours: (command, lists) => findNeighbours(parts, command, lists),
  }
}

/**
 * Whether the label is for a shipment. Labels that two desks create for one shipment cannot be told apart; a label
 * without a shipment is identified by its reference.
 */
function isFromShipment(
  { ledgers: { labels } }: LabelCommandParts,
  { subject }: CommandRow<'return_label'>,
): boolean {
  return labels.get(subject.id)?.shipmentId !== null
}

/**
 * Looks for the label of a creation. `need` is `proof` if the creation can be sent again after the look has found no
 * label. Then a list that does not prove that the label is missing (`showsEarlier`) counts as unreadable.
 */
type Look = (
  command: CommandRow<'return_label'>,
  lists: RecentLists,
  need: 'proof' | 'sight',
) => Promise<Sightings>

function createLook(parts: LabelCommandParts): Look {
  const { labels } = parts.ledgers
  return async (command, lists, need) => {
    const label = labels.get(command.subject.id)
    if (!label || command.firstSentAt === null) return { kind: 'seen', matches: [] }
    const recent = await lists.labels(command.firstSentAt, alikeTo(label), command.createdAt)
    if (!recent.ok) {
      const { failure, isRefused } = recent
      const alike = isRefused ? await askShipment(parts, label, command) : []
      return { kind: 'unreadable', failure, isRefused, alike }
    }
    const noted = new Set(command.baseline)
    const wasThere = (id: string): boolean => noted.has(idHash(id))
    const isNews = ({ id }: BriefLabel): boolean =>
      !wasThere(id) && !command.acknowledged.includes(id) && !labels.isClaimed(id)
    const isOwn = isOwnReference(label.wishedReference)
    // `earlier` are labels that were created before the first attempt, if the clocks of the service are right
    const earlier = [...recent.older, ...recent.beyond]
    const later = alikeOldestFirst(recent.labels, label)
    // a look after the end of the command cannot ask the operator. If there is no later label, it therefore reports the
    // earlier labels that were not noted
    const isNotice = need === 'sight' && command.baseline !== null && !later.some(isNews)
    const alike = isOwn || isNotice ? alikeOldestFirst([...later, ...earlier], label) : later
    const matches = oldestOf(alike, (one) => one.url === null && isNews(one)).map(labelMatch)
    // two signs show that another desk may have created a similar label. First, the PDF of each new similar label is
    // already requested. Another desk has requested these PDFs, because this desk requests a PDF only after the
    // creation of its label is confirmed. Second, there are several similar labels after a single attempt of this desk.
    // One attempt creates at most one label, so other desks have created the rest
    const isTheirs = matches.length === 0 && alike.some(isNews)
    if (isTheirs || (matches.length > 1 && command.attempts < 2)) {
      const theirs = oldestOf(alike, isNews).map((one) => toSeen(labelMatch(one)))
      return { kind: 'unreadable', failure: madeElsewhere, isRefused: true, alike: theirs }
    }
    // a row that cannot be read may be the label that this command created, unless the id of the row was noted before
    // the first attempt. The look then has no result and is repeated
    if (matches.length === 0 && recent.skipped.some(({ id }) => id === null || !wasThere(id)))
      return { kind: 'unreadable', failure: failure('api.malformed_answer'), isRefused: false, alike: [] }
    if (matches.length > 0 && isCreatedAgain(parts, label))
      return { kind: 'unreadable', failure: outcomeUnknown, isRefused: false, alike: [] }
    // the operator decides, because two cases are possible. In the first case the label may be the wanted one: the Date
    // header is ahead of the clock of the records, or the clock of one machine of the service is behind. In the second
    // case the label is an earlier one, which the check before the first attempt did not read
    const older = oldestOf(alikeOldestFirst(earlier, label), isNews)
    if (matches.length === 0 && older.length > 0) {
      const similar = older.map((one) => toSeen(labelMatch(one)))
      return { kind: 'unreadable', failure: outcomeUnknown, isRefused: true, alike: similar }
    }
    // without the notes from before the first attempt (`baseline`), the similar labels may be older than the attempt,
    // so the operator decides
    if (command.baseline === null && !isOwn)
      return { kind: 'unreadable', failure: outcomeUnknown, isRefused: true, alike: matches.map(toSeen) }
    if (need === 'proof' && matches.length === 0 && !showsEarlier(parts, command, recent.listed))
      return { kind: 'unreadable', failure: failure('api.malformed_answer'), isRefused: false, alike: [] }
    return { kind: 'seen', matches }
  }
}

/**
 * Whether a list can prove that the service lacks the wanted label: the list must contain a row that was noted before
 * the first attempt. A wrong response, such as an empty page, contains neither the noted rows nor the wanted label, so
 * it proves nothing. If no row was noted, a list with any row counts as proof; an empty list counts only if none of
 * this desk's newest labels exists at the service. `listed`: hashes of the ids of the listed rows.
 */
function showsEarlier(
  { ledgers: { labels } }: LabelCommandParts,
  { baseline }: CommandRow,
  listed: ReadonlySet<string>,
): boolean {
  if (baseline?.length) return baseline.some((noted) => listed.has(noted))
  return listed.size > 0 || labels.recent(mostLedgerRows).every(({ serverId }) => serverId === null)
}

const outcomeUnknown = failure('return_label.outcome_unknown', { cause: 'no_baseline' })
const madeElsewhere = failure('return_label.outcome_unknown', { cause: 'other_desk' })

/**
 * Whether this desk has sent another creation for the shipment of this label, and the outcome of that creation is still
 * open. A label in the list may be the result of that creation.
 */
function isCreatedAgain({ ledgers: { labels } }: LabelCommandParts, { id, shipmentId }: LabelRow): boolean {
  const newest = shipmentId === null ? null : labels.newestOfShipment(shipmentId)
  if (newest === null || newest.id === id || newest.create === null) return false
  return isOpen(newest.create.state) && !newest.create.isUntouched
}

/**
 * Reads the shipment's label by the id of the shipment, because this login has no right to list labels. Leaves out a
 * label that is in the ledger already, or that the operator has excluded as the result of the command.
 */
async function askShipment(
  parts: LabelCommandParts,
  { shipmentId, shipmentReference }: LabelRow,
  { acknowledged }: CommandRow,
): Promise<readonly SeenRecord[]> {
  if (shipmentId === null) return []
  const outcome = await readShipmentLabel(parts, shipmentId, shipmentReference)
  if (outcome.kind !== 'answer' || parts.ledgers.labels.isClaimed(outcome.value.id)) return []
  if (acknowledged.includes(outcome.value.id)) return []
  return [toSeen(labelMatch(outcome.value))]
}

/**
 * Returns similar labels of the same shipment from other desks. Leaves out labels that the operator has seen. Also
 * leaves out labels that were created more than `sameEventMs` before this label. If the list does not contain this
 * label, the time of the first attempt to create it counts. If the label was sent without the check and the operator's
 * request was earlier, the time of the request counts. Null: the service cannot return the labels now.
 */
async function findNeighbours(
  parts: LabelCommandParts,
  command: CommandRow<'return_label'>,
  lists: RecentLists,
): Promise<readonly SeenRecord[] | null> {
  const { subject, acknowledged, firstSentAt, createdAt: requestedAt } = command
  const label = parts.ledgers.labels.get(subject.id)
  if (!label || label.shipmentId === null || label.cancelled || firstSentAt === null) return []
  // if no list was read before the first attempt, this desk has not seen the labels since the operator's request
  // either, so the search begins at the request
  const isUnseen = wasSentUnseen(command)
  const since = isUnseen ? Math.min(firstSentAt, requestedAt) : firstSentAt
  const recent = await lists.labels(since, alikeTo(label))
  if (!recent.ok) return recent.isRefused ? [] : null
  const listed = [...recent.labels, ...recent.older]
  // uses the creation time of the label itself if the list has it: this time and the times of the other labels come
  // from the same clock; the time of the attempt may come from another clock
  const own = listed.find(({ id }) => id === label.serverId)
  const ownAt = own ? Date.parse(own.created_at) : firstSentAt
  const createdAt = isUnseen ? Math.min(ownAt, requestedAt) : ownAt
  const isTheirs = ({ id, created_at: at }: BriefLabel): boolean =>
    Date.parse(at) >= createdAt - sameEventMs &&
    !acknowledged.includes(id) &&
    !isMadeHere(parts.ledgers.labels, id)
  return oldestOf(alikeOldestFirst(listed, label), isTheirs).map((one) => toSeen(labelMatch(one)))
}

/** Returns the body of the call that creates the label. The payload of such a command is never null. */
function bodyOf({ payload }: CommandRow<'return_label'>): ReturnLabelCreate {
  return returnLabelRequest.parse(JSON.parse(payload ?? 'null'))
}
