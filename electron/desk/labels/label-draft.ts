import { labelDraft, type LabelDraft } from '#shared/bridge/label-views.ts'
import type { Instant } from '#shared/domain/instants.ts'
import type { LabelRow } from '../ports/label-ledger.ts'
import type { ScopeValues } from '../ports/store.ts'

export const labelDraftKey = 'return_label.draft'

/**
 * Returns the stored draft of a label without a shipment. Returns null if there is no draft, or if this version cannot
 * read it.
 */
export function readLabelDraft(values: ScopeValues): LabelDraft | null {
  const text = values.read(labelDraftKey)
  if (text === null) return null
  try {
    return labelDraft.parse(JSON.parse(text))
  } catch {
    return null
  }
}

/**
 * Whether the operator typed any text. A chosen method alone does not count, because the operator can choose it again
 * with one key.
 */
export function isTyped(draft: LabelDraft | null): boolean {
  if (draft === null) return false
  return [draft.externalReference, ...Object.values(draft.sender)].some((text) => text.trim() !== '')
}

/**
 * Stores the draft durably; null removes it. `at`: the time of this change. A draft that is not changed for a long time
 * is purged.
 */
export function writeLabelDraft(values: ScopeValues, draft: LabelDraft | null, at: Instant): void {
  if (draft === null) values.remove(labelDraftKey)
  else values.write(labelDraftKey, JSON.stringify(draft), at)
}

/**
 * Converts a label without a shipment to the content of the form in which the operator enters such a label. Keeps a
 * reference that the desk generated: if the service refused the creation but has created the label nevertheless, only
 * the same reference prevents a second label.
 */
export function toLabelDraft({
  shippingMethodId,
  wishedReference,
  sender,
}: Pick<LabelRow, 'shippingMethodId' | 'wishedReference' | 'sender'>): LabelDraft {
  const fields = Object.entries(sender ?? {}).flatMap(([field, text]) =>
    text ? [[field, text] as const] : [],
  )
  return {
    shippingMethodId,
    externalReference: wishedReference ?? '',
    sender: Object.fromEntries(fields),
  }
}
