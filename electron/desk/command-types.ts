import { failure, type Failure } from '#shared/errors/catalogue.ts'
import type { ReturnLabel } from '#shared/wire/return-label.ts'
import type { ApiOutcome, ApiPort } from './ports/api.ts'
import type { CommandRow, LabelRow, OutboxStore } from './ports/store.ts'
import { findNewLabels, isRefusal, listRecentLabels } from './recent-labels.ts'
import type { Session } from './session.ts'

/** What must be known before a try: go ahead, it has been done already, or it cannot be told now. */
export type Preparation =
  | { readonly kind: 'go'; readonly baseline: readonly string[] | null; readonly serviceTime: number | null }
  | { readonly kind: 'already'; readonly label: ReturnLabel }
  | { readonly kind: 'not_now'; readonly failure: Failure }

/** What looking for a write's effect showed. */
export type ReadBack =
  | { readonly kind: 'found'; readonly label: ReturnLabel }
  | { readonly kind: 'absent' }
  /** `isRefused`: the service will not show it, today or tomorrow. */
  | { readonly kind: 'unreadable'; readonly failure: Failure; readonly isRefused: boolean }

/** One kind of write. All that the flusher needs to know of it, so that a new kind is a new entry here. */
export interface CommandType {
  prepare(command: CommandRow, label: LabelRow): Promise<Preparation>
  send(token: string, label: LabelRow): Promise<ApiOutcome<ReturnLabel>>
  readBack(command: CommandRow, label: LabelRow): Promise<ReadBack>
  /** A 412 may mean that what was wanted is so already. */
  readonly mayBeMet: boolean
}

export const createCommand = 'return_label.create'
export const requestCommand = 'return_label.request'

/** The writes this desk knows, by the name under which they rest in desk.db. */
export function commandTypes(
  api: ApiPort,
  session: Session,
  outbox: OutboxStore,
  now: () => number,
): ReadonlyMap<string, CommandType> {
  return new Map([
    [createCommand, createLabel(api, session, outbox, now)],
    [requestCommand, requestLabel(api, session)],
  ])
}

/**
 * POST /wms/return-labels/ by shipment. The service has no idempotency key: what was there before the first try is
 * noted, and a label of the shipment that is not among it and that no other command answers to is ours.
 */
function createLabel(api: ApiPort, session: Session, outbox: OutboxStore, now: () => number): CommandType {
  const readBack: CommandType['readBack'] = async (command, label) => {
    // without a baseline nothing can be told apart: the operator looks
    if (command.baseline === null || command.firstSentAt === null) return { kind: 'absent' }
    const recent = await listRecentLabels(api, session, command.firstSentAt, now())
    if (!recent.ok) return { kind: 'unreadable', failure: recent.failure, isRefused: recent.isRefused }
    const found = findNewLabels(recent.labels, label.shipmentId, command.baseline).find(
      (one) => !outbox.isClaimed(one.id),
    )
    return found ? { kind: 'found', label: found } : { kind: 'absent' }
  }
  return {
    mayBeMet: false,
    readBack,
    async prepare(command, label) {
      if (command.baseline !== null) return asPreparation(await readBack(command, label))
      const recent = await listRecentLabels(api, session, null, now())
      if (recent.ok) {
        const baseline = recent.labels.filter((one) => one.shipment?.id === label.shipmentId)
        return { kind: 'go', baseline: baseline.map((one) => one.id), serviceTime: recent.serviceTime }
      }
      // may make labels but not list them: then there is no reading back either
      if (recent.isRefused) return { kind: 'go', baseline: null, serviceTime: null }
      return { kind: 'not_now', failure: recent.failure }
    },
    send: (token, label) => api.createReturnLabel(token, { shipment_id: label.shipmentId }),
  }
}

/** POST /wms/return-labels/:id/request. Done exactly when the label has an address for its PDF. */
function requestLabel(api: ApiPort, session: Session): CommandType {
  const readBack = async (_: CommandRow, label: LabelRow): Promise<ReadBack> => {
    const { serverId } = label
    if (serverId === null) return { kind: 'absent' }
    const outcome = await session.withAccess((token) => api.getReturnLabel(token, serverId))
    if (outcome.kind !== 'answer')
      return { kind: 'unreadable', failure: outcome.failure, isRefused: isRefusal(outcome) }
    return outcome.value.url === null ? { kind: 'absent' } : { kind: 'found', label: outcome.value }
  }
  return {
    mayBeMet: true,
    readBack,
    async prepare(command, label) {
      if (command.attempts === 0) return { kind: 'go', baseline: null, serviceTime: null }
      return asPreparation(await readBack(command, label))
    },
    send(token, { serverId }) {
      if (serverId === null)
        return Promise.resolve({ kind: 'not_sent', failure: failure('return_label.unknown') })
      return api.requestReturnLabel(token, serverId)
    },
  }
}

function asPreparation(seen: ReadBack): Preparation {
  switch (seen.kind) {
    case 'found':
      return { kind: 'already', label: seen.label }
    case 'absent':
      return { kind: 'go', baseline: null, serviceTime: null }
    case 'unreadable':
      // a service that will not show it may still do it, and says so itself
      return seen.isRefused
        ? { kind: 'go', baseline: null, serviceTime: null }
        : { kind: 'not_now', failure: seen.failure }
  }
}
