import type { WriteBrief } from '#shared/bridge/queue-views.ts'
import { labelTitle } from '../labels/label-title.ts'
import { modificationTitle } from '../modifications/modification-view.ts'
import type { CatalogueStore } from '../ports/catalogue-store.ts'
import type { Subject } from '../ports/commands.ts'
import type { LabelLedger, LabelRow } from '../ports/label-ledger.ts'
import type { ModificationLedger, ModificationRow } from '../ports/modification-store.ts'

export interface BriefParts {
  readonly labels: Pick<LabelLedger, 'get'>
  readonly modifications: Pick<ModificationLedger, 'get'>
  readonly catalogue: Pick<CatalogueStore, 'methods'>
}

/** What a write is about, in a few words and in the facts by which an operator knows it again. */
export interface WriteFacts {
  readonly title: string
  readonly brief: WriteBrief
}

/** Null: its subject is no longer kept here. */
export function createWriteFacts({
  labels,
  modifications,
  catalogue,
}: BriefParts): (subject: Subject) => WriteFacts | null {
  const codeOf = (methodId: string | null): string | null =>
    methodId === null ? null : (catalogue.methods().rows.find(({ id }) => id === methodId)?.code ?? methodId)
  return ({ kind, id }) => {
    if (kind === 'modification') {
      const row = modifications.get(id)
      return row && { title: modificationTitle(row), brief: briefOfModification(row) }
    }
    const label = labels.get(id)
    return label && { title: labelTitle(label), brief: briefOfLabel(label, codeOf(label.shippingMethodId)) }
  }
}

function briefOfModification({ reason, locationCode, lines }: ModificationRow): WriteBrief {
  return {
    kind: 'modification',
    reason,
    locationCode,
    lines: lines.map(({ variant, quantity }) => ({
      name: variant.name,
      articleCode: variant.articleCode,
      quantity,
    })),
  }
}

function briefOfLabel(label: LabelRow, methodCode: string | null): WriteBrief {
  return {
    kind: 'return_label',
    shipmentReference: label.shipmentReference,
    externalReference: label.externalReference ?? label.wishedReference,
    methodCode,
    senderName: label.sender?.addressed_to ?? null,
    senderCity: label.sender?.city ?? null,
  }
}
