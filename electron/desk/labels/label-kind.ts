import { labelCommands } from '#shared/domain/label-commands.ts'
import { fail, ok } from '#shared/errors/result.ts'
import type { CommandTypesParts, WriteKind } from '../outbox/command-type.ts'
import type { LabelDocuments } from '../paper/label-documents.ts'
import type { CatalogueStore } from '../ports/catalogue-store.ts'
import type { CommandRow } from '../ports/commands.ts'
import type { SettingsStore } from '../ports/store.ts'
import { cancelLabel, patchLabel, requestLabel } from './label-changes.ts'
import { createLabel, isMadeHere } from './label-create.ts'
import { isTyped, labelDraftKey, readLabelDraft, toLabelDraft } from './label-draft.ts'
import type { LabelReader } from './label-reader.ts'
import { labelTitle } from './label-title.ts'

export interface LabelKindParts extends CommandTypesParts {
  readonly catalogue: Pick<CatalogueStore, 'methods'>
  readonly settings: SettingsStore
  readonly documents: Pick<LabelDocuments, 'fetch' | 'retryNow'>
  readonly reader: Pick<LabelReader, 'refresh'>
  /** Tells the window. */
  readonly labelMoved: (labelId: string) => void
}

/** Return labels as a kind of write: four writes about one label. */
export function labelKind(parts: LabelKindParts): WriteKind<'return_label'> {
  const { labels, catalogue, settings, documents, reader, labelMoved } = parts
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
    edit(command, takeOut) {
      const draft = draftOf(parts, command)
      // the form holds one label: what is typed in it, another one of the queue perhaps, would be nowhere any more
      if (draft && isTyped(readLabelDraft(settings))) return fail('queue.form_in_use')
      const isTaken = takeOut(
        draft ? { place: 'setting', key: labelDraftKey, value: JSON.stringify(draft) } : { place: 'nowhere' },
      )
      if (!isTaken) return fail('queue.moved_on')
      return ok(draft ? { place: 'label_form' } : { place: 'label', labelId: command.subject.id })
    },
    moved(id, answer) {
      labelMoved(id)
      if (answer?.documentAddress) documents.fetch(id, answer.documentAddress)
      else reader.refresh(id)
    },
    decided(id) {
      labelMoved(id)
      // one that was adopted may have its PDF already
      documents.retryNow(id)
    },
  }
}

/** A creation by hand goes back into its form; null: it is another write, or of a shipment. */
function draftOf(
  { labels }: LabelKindParts,
  { type, subject }: CommandRow,
): ReturnType<typeof toLabelDraft> | null {
  const label = type === labelCommands.create ? labels.get(subject.id) : null
  return label && label.shipmentId === null ? toLabelDraft(label) : null
}
