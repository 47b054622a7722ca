import { m } from '#messages/messages.js'
import type { Failure } from '#shared/errors/catalogue.ts'

/** What is asked before it is done: to leave what was not saved, or to take an entry out of the list. */
export type PaneQuestionKind = 'leave' | 'remove'

/** What can be answered to a question. */
export interface PaneAnswer {
  readonly words: string
  readonly run: () => void
}

/** A list of devices with one entry open beside it: what its frame, its foot and its questions need to know. */
export interface PaneState {
  readonly list: { readonly failure: Failure | null; readonly saving: boolean }
  readonly draft: { readonly id: string } | null
  readonly question: PaneQuestionKind | null
  /** What it means to take out the entry that is open. */
  readonly removeText: string
  readonly saved: boolean
  readonly isChanged: boolean
  /** Of the entry that is open, where the order of the list means something. */
  readonly isFirst?: boolean
  readonly isLast?: boolean
  readonly changed: () => void
  readonly stay: () => void
  readonly discard: () => void
  readonly save: () => Promise<boolean>
  readonly saveAndGo: () => Promise<void>
  readonly remove: () => Promise<void>
}

/** Whether something unsaved is left behind: the answers to that. */
export function leaveAnswers(pane: Pick<PaneState, 'stay' | 'saveAndGo' | 'discard'>): readonly PaneAnswer[] {
  return [
    {
      words: m.printers_stay(),
      run: () => {
        pane.stay()
      },
    },
    { words: m.printers_save_and_go(), run: () => void pane.saveAndGo() },
    {
      words: m.printers_discard(),
      run: () => {
        pane.discard()
      },
    },
  ]
}
