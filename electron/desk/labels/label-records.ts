import type { ReturnLabel } from '#shared/wire/return-label.ts'
import type { ShipmentReturnLabel } from '#shared/wire/shipment.ts'
import type { Match } from '../outbox/command-type.ts'
import { describeLabel, toLabelAnswer } from './label-facts.ts'

/** A label of the service as an operator recognises it, and as the ledger takes it. */
export function labelMatch(label: ReturnLabel): Match {
  const answer = toLabelAnswer(label)
  const { serverId, externalReference, trackingCode, shipment, sender, requested } = describeLabel(label)
  return {
    answer,
    record: {
      serverId,
      reference: trackingCode ?? externalReference,
      createdAt: label.created_at,
      brief: {
        kind: 'return_label',
        shipmentReference: shipment?.reference ?? null,
        externalReference,
        methodCode: null,
        senderName: sender?.addressed_to ?? null,
        senderCity: sender?.city ?? null,
      },
      note: null,
      requested,
    },
  }
}

/** The label that the deprecated path names: it says neither its shipment nor its sender. */
export function shipmentLabelMatch(
  label: ShipmentReturnLabel,
  shipmentId: string,
  shipmentReference: string | null,
): Match {
  const { answer, record } = labelMatch({ ...label, sender_address: null })
  const { facts } = answer
  const shipment = { id: shipmentId, reference: shipmentReference ?? '' }
  return {
    record:
      record.brief.kind === 'return_label'
        ? { ...record, brief: { ...record.brief, shipmentReference } }
        : record,
    answer: {
      ...answer,
      facts:
        facts.kind === 'return_label' && facts.label
          ? { ...facts, label: { ...facts.label, shipment } }
          : facts,
    },
  }
}
