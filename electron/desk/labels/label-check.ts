import type { ReturnLabel } from '#shared/wire/return-label.ts'
import type { ShipmentReturnLabel } from '#shared/wire/shipment.ts'
import type { ApiOutcome } from '../ports/api.ts'
import { isLastPage } from '../service/last-page.ts'
import type { CommandTypesParts, Preparation } from '../outbox/command-type.ts'
import { toSeen } from '../outbox/command-type.ts'
import type { CommandRow, SeenRecord } from '../ports/commands.ts'
import type { LabelRow } from '../ports/label-ledger.ts'
import { labelMatch, shipmentLabelMatch } from './label-records.ts'
import { changed, stopOf } from '../outbox/waited-check.ts'

/** What is known of the service right before a creation is sent for the first time. */
export interface LabelCheck {
  readonly command: CommandRow
  readonly label: LabelRow
  /** Labels of the same shipment, or by hand of the same reference, of the last minutes, oldest first. */
  readonly alike: readonly ReturnLabel[]
  /** Whether the list of labels was read; the service may refuse it to this login. */
  readonly isListed: boolean
  /** The label that the shipment itself names; null: by hand, there is no shipment to ask. */
  readonly named: ApiOutcome<ShipmentReturnLabel> | null
  /** The operator asked for it a while ago: the method may be gone, the rights may have changed. */
  readonly hasWaited: boolean
  /** When the operator asked for it, by the service's clock. */
  readonly askedAt: number
}

/**
 * Stops a creation where the service has a label of the same shipment that another desk made and that the operator did
 * not know of when pressing: a second label costs money, so the operator is asked. By hand: a label of the same
 * reference made since. Of one that has waited, the method is checked too. Null: nothing stands in the way.
 */
export async function checkNewLabel(
  parts: CommandTypesParts,
  check: LabelCheck,
): Promise<Preparation | null> {
  const { command, label, alike, named, hasWaited, askedAt } = check
  const methodId = hasWaited ? label.shippingMethodId : null
  const byMethod = methodId === null ? null : await checkMethod(parts, methodId)
  if (byMethod) return byMethod
  const isNews = (id: string, madeAt: string): boolean =>
    !isMadeHere(parts, id) &&
    !command.acknowledged.includes(id) &&
    (label.shipmentId !== null || Date.parse(madeAt) >= askedAt)
  const records = alike
    .filter(({ id, created_at: madeAt }) => isNews(id, madeAt))
    .map((one) => toSeen(labelMatch(one)))
  const more = named && readNamed(named, check)
  if (more && 'kind' in more) return more
  const isMore =
    more !== null &&
    isNews(more.record.serverId, more.record.createdAt) &&
    !records.some((one) => one.record.serverId === more.record.serverId)
  const all = isMore ? [more, ...records] : records
  return all.length > 0 ? { kind: 'ask', question: { kind: 'exists', records: all }, failure: null } : null
}

/** Whether this desk made that label of the service, or took it for one it was to make. */
export function isMadeHere({ labels }: Pick<CommandTypesParts, 'labels'>, serverId: string): boolean {
  return labels.byServerId(serverId)?.origin === 'desk'
}

/** Beyond that the service itself will say whether the method is there. */
const mostMethodPages = 100

async function checkMethod(
  { api, session }: CommandTypesParts,
  methodId: string,
): Promise<Preparation | null> {
  let longest: number | null = null
  for (let page = 1; page <= mostMethodPages; page++) {
    const outcome = await session.withAccess((token) => api.listShippingMethods(token, page))
    if (outcome.kind !== 'answer') return stopOf(outcome)
    const { rows, skipped } = outcome.value
    // one that cannot be read may be the one: the service itself will say
    if (rows.some(({ id }) => id === methodId) || skipped.length > 0) return null
    const length = rows.length + skipped.length
    if (isLastPage(length, longest)) return changed('return_label.method_gone')
    longest = Math.max(longest ?? 0, length)
  }
  return null
}

/**
 * The label that the shipment names, as a record; a stop where the login or the service's patience is in question; null:
 * none, or no word of it. The path is deprecated (api.md, Shipments): a service without it may fail there in any way, so
 * where the list was read that has to do.
 */
function readNamed(
  named: ApiOutcome<ShipmentReturnLabel>,
  { label: { shipmentId, shipmentReference }, isListed, hasWaited }: LabelCheck,
): SeenRecord | Preparation | null {
  if (shipmentId === null) return null
  if (named.kind === 'answer') return toSeen(shipmentLabelMatch(named.value, shipmentId, shipmentReference))
  if (named.kind === 'refused') return named.status === 403 && !hasWaited ? null : stopOf(named)
  return isListed ? null : { kind: 'not_now', failure: named.failure }
}
