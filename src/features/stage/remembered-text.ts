import { m } from '#messages/messages.js'
import type { ScanChoiceView } from '#shared/bridge/scan-views.ts'
import { subjectWords } from '#ui/subject-words.ts'

/** Why this of several things is shown: an operator said so once. */
export function rememberedText({ reach, code, kind, isOneOfSeveral }: ScanChoiceView): string {
  const what = subjectWords[kind]()
  if (reach === 'shape') return m.remembered_shape({ shape: code, what })
  return isOneOfSeveral ? m.remembered_one({ what }) : m.remembered_code({ what })
}
