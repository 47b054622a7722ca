import type { Diary } from './diary.ts'
import type { DeskTruth, ServiceTruth } from './truth.ts'

/** What is to be judged: what was promised, what the desk has, what the service has. */
export interface Case {
  readonly diary: Diary
  readonly desk: DeskTruth
  readonly service: ServiceTruth
}

export const openStates = ['queued', 'sending', 'unknown']

/** Whether a subject still has a write under way: then nothing can be said of it yet. */
export function isOpen({ desk }: Case, subjectId: string): boolean {
  return desk.commands.some((one) => one.subject_id === subjectId && openStates.includes(one.state))
}
