import type { ServerLabelId } from '#shared/domain/ids.ts'
import { isOpen } from '#shared/domain/command-state.ts'
import { idHash } from '#shared/domain/id-hash.ts'
import type { Instant, IsoInstant } from '#shared/domain/instants.ts'
import type { BriefLabel } from '#shared/domain/label-codes.ts'
import { isOwnReference, isSameId } from '#shared/domain/references.ts'
import { type Failure, failure } from '#shared/errors/catalogue.ts'
import { type ReturnLabelCreate, returnLabelRequest } from '#shared/wire/return-label.ts'
import { routes } from '#shared/wire/routes.ts'
import { checkCreatedLabel, referenceForm } from './created-label.ts'
import { listRecentLabels, type RecentLabels } from './recent-labels.ts'
import { readShipmentLabel } from './label-reader.ts'
import { labelMatch, toLabelAnswer } from './label-records.ts'
import {
  asPreparation,
  asReadBack,
  changed,
  type CommandType,
  type CommandTypesParts,
  mapOutcome,
  orUnseen,
  type Preparation,
  type ReadBack,
  roleMissing,
  type Sightings,
  stopOf,
} from '../outbox/command-type.ts'
import { emptyListFailure, type RecentLists, recentLists, WalkPause } from '../outbox/recent-lists.ts'
import { mostRecords, toSeen } from '../outbox/seen-records.ts'
import { type CommandRow, sameEventMs, type SeenRecord } from '../ports/commands.ts'
import type { LabelLedger, LabelRow } from '../ports/label-ledger.ts'
import type { LabelIndexStore } from '../ports/recent-store.ts'
import { isLastPage, refusalReason } from '../service/answers.ts'

/** What the command types for labels need: the service, the ledger of labels, clocks, and the copy of the list. */
export interface LabelCommandParts extends CommandTypesParts<'labels'> {
  readonly labelIndex: Pick<LabelIndexStore, 'search'>
}

/**
 * POST /wms/return-labels/. The service has no idempotency key. Therefore the command notes the similar labels that
 * exist before the first attempt: labels for the same shipment or, if the label has no shipment, with the same external
 * reference. A similar label that a look finds later can be the result of this command only if it was not noted and
 * belongs to no other command.
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
      return orUnseen(await prepareFirst(command, false), command)
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
      // after an earlier attempt the service may refuse because that attempt has created a label with this reference
      if (command.endedAt === null) return null
      const seen = await readBack(command)
      if (seen.kind === 'found') return { kind: 'met', answer: seen.answer }
      return seen.kind === 'unreadable' && !seen.isRefused ? seen : null
    },
    // a creation that was sent once and is done may have two labels too: this desk may have adopted the label of another
    // desk, and the label of the creation arrives late
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
 * Looks for the label of a creation. `need` is `proof` if the creation can be sent again after no label was found. A
 * list that proves nothing (`showsEarlier`) then counts as unreadable.
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
    // the first attempt
    if (matches.length === 0 && recent.skipped.some(({ id }) => id === null || !wasThere(id)))
      return { kind: 'unreadable', failure: failure('api.malformed_answer'), isRefused: false, alike: [] }
    if (matches.length > 0 && isCreatedAgain(parts, label))
      return { kind: 'unreadable', failure: outcomeUnknown, isRefused: false, alike: [] }
    // the operator decides between two cases. Either the Date header is ahead of the clock of the records, or the clock
    // of one machine of the service is behind, and the label may be the wanted one. Or the label is an earlier one,
    // which the check before the first attempt did not read
    const older = oldestOf(alikeOldestFirst(earlier, label), isNews)
    if (matches.length === 0 && older.length > 0) {
      const similar = older.map((one) => toSeen(labelMatch(one)))
      return { kind: 'unreadable', failure: outcomeUnknown, isRefused: true, alike: similar }
    }
    // if no labels were noted before the first attempt, the similar labels may be older than the attempt
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
 * it proves nothing. If no row was noted, a list with any row counts as proof; an empty list counts only if none of this
 * desk's newest labels exists at the service. `listed`: hashes of the ids of the listed rows.
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
 * label that the operator has excluded as the result of the command.
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

function createFirstPreparation(
  parts: LabelCommandParts,
): (command: CommandRow<'return_label'>, hasWaited: boolean) => Promise<Preparation> {
  const { api, session, ledgers, now } = parts
  const { labels } = ledgers
  const pause = new WalkPause<RecentLabels>(parts, (recent) => (recent.ok ? null : recent))
  return async (command, hasWaited) => {
    const label = labels.get(command.subject.id)
    // converts the time of the operator's request to the service's clock. The result is never in the future, although
    // the PC clock may have been set back after the request
    const requestTime = (serviceTime: Instant): number =>
      Math.min(command.createdAt + serviceTime - now(), serviceTime)
    const shipmentId = label?.shipmentId ?? null
    const isAlike = label ? alikeTo(label) : () => false
    const [recent, named] = await Promise.all([
      pause.walk(Math.min(command.createdAt, now()), () =>
        listRecentLabels(api, session, requestTime, now(), isAlike, command.createdAt),
      ),
      shipmentId === null ? null : readShipmentLabel(parts, shipmentId, label?.shipmentReference ?? null),
    ])
    if (!recent.ok && !recent.isRefused) return { kind: 'not_now', failure: recent.failure }
    if (!recent.ok && hasWaited) return roleMissing(recent.failure)
    const serviceTime = recent.ok ? recent.serviceTime : null
    // `recent.older` are older labels only if the Date header of the service is right. The similar labels of
    // `recent.beyond` are noted, but `checkNewLabel` gets them only if this desk generated the reference, because such
    // a reference identifies a label of any time. Otherwise they may be old labels that were cancelled, which the list
    // shows like other labels
    const beyond = recent.ok && label ? alikeOldestFirst(recent.beyond, label) : []
    const searched = recent.ok ? [...recent.labels, ...recent.older] : []
    const isOwn = isOwnReference(label?.wishedReference ?? null)
    const alike = label ? alikeOldestFirst(isOwn ? [...searched, ...beyond] : searched, label) : []
    const requestedAt = Math.min(requestTime(serviceTime ?? now()), command.createdAt)
    const check = label && { command, label, alike, isListed: recent.ok, named, hasWaited, requestedAt }
    const stop = check && (await checkNewLabel(parts, check))
    if (stop) return stop
    const wrong = recent.ok ? await wrongEmptiness(parts, recent) : null
    if (wrong) return { kind: 'not_now', failure: wrong }
    // `baseline` contains the ids of the similar and the newest labels that exist before the attempt. It is null if this
    // login has no right to list labels. In that case it would have no use, because the search for the created label
    // after the attempt reads the same list
    const baseline = recent.ok ? noteThere(alike, beyond, recent) : null
    return { kind: 'go', baseline, serviceTime }
  }
}

/** Returns a failure if the list of labels is empty although the service has a label that this desk knows. */
async function wrongEmptiness(
  { api, session, ledgers: { labels }, labelIndex }: LabelCommandParts,
  { listed, skipped }: Extract<RecentLabels, { ok: true }>,
): Promise<Failure | null> {
  if (listed.size > 0 || skipped.length > 0) return null
  const own = labels.recent(mostLedgerRows).find(({ serverId }) => serverId !== null)
  const copied = await labelIndex.search('', 1, () => true)
  const known = [own?.serverId, copied.labels[0]?.serverId].filter((id) => id != null)
  return emptyListFailure([...new Set(known)], (id) =>
    session.withAccess((token) => api.getReturnLabel(token, id)),
  )
}

/**
 * Maximum number of similar labels that a command notes before its first attempt. The same maximum applies separately
 * to the unreadable rows.
 */
const mostNoted = 1_000
/**
 * Maximum number of the newest labels that a command notes too, whether or not they are similar. One would be enough
 * for `showsEarlier`, but the service may remove that label.
 */
const mostNewest = 5
/** Maximum number of this desk's newest labels that `showsEarlier` and `wrongEmptiness` read. */
const mostLedgerRows = 25

/**
 * Returns hashes of the ids of similar labels, unreadable rows and the newest labels that exist before the first
 * attempt; null if more than `mostNoted` similar labels exist. `beyond`: the similar labels of `RecentLabels.beyond`,
 * oldest first; if there are too many, the oldest are left out. The command notes these ids. If a later look finds an
 * unreadable row that was not noted, or none of the noted rows, the desk asks the operator.
 */
function noteThere(
  alike: readonly BriefLabel[],
  beyond: readonly BriefLabel[],
  { skipped, listed }: Extract<RecentLabels, { ok: true }>,
): readonly string[] | null {
  if (alike.length > mostNoted) return null
  const unreadable = skipped.flatMap(({ id }) => id ?? []).slice(0, mostNoted)
  const labels = [...alike, ...beyond.toReversed()].slice(0, mostNoted)
  const similar = [...labels.map(({ id }) => id), ...unreadable].map(idHash)
  return [...new Set([...similar, ...[...listed].slice(0, mostNewest)])]
}

/**
 * Returns similar labels of the same shipment from other desks. Leaves out labels that the operator has seen, and
 * labels that were created more than `sameEventMs` before this label, or before the first attempt to create it if the
 * list does not contain it. Null: the service cannot return the labels now.
 */
async function findNeighbours(
  parts: LabelCommandParts,
  { subject, acknowledged, firstSentAt }: CommandRow<'return_label'>,
  lists: RecentLists,
): Promise<readonly SeenRecord[] | null> {
  const label = parts.ledgers.labels.get(subject.id)
  if (!label || label.shipmentId === null || label.cancelled || firstSentAt === null) return []
  const recent = await lists.labels(firstSentAt, alikeTo(label))
  if (!recent.ok) return recent.isRefused ? [] : null
  const listed = [...recent.labels, ...recent.older]
  // the label's own time and the times of the other labels come from the same clock; the time of the attempt may not
  const own = listed.find(({ id }) => id === label.serverId)
  const createdAt = own ? Date.parse(own.created_at) : firstSentAt
  const isTheirs = ({ id, created_at: at }: BriefLabel): boolean =>
    Date.parse(at) >= createdAt - sameEventMs &&
    !acknowledged.includes(id) &&
    !isMadeHere(parts.ledgers.labels, id)
  return oldestOf(alikeOldestFirst(listed, label), isTheirs).map((one) => toSeen(labelMatch(one)))
}

/** Returns the body of the call. The payload of a creation is never null. */
function bodyOf({ payload }: CommandRow<'return_label'>): ReturnLabelCreate {
  return returnLabelRequest.parse(JSON.parse(payload ?? 'null'))
}

/** Returns the listed labels that may be the wanted label. */
function alikeOldestFirst(all: readonly BriefLabel[], wanted: LabelRow): BriefLabel[] {
  // each time is parsed once, because a service may list thousands of labels of one shipment
  const dated = all.filter(alikeTo(wanted)).map((one) => ({ one, at: Date.parse(one.created_at) }))
  return dated.sort((a, b) => a.at - b.at).map(({ one }) => one)
}

/** Returns the first wanted labels of `all`, at most as many as a question or a notice can contain. */
function oldestOf(all: readonly BriefLabel[], isWanted: (one: BriefLabel) => boolean): BriefLabel[] {
  const found: BriefLabel[] = []
  for (const one of all) {
    if (found.length >= mostRecords) break
    if (isWanted(one)) found.push(one)
  }
  return found
}

function alikeTo(wanted: LabelRow): (one: BriefLabel) => boolean {
  const { shipmentId } = wanted
  const reference = referenceForm(wanted.wishedReference ?? '')
  return ({ external_reference: listed, shipment }) =>
    shipmentId === null
      ? reference !== '' && referenceForm(listed ?? '') === reference
      : !!shipment && isSameId(shipment.id, shipmentId)
}

/** Data for the checks that run immediately before each attempt to send a creation. */
interface LabelCheck {
  readonly command: CommandRow<'return_label'>
  readonly label: LabelRow
  /** Recent labels of the same shipment, or with the same reference if the label is created by hand; oldest first. */
  readonly alike: readonly BriefLabel[]
  /** Whether the list of labels was read. False: the service refuses this list to the signed-in user. */
  readonly isListed: boolean
  /** The response to the read of the shipment's label; null for a label without a shipment. */
  readonly named: Awaited<ReturnType<typeof readShipmentLabel>> | null
  /** Whether the command has waited. During a wait the shipping method may be removed and the rights may change. */
  readonly hasWaited: boolean
  /** When the operator requested the label: by the clock of the service or of this PC, whichever is earlier. */
  readonly requestedAt: Instant
}

/**
 * Returns a stop if the shipment already has a label that another desk created and that the operator has not seen. The
 * desk then asks the operator, because a second label costs money. For a label without a shipment, the stop depends on
 * the reference instead: another desk has created a label with the same reference since the operator's request, or a
 * label of any time has the reference that this desk generated. Also returns a stop if the label of the shipment could
 * not be read and the kind of this failure requires a stop (`readNamed`). If the creation has waited, its shipping
 * method is checked too. Null: nothing prevents the creation.
 */
async function checkNewLabel(parts: LabelCommandParts, check: LabelCheck): Promise<Preparation | null> {
  const { command, label, alike, named, hasWaited, requestedAt } = check
  const methodId = hasWaited ? label.shippingMethodId : null
  const byMethod = methodId === null ? null : await checkMethod(parts, methodId)
  if (byMethod) return byMethod
  // the form keeps the generated reference of a refused label (`toLabelDraft`). A label with this reference is the result
  // of the refused creation, so it may be older than the operator's new request
  const isTimeless = label.shipmentId !== null || isOwnReference(label.wishedReference)
  const isNews = (id: ServerLabelId, madeAt: IsoInstant): boolean =>
    !command.acknowledged.includes(id) &&
    (isTimeless || Date.parse(madeAt) >= requestedAt) &&
    !isMadeHere(parts.ledgers.labels, id)
  const records = oldestOf(alike, ({ id, created_at: madeAt }) => isNews(id, madeAt)).map((one) =>
    toSeen(labelMatch(one)),
  )
  const more = named && readNamed(named, check)
  if (more && 'kind' in more) return more
  const isMore =
    more !== null &&
    named?.kind === 'answer' &&
    isNews(named.value.id, named.value.created_at) &&
    !alike.some(({ id }) => id === more.record.serverId)
  const all = isMore ? [more, ...records] : records
  return all.length > 0 ? { kind: 'ask', question: { kind: 'exists', records: all }, failure: null } : null
}

/** Whether this desk created the label with this server id, or adopted it as the result of a creation. */
export function isMadeHere(labels: Pick<LabelLedger, 'byServerId'>, serverId: ServerLabelId): boolean {
  return labels.byServerId(serverId)?.origin === 'desk'
}

/**
 * Maximum number of pages of shipping methods to read. If these pages do not contain the method, the creation is sent,
 * and the service checks the method.
 */
const mostMethodPages = 100

async function checkMethod(
  { api, session }: Pick<LabelCommandParts, 'api' | 'session'>,
  methodId: string,
): Promise<Preparation | null> {
  let longest: number | null = null
  for (let page = 1; page <= mostMethodPages; page++) {
    const outcome = await session.withAccess((token) => api.listShippingMethods(token, page))
    if (outcome.kind !== 'answer') return stopOf(outcome)
    const { rows, skipped } = outcome.value
    // an unreadable row of the list may be the wanted shipping method, so it does not stop the creation; the service
    // checks the method
    if (rows.some(({ id }) => id === methodId) || skipped.length > 0) return null
    const length = rows.length + skipped.length
    if (isLastPage(length, longest)) return changed('return_label.method_gone')
    longest = Math.max(longest ?? 0, length)
  }
  return null
}

/**
 * Converts the response to the read of the shipment's label. The path of this read is deprecated (API.md 7.2), and a
 * service without the path may fail in any way. Returns one of three results:
 *
 * - The record of the label, if the service returned one.
 * - Null, so that this read does not prevent the creation, in two cases. The first case is a final refusal, such as
 *   404; a refusal because of a missing role belongs to this case only if the command has not waited. The second case
 *   is a failure that is not a refusal, if the list of labels was read (`isListed`) and the deprecated path returned no
 *   label (`isNamed` is not set).
 * - A stop, so that the creation is not sent now: in every other case.
 */
function readNamed(
  named: Awaited<ReturnType<typeof readShipmentLabel>>,
  { isListed, hasWaited }: LabelCheck,
): SeenRecord | Preparation | null {
  if (named.kind === 'answer') return toSeen(labelMatch(named.value))
  if (named.kind === 'refused') return refusalReason(named) === 'role' && !hasWaited ? null : stopOf(named)
  return isListed && !named.isNamed ? null : { kind: 'not_now', failure: named.failure }
}
