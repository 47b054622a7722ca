import { labelDraft, type LabelDraft } from '#shared/bridge/label-views.ts'
import { isOwnReference } from '#shared/domain/references.ts'
import type { LabelRow } from '../ports/label-ledger.ts'
import type { SettingsStore } from '../ports/store.ts'

export const labelDraftKey = 'return_label.draft'

/** What was typed for a label by hand; null: nothing, or nothing that this version can read. */
export function readLabelDraft(settings: SettingsStore): LabelDraft | null {
  const text = settings.read(labelDraftKey)
  if (text === null) return null
  try {
    return labelDraft.parse(JSON.parse(text))
  } catch {
    return null
  }
}

/** Whether anybody typed anything: a method alone is chosen again with one key. */
export function isTyped(draft: LabelDraft | null): boolean {
  if (draft === null) return false
  return [draft.externalReference, ...Object.values(draft.sender)].some((text) => text.trim() !== '')
}

/** Durable when it returns; null forgets it. */
export function writeLabelDraft(settings: SettingsStore, draft: LabelDraft | null): void {
  if (draft === null) settings.remove(labelDraftKey)
  else settings.write(labelDraftKey, JSON.stringify(draft))
}

/** What was entered for a label by hand, as its form has it; a reference that the desk gave is given anew. */
export function toLabelDraft({ shippingMethodId, wishedReference, sender }: LabelRow): LabelDraft {
  const fields = Object.entries(sender ?? {}).flatMap(([field, text]) =>
    text ? [[field, text] as const] : [],
  )
  return {
    shippingMethodId,
    externalReference: isOwnReference(wishedReference) ? '' : (wishedReference ?? ''),
    sender: Object.fromEntries(fields),
  }
}
