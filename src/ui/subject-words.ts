import { m } from '#messages/messages.js'
import type { ScanChoiceKind } from '#shared/bridge/scan-views.ts'

/** What a code may mean, as its card calls it. */
export const subjectWords: Record<ScanChoiceKind, () => string> = {
  shipment: m.shipment_eyebrow,
  return_label: m.label_eyebrow,
  article: m.article_eyebrow,
  location: m.location_eyebrow,
  modification: m.modification_eyebrow,
}
