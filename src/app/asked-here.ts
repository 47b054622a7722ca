import type { ModificationState } from '#features/modification/modification.state.svelte.ts'
import type { StageState } from '#features/stage/stage.state.svelte.ts'
import type { Place } from './places.svelte.ts'

/** What an operator has in front of them. */
interface Shown {
  readonly place: Place
  readonly stage: StageState
  readonly modification: ModificationState
}

/** The id of the label or modification that the card in front of the operator shows. */
export function subjectHere({ place, stage, modification }: Shown): string | undefined {
  if (place.kind === 'modification') return modification.shown?.id
  if (place.kind !== 'stage') return undefined
  return stage.card.kind === 'modification' ? stage.card.modificationId : stage.label?.id
}

/** The id of the label on the stage. */
export function labelHere({ place, stage }: Shown): string | undefined {
  return place.kind === 'stage' ? stage.label?.id : undefined
}

/** Of how many things the scan that asks here may be one; 0: none asks. */
export function choicesAskedHere({ place, stage, modification }: Shown): number {
  if (place.kind === 'modification') return modification.scanQuestion.asked?.candidates.length ?? 0
  return place.kind === 'stage' ? (stage.question.asked?.candidates.length ?? 0) : 0
}
