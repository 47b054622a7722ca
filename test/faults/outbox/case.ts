import type { Diary } from './diary.ts'
import type { DeskTruth, ServiceTruth } from './truth.ts'

/** The input of the judge: acknowledgements, the records of the desk, and the records of the service. */
export interface Case {
  readonly diary: Diary
  readonly desk: DeskTruth
  readonly service: ServiceTruth
}

export const openStates = ['queued', 'sending', 'unknown']

/**
 * Whether a write of this label or modification is still in progress. If so, the label or modification cannot be judged
 * yet.
 */
export function isOpen({ desk }: Case, subjectId: string): boolean {
  return desk.commands.some((one) => one.subject_id === subjectId && openStates.includes(one.state))
}
