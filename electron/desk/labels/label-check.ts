import type { ReturnLabel } from '#shared/wire/return-label.ts'
import { isLastPage } from '../service/last-page.ts'
import type { CommandTypesParts, Preparation } from '../outbox/command-type.ts'
import { toSeen } from '../outbox/command-type.ts'
import type { CommandRow, SeenRecord } from '../ports/commands.ts'
import type { LabelRow } from '../ports/label-ledger.ts'
import { labelMatch, shipmentLabelMatch } from './label-records.ts'
import { changed, stopOf } from '../outbox/waited-check.ts'

/**
 * What may have changed since the operator asked for a label that waited: its method is gone, or somebody else made a
 * label of the same shipment (by hand: of the same reference). `askedAt` by the service's clock. Null: nothing.
 */
export async function checkNewLabel(
  parts: CommandTypesParts,
  command: CommandRow,
  label: LabelRow,
  alike: readonly ReturnLabel[],
  askedAt: number,
): Promise<Preparation | null> {
  const byMethod = label.shippingMethodId === null ? null : await checkMethod(parts, label.shippingMethodId)
  if (byMethod) return byMethod
  const isNew = (id: string, madeAt: string): boolean =>
    Date.parse(madeAt) >= askedAt && !parts.labels.isClaimed(id) && !command.acknowledged.includes(id)
  const records = alike
    .filter(({ id, created_at: madeAt }) => isNew(id, madeAt))
    .map((one) => toSeen(labelMatch(one)))
  const named = await labelOfShipment(parts, label)
  if (named && 'kind' in named) return named
  const { serverId, createdAt } = named?.record ?? { serverId: '', createdAt: '' }
  const isMore =
    named && isNew(serverId, createdAt) && !records.some((one) => one.record.serverId === serverId)
  const all = isMore ? [...records, named] : records
  return all.length > 0 ? { kind: 'ask', question: { kind: 'exists', records: all }, failure: null } : null
}

async function checkMethod(
  { api, session }: CommandTypesParts,
  methodId: string,
): Promise<Preparation | null> {
  let longest: number | null = null
  for (let page = 1; ; page++) {
    const outcome = await session.withAccess((token) => api.listShippingMethods(token, page))
    if (outcome.kind !== 'answer') return stopOf(outcome)
    const { rows, skipped } = outcome.value
    // one that cannot be read may be the one: the service itself will say
    if (rows.some(({ id }) => id === methodId) || skipped.length > 0) return null
    const length = rows.length + skipped.length
    if (isLastPage(length, longest)) return changed('return_label.method_gone')
    longest = Math.max(longest ?? 0, length)
  }
}

/** The label that the shipment itself names (deprecated, and answered all the same); null: none. */
async function labelOfShipment(
  { api, session }: CommandTypesParts,
  { shipmentId, shipmentReference }: LabelRow,
): Promise<SeenRecord | Preparation | null> {
  if (shipmentId === null) return null
  const outcome = await session.withAccess((token) => api.getShipmentReturnLabel(token, shipmentId))
  if (outcome.kind === 'ambiguous') return null
  if (outcome.kind !== 'answer') return stopOf(outcome)
  return toSeen(shipmentLabelMatch(outcome.value, shipmentId, shipmentReference))
}
