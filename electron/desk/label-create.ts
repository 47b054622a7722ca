import { baseExternalReference } from '#shared/domain/references.ts'
import { failure } from '#shared/errors/catalogue.ts'
import { returnLabelCreate, type ReturnLabel, type ReturnLabelCreate } from '#shared/wire/return-label.ts'
import { asPreparation, type CommandType, type CommandTypesParts, mapOutcome } from './command-type.ts'
import { toLabelAnswer } from './label-facts.ts'
import type { CommandRow } from './ports/commands.ts'
import type { LabelRow } from './ports/label-ledger.ts'
import { listRecentLabels } from './recent-labels.ts'

/**
 * POST /wms/return-labels/. The service has no idempotency key: what was there before the first try is noted, and a
 * label of the same shipment, or by hand of the same external reference, that is not among it and that no other command
 * answers to is ours.
 */
export function createLabel({ api, session, labels, now }: CommandTypesParts): CommandType {
  const readBack: CommandType['readBack'] = async (command) => {
    const label = labels.get(command.subject.id)
    // without a baseline nothing can be told apart: the operator looks
    if (!label || command.baseline === null || command.firstSentAt === null) return { kind: 'absent' }
    const recent = await listRecentLabels(api, session, command.firstSentAt, now())
    if (!recent.ok) return { kind: 'unreadable', failure: recent.failure, isRefused: recent.isRefused }
    const known = new Set(command.baseline)
    const found = alikeOldestFirst(recent.labels, label).find(
      ({ id }) => !known.has(id) && !labels.isClaimed(id),
    )
    return found ? { kind: 'found', answer: toLabelAnswer(found) } : { kind: 'absent' }
  }
  return {
    isRepeatable: false,
    readBack,
    async prepare(command) {
      if (command.baseline !== null) return asPreparation(await readBack(command))
      const recent = await listRecentLabels(api, session, null, now())
      if (recent.ok) {
        const label = labels.get(command.subject.id)
        const baseline = label ? alikeOldestFirst(recent.labels, label).map(({ id }) => id) : []
        return { kind: 'go', baseline, serviceTime: recent.serviceTime }
      }
      // may make labels but not list them: then there is no reading back either
      if (recent.isRefused) return { kind: 'go', baseline: null, serviceTime: null }
      return { kind: 'not_now', failure: recent.failure }
    },
    async send(token, command) {
      const body = bodyOf(command, labels.get(command.subject.id))
      if (!body) return { kind: 'not_sent', failure: failure('return_label.unknown') }
      return mapOutcome(await api.createReturnLabel(token, body), (label) => toLabelAnswer(label))
    },
  }
}

/** Rows of the first schema have no payload: they all were made from a shipment with its default method. */
function bodyOf(command: CommandRow, label: LabelRow | null): ReturnLabelCreate | null {
  if (command.payload !== null) return returnLabelCreate.parse(JSON.parse(command.payload))
  return label?.shipmentId ? { shipment_id: label.shipmentId } : null
}

/** What the service lists that might be this label. */
function alikeOldestFirst(all: readonly ReturnLabel[], wanted: LabelRow): ReturnLabel[] {
  const reference = baseExternalReference(wanted.wishedReference ?? '')
  const isAlike = (one: ReturnLabel): boolean =>
    wanted.shipmentId === null
      ? reference !== '' && baseExternalReference(one.external_reference ?? '') === reference
      : one.shipment?.id === wanted.shipmentId
  return all.filter(isAlike).sort((a, b) => Date.parse(a.created_at) - Date.parse(b.created_at))
}
