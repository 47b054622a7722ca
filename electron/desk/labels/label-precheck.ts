import type { ServerLabelId } from '#shared/domain/ids.ts'
import { idHash } from '#shared/domain/id-hash.ts'
import type { Instant, IsoInstant } from '#shared/domain/instants.ts'
import type { BriefLabel } from '#shared/domain/label-codes.ts'
import { isOwnReference } from '#shared/domain/references.ts'
import type { Failure } from '#shared/errors/catalogue.ts'
import { alikeOldestFirst, alikeTo, oldestOf } from './created-label.ts'
import { listRecentLabels, type RecentLabels } from './recent-labels.ts'
import { readShipmentLabel } from './label-reader.ts'
import { labelMatch } from './label-records.ts'
import {
  changed,
  type CommandTypesParts,
  orUnseen,
  type Preparation,
  roleMissing,
  stopOf,
} from '../outbox/command-type.ts'
import { emptyListFailure, WalkPause } from '../outbox/recent-lists.ts'
import { toSeen } from '../outbox/seen-records.ts'
import type { CommandRow, SeenRecord } from '../ports/commands.ts'
import type { LabelLedger, LabelRow } from '../ports/label-ledger.ts'
import type { LabelIndexStore } from '../ports/recent-store.ts'
import { isLastPage, isUnreadableList, refusalReason } from '../service/answers.ts'

/** What the command types for labels need: the service, the ledger of labels, clocks, and the copy of the list. */
export interface LabelCommandParts extends CommandTypesParts<'labels'> {
  readonly labelIndex: Pick<LabelIndexStore, 'search'>
}

/**
 * Returns the checks and notes that are necessary immediately before each attempt to send a creation. The checks find
 * labels of other desks, so that the operator is asked before a second label is made (`checkNewLabel`). The notes are
 * hashes of the ids of the labels that exist now (`noteThere`): a label that is found after the attempt and was not
 * noted may be its result. `hasWaited`: see `LabelCheck`.
 */
export function createFirstPreparation(
  parts: LabelCommandParts,
): (command: CommandRow<'return_label'>, hasWaited: boolean) => Promise<Preparation> {
  const { ledgers, now } = parts
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
        listRecentLabels(parts, requestTime, now(), isAlike, command.createdAt),
      ),
      shipmentId === null ? null : readShipmentLabel(parts, shipmentId, label?.shipmentReference ?? null),
    ])
    const unlisted = recent.ok ? null : orUnseen(stopOfList(recent, hasWaited), command)
    if (unlisted) return unlisted
    const serviceTime = recent.ok ? recent.serviceTime : null
    // the labels of `recent.older` are searched too, because they are certainly older than the request only if the Date
    // header of the service is right. The similar labels of `recent.beyond` are noted, but `checkNewLabel` gets them
    // only if this desk generated the reference: such a reference identifies a label of any time. Otherwise the labels
    // of `recent.beyond` may be old labels that were cancelled, which the list shows like other labels
    const beyond = recent.ok && label ? alikeOldestFirst(recent.beyond, label) : []
    const searched = recent.ok ? [...recent.labels, ...recent.older] : []
    const isOwn = isOwnReference(label?.wishedReference ?? null)
    const alike = label ? alikeOldestFirst(isOwn ? [...searched, ...beyond] : searched, label) : []
    const requestedAt = Math.min(requestTime(serviceTime ?? now()), command.createdAt)
    const check = label && { command, label, alike, isListed: recent.ok, named, hasWaited, requestedAt }
    const stop = check && (await checkNewLabel(parts, check))
    if (stop) return stop
    const wrong = recent.ok ? await wrongEmptiness(parts, recent) : null
    const empty = wrong && orUnseen({ kind: 'not_now', failure: wrong }, command)
    if (empty) return empty
    // `baseline` contains the ids of the similar and the newest labels that exist before the attempt. It is null if
    // this login has no right to list labels, or if the list is unreadable or wrong. In that case it would have no use,
    // because the search for the created label after the attempt reads the same list
    const baseline = recent.ok && !wrong ? noteThere(alike, beyond, recent) : null
    return { kind: 'go', baseline, serviceTime }
  }
}

/**
 * Returns the stop that follows from a list of labels that could not be read. Null: this login has no right to read the
 * list, and the command has not waited.
 */
function stopOfList(
  { failure, isRefused }: Extract<RecentLabels, { ok: false }>,
  hasWaited: boolean,
): Preparation | null {
  if (!isRefused) return { kind: 'not_now', failure }
  return hasWaited ? roleMissing(failure) : null
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
    session.withAccess((token) => api.getReturnLabel(token, id), 'observePage'),
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
export const mostLedgerRows = 25

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

/** Data for the checks that run immediately before each attempt to send a creation. */
interface LabelCheck {
  readonly command: CommandRow<'return_label'>
  readonly label: LabelRow
  /** Recent labels of the same shipment, or with the same reference if the label is created by hand; oldest first. */
  readonly alike: readonly BriefLabel[]
  /**
   * Whether the list of labels was read. False: the service refuses the list to this login, or the operator decided to
   * send the label without it (`sendsUnseen`).
   */
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
  const byMethod = methodId === null ? null : orUnseen(await checkMethod(parts, methodId), command)
  if (byMethod) return byMethod
  // the form keeps the generated reference of a refused label (`toLabelDraft`). A label with this reference is the
  // result of the refused creation, so it may be older than the operator's new request
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
    const outcome = await session.withAccess((token) => api.listShippingMethods(token, page), 'observePage')
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
 *   is a failure that is not a refusal, if two conditions hold. First, the deprecated path returned no label (`isNamed`
 *   is not set). Second, the list of labels was read (`isListed`), or an operator decided to send the label without the
 *   list and the failure may concern only this read.
 * - A stop, so that the creation is not sent now: in every other case. `orUnseen` may replace it by null.
 */
function readNamed(
  named: Awaited<ReturnType<typeof readShipmentLabel>>,
  { command, isListed, hasWaited }: LabelCheck,
): SeenRecord | Preparation | null {
  if (named.kind === 'answer') return toSeen(labelMatch(named.value))
  const isRefused = named.kind === 'refused'
  if (isRefused && refusalReason(named) === 'role' && !hasWaited) return null
  const stop = isRefused ? stopOf(named) : ({ kind: 'not_now', failure: named.failure } as const)
  // a label that the service has named exists, so the creation waits until its record can be read
  if (named.isNamed) return isUnreadableList(named.failure) ? orUnseen(stop, command) : stop
  return isListed && !isRefused ? null : orUnseen(stop, command)
}
