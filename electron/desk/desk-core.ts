import type { LabelId } from '#shared/domain/ids.ts'
import type { Scope } from '#shared/domain/scope.ts'
import type { DeskPorts, DeskTuning } from './desk-ports.ts'
import { DeskEvents, Signal } from './events.ts'
import { toLabelView } from './labels/label-view.ts'
import { toModificationView } from './modifications/modification-view.ts'
import { createLine, type Line, rememberOutage } from './service/line.ts'
import { PageLimit } from './service/page-limit.ts'
import { Session } from './service/session.ts'
import { AgeClock } from './timing/age-clock.ts'
import { type OperatorCalls, trackOperatorCalls } from './timing/calls.ts'
import { type CoalescedCall, createCoalescedCall } from './timing/worker.ts'

/**
 * The parts that all other parts of a desk need: the state of the connection, the session, and the events for the
 * window.
 */
export interface DeskCore {
  readonly events: DeskEvents
  /**
   * Reports that the status has changed: its method `soon` emits `statusDue` after a short delay, once for all calls
   * within the delay. When the desk closes, it cancels a delayed emission.
   */
  readonly statusChange: CoalescedCall
  /**
   * Fires when the window needs a new status. It is a Signal because the parts that provide the status are created
   * later.
   */
  readonly statusDue: Signal
  /** Reports that something in the status has changed. */
  readonly changed: () => void
  /** Notifies the window that a label has changed. */
  readonly labelMoved: (labelId: LabelId) => void
  readonly modificationMoved: (id: string) => void
  readonly line: Line
  /** Determines the current moment, from which the ages of kept records are counted. */
  readonly age: AgeClock
  readonly session: Session
  /** The length of the pages in which this desk reads labels and bookings. */
  readonly pageLimit: PageLimit
  /**
   * Fires after a login (also one that was kept since the last start), a logout, the expiry of a login, or a change of
   * roles.
   */
  readonly sessionChanged: Signal
  readonly operatorCalls: OperatorCalls
}

export function createCore(
  { store, api, printers, secrets, clock }: DeskPorts,
  scope: Scope,
  { onFault }: DeskTuning,
): DeskCore {
  const { values, labels, modifications } = store
  const events = new DeskEvents(onFault)
  const statusDue = new Signal()
  const statusChange = createCoalescedCall(clock, statusDue.emit, onFault)
  const changed = (): void => statusChange.soon()
  const line = createLine(clock, changed, rememberOutage(values))
  const age = new AgeClock({ store: store.storage.age, clock, serviceTime: () => line.serviceTime() })
  const sessionChanged = new Signal()
  const session = new Session({
    api,
    secrets,
    store,
    clock,
    line,
    scope,
    changed: sessionChanged.emit,
    onFault,
  })
  return {
    events,
    statusChange,
    statusDue,
    changed,
    labelMoved(labelId) {
      const label = statusChange.isStopped() ? null : labels.get(labelId)
      if (label) events.emit('returnLabel', toLabelView(label, printers))
      changed()
    },
    modificationMoved(id) {
      const modification = statusChange.isStopped() ? null : modifications.get(id)
      if (modification) events.emit('modification', toModificationView(modification))
      changed()
    },
    line,
    age,
    session,
    pageLimit: new PageLimit(clock),
    sessionChanged,
    operatorCalls: trackOperatorCalls(),
  }
}
