import { labelDraft, type LabelDraft } from '#shared/bridge/label-views.ts'
import type { SettingsStore } from './ports/store.ts'

const key = 'return_label.draft'

/** What was typed for a label by hand; null: nothing, or nothing that this version can read. */
export function readLabelDraft(settings: SettingsStore): LabelDraft | null {
  const text = settings.read(key)
  if (text === null) return null
  try {
    return labelDraft.parse(JSON.parse(text))
  } catch {
    return null
  }
}

/** Durable when it returns; null forgets it. */
export function writeLabelDraft(settings: SettingsStore, draft: LabelDraft | null): void {
  if (draft === null) settings.remove(key)
  else settings.write(key, JSON.stringify(draft))
}
