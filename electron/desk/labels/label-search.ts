import type { LabelId, ServerLabelId } from '#shared/domain/ids.ts'
import type { LabelEntry, LabelList } from '#shared/bridge/label-views.ts'
import { listedLabelState } from '#shared/domain/label-phase.ts'
import { isOnPaper } from '#shared/domain/print-job.ts'
import { isoTime } from '../view-parts.ts'
import { labelFacts } from './label-view.ts'
import type { LabelHead, LabelLedger } from '../ports/label-ledger.ts'
import type { LabelIndexStore, ListedLabel } from '../ports/recent-store.ts'

export interface LabelSearchParts {
  readonly labels: LabelLedger
  readonly labelIndex: LabelIndexStore
}

const longestList = 200
/**
 * Maximum number of labels to read from each of the two sources. It exceeds the number of labels in the result, because
 * a label that is in both sources is recognised as one label only if both of its rows were read.
 */
const lookedAt = 500

/** The result of a search that has ended because a newer search began. No screen shows this result. */
const replaced: LabelList = { labels: [], found: 0, isPartial: true, asOf: null, reachesBackTo: null }

/**
 * Searches labels by part of a reference, tracking code or name; an empty text matches all labels. Returns at most
 * `longestList` labels, newest first. Searches the ledger and the copy of the service's list; a label that is in both
 * is returned once. Needs no network. The search ends early when `isWanted` returns false.
 */
export async function searchLabels(
  { labels, labelIndex }: LabelSearchParts,
  text: string,
  isWanted: () => boolean,
): Promise<LabelList> {
  const theirs = await labelIndex.search(text, lookedAt, isWanted)
  const ours = await labels.search(text, lookedAt, isWanted)
  // the store may be closed already if the search is no longer wanted, so the store is not read
  if (!isWanted()) return replaced
  const isAll = text.trim() === ''
  const entries = new Map<LabelId | ServerLabelId, LabelEntry>(
    ours.labels.map((label) => [label.id, ownEntry(label)]),
  )
  // if several rows of the ledger have the same server id, the row of a label that this desk created is preferred
  const made = new Map(ours.labels.flatMap((one) => (one.origin === 'desk' ? [[one.serverId, one]] : [])))
  let foundTwice = 0
  for (const stored of theirs.labels) {
    const own = made.get(stored.serverId) ?? labels.headByServerId(stored.serverId)
    if (own && entries.has(own.id)) foundTwice++
    if (own) entries.set(own.id, mergedEntry(own, stored))
    else entries.set(stored.serverId, foreignEntry(stored))
  }
  const state = labelIndex.state()
  return {
    labels: [...entries.values()]
      .sort((a, b) => Date.parse(b.createdAt) - Date.parse(a.createdAt))
      .slice(0, longestList),
    found: ours.found + (isAll ? labelIndex.count() : theirs.labels.length) - foundTwice,
    isPartial: theirs.isPartial && !isAll,
    asOf: state && isoTime(state.syncedAt),
    reachesBackTo: state && isoTime(state.oldest),
  }
}

function ownEntry(label: LabelHead): LabelEntry {
  return {
    labelId: label.id,
    serverId: label.serverId,
    externalReference: label.externalReference ?? label.wishedReference,
    trackingCode: label.trackingCode,
    shipmentReference: label.shipmentReference,
    senderName: label.senderName,
    senderCity: label.senderCity,
    state: listedLabelState(labelFacts(label)),
    printed: label.print !== null && isOnPaper(label.print.state, label.print.file !== null),
    createdAt: isoTime(label.createdAt),
    asOf: label.asOf === null ? null : isoTime(label.asOf),
  }
}

function foreignEntry({ requested, asOf, ...listed }: ListedLabel): LabelEntry {
  return {
    ...listed,
    labelId: null,
    state: requested ? 'requested' : 'unrequested',
    printed: false,
    asOf: isoTime(asOf),
  }
}

/**
 * Returns the label of the ledger, updated from the service's list if the list is newer. The state of a pending command
 * takes precedence over the state in the list.
 */
function mergedEntry(own: LabelHead, stored: ListedLabel): LabelEntry {
  const entry = ownEntry(own)
  if (own.asOf !== null && own.asOf >= stored.asOf) return entry
  const theirs = foreignEntry(stored)
  const isSettled = entry.state === 'unrequested' || entry.state === 'requested'
  return {
    ...entry,
    externalReference: theirs.externalReference ?? entry.externalReference,
    trackingCode: theirs.trackingCode ?? entry.trackingCode,
    shipmentReference: theirs.shipmentReference ?? entry.shipmentReference,
    state: isSettled ? theirs.state : entry.state,
    asOf: theirs.asOf,
  }
}
