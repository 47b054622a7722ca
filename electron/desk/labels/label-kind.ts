import { labelCommands } from '#shared/domain/label-commands.ts'
import type { CommandTypesParts, WriteKind } from '../outbox/command-type.ts'
import type { CatalogueStore } from '../ports/catalogue-store.ts'
import { cancelLabel, patchLabel, requestLabel } from './label-changes.ts'
import { createLabel, isMadeHere } from './label-create.ts'
import { labelTitle } from './label-title.ts'

export interface LabelKindParts extends CommandTypesParts {
  readonly catalogue: Pick<CatalogueStore, 'methods'>
}

/** Return labels as a kind of write: four writes about one label. */
export function labelKind(parts: LabelKindParts): WriteKind<'return_label'> {
  const { labels, catalogue } = parts
  const codeOf = (methodId: string): string =>
    catalogue.methods().rows.find(({ id }) => id === methodId)?.code ?? methodId
  return {
    types: {
      [labelCommands.create]: createLabel(parts),
      [labelCommands.patch]: patchLabel(parts),
      [labelCommands.request]: requestLabel(parts),
      [labelCommands.cancel]: cancelLabel(parts),
    },
    describe(id) {
      const label = labels.get(id)
      if (!label) return null
      const { shipmentReference, externalReference, wishedReference, shippingMethodId, sender } = label
      return {
        title: labelTitle(label),
        brief: {
          kind: 'return_label',
          shipmentReference,
          externalReference: externalReference ?? wishedReference,
          methodCode: shippingMethodId === null ? null : codeOf(shippingMethodId),
          senderName: sender?.addressed_to ?? null,
          senderCity: sender?.city ?? null,
        },
      }
    },
    // a label of another desk that a look found does not belong to a write of this desk
    isTaken: (serverId) => isMadeHere(parts, serverId),
  }
}
