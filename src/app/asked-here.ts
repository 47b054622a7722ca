import type { DeskStatus } from '#shared/bridge/views.ts'
import type { ModificationState } from '#features/modification/modification.state.svelte.ts'
import type { StageState } from '#features/stage/stage.state.svelte.ts'
import type { Place } from './places.svelte.ts'

/** What an operator has in front of them. */
interface Shown {
  readonly place: Place
  readonly stage: StageState
  readonly modification: ModificationState
}

/** The id of the write that the card in front of the operator asks about. */
export function askedHere(shown: Shown, status: DeskStatus | null): string | undefined {
  const { place, stage, modification } = shown
  if (place.kind !== 'stage' && place.kind !== 'modification') return undefined
  const { card } = stage
  const onStage = card.kind === 'modification' ? card.modificationId : stage.label?.id
  const id = place.kind === 'modification' ? modification.shown?.id : onStage
  const writes = status?.waitingWrites ?? []
  return writes.find(({ needsOperator, subject }) => needsOperator && subject.id === id)?.commandId
}

/** The id of the print job that the card in front of the operator asks about. */
export function printAskedHere({ place, stage }: Shown, status: DeskStatus | null): string | undefined {
  const id = place.kind === 'stage' ? stage.label?.id : undefined
  return status?.waitingPrints.find(({ asks, labelId }) => asks && labelId === id)?.jobId
}
