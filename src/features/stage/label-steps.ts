import type { ReturnLabelView } from '#shared/bridge/label-views.ts'
import type { CommandState } from '#shared/domain/command-state.ts'
import { isOnPaper } from '#shared/domain/print-state.ts'
import { outcomeOfPrint, phaseOfFailure } from './label-phase.ts'

/** `never`: the chain ended before it, as it was meant to. */
export type StepState = 'todo' | 'doing' | 'done' | 'waiting' | 'stop' | 'decide' | 'never'
export type Steps = readonly [StepState, StepState, StepState, StepState]

export const notBegun: Steps = ['todo', 'todo', 'todo', 'todo']

/** Make, request, keep, print: always these four, so that nothing on the card moves. A label that is made stays made. */
export function labelSteps(label: ReturnLabelView, asked: boolean, isHeld = false): Steps {
  const held = heldState(label)
  const stateOf = (write: CommandState | null): StepState => {
    if (write === null) return 'todo'
    if (write === 'unknown') return asked ? 'decide' : 'waiting'
    if (write === 'done') return 'done'
    return write === 'rejected' || write === 'discarded' ? 'stop' : held
  }
  const register = stateOf(label.create)
  if (label.cancelled) return [register, 'never', 'never', 'never']
  const request = label.requested ? 'done' : register === 'done' ? stateOf(label.request) : 'todo'
  const wanted = label.request !== null || label.print !== null
  const store = label.stored ? 'done' : request === 'done' && wanted ? held : 'todo'
  return [
    register,
    request,
    store,
    store === 'done' && wanted ? (isHeld ? 'decide' : printStep(label, held)) : 'todo',
  ]
}

/** What the first unfinished step shows: busy, unless something keeps it. */
function heldState({ failure }: ReturnLabelView): StepState {
  if (!failure) return 'doing'
  const phase = phaseOfFailure(failure.code)
  return phase === 'waiting' || phase === 'login' ? 'waiting' : 'stop'
}

/** A PDF in the label folder still has to be printed from there. */
function printStep({ print }: ReturnLabelView, held: StepState): StepState {
  if (!print) return held
  if (print.file !== null && !isOnPaper(print.state, true)) return 'todo'
  const outcome = outcomeOfPrint(print.state)
  return outcome === 'done' || outcome === 'stop' || outcome === 'decide' ? outcome : held
}
