import type { ReturnLabel } from '#shared/wire/return-label.ts'
import type { Modification } from '#shared/wire/modification.ts'
import type { ShipmentReturnLabel } from '#shared/wire/shipment.ts'
import type { CommandTypesParts, Match } from './command-type.ts'
import { describeLabel, toLabelAnswer } from './label-facts.ts'
import { modificationAnswer } from './modification-facts.ts'
import type { ModificationRow } from './ports/modification-store.ts'

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

/** A modification of the service; `row`: the one of ours it is like, for names that the service does not give. */
export function modificationMatch(
  modification: Modification,
  row: Pick<ModificationRow, 'lines' | 'locationId' | 'locationCode'>,
  nameVariant: CommandTypesParts['nameVariant'],
): Match {
  const lines = modification.modification_lines ?? []
  const names = new Map(row.lines.map(({ variant }) => [variant.id, variant]))
  const [first] = lines
  const isHere = first?.location?.id.toLowerCase() === row.locationId.toLowerCase()
  return {
    answer: modificationAnswer(modification),
    record: {
      serverId: modification.id,
      reference: modification.reference,
      createdAt: modification.created_at,
      brief: {
        kind: 'modification',
        reason: modification.reason,
        locationCode: first?.location?.code ?? (isHere ? row.locationCode : null),
        lines: lines.map(({ variant, quantity }) => {
          const known = names.get(variant.id) ?? nameVariant(variant.id)
          return { name: known?.name ?? '', articleCode: known?.articleCode ?? '', quantity }
        }),
      },
      requested: false,
    },
  }
}
