import type { Scope } from '#shared/domain/scope.ts'
import { type Chain, connectChain } from './connect-chain.ts'
import { connectLists, type Lists, type ListTuning } from './connect-lists.ts'
import type { DeskPorts } from './desk-ports.ts'
import { createEvents, type DeskEvents } from './events.ts'
import { toLabelView } from './labels/label-view.ts'
import { rememberOutage, createLine, type Line, LineWatch } from './service/line.ts'
import { toModificationView } from './modifications/modification-view.ts'
import { type DecisionParts, DecisionWatch } from './modifications/decision-watch.ts'
import { ModificationWatch, type WatchParts } from './modifications/modification-watch.ts'
import type { Pace } from './outbox/command-waits.ts'
import type { Subject } from './ports/commands.ts'
import { trackOperatorCalls, type OperatorCalls } from './timing/calls.ts'
import { createCoalescedCall, type CoalescedCall } from './timing/worker.ts'
import { Session } from './service/session.ts'
import { deskStatus } from './status.ts'
import type { WriteFacts } from './outbox/command-type.ts'

export interface DeskTuning extends ListTuning {
  /** How long an ambiguous write may still arrive at the service, in milliseconds. */
  readonly quietMs: number
  readonly pace: Pace
  /** How long a scan waits for a fresh answer when the index has a copy, in milliseconds. */
  readonly freshMs: number
  /** Longest wait for what is on its way when the desk closes, in milliseconds. */
  readonly closeMs: number
  /** Finished work older than this many days is purged. */
  readonly keepDays: number
  /** Between two copies of desk.db, in milliseconds. */
  readonly backUpEveryMs: number
  /** What command barcodes of this station carry; null: it is the sandbox, whose commands carry nothing. */
  readonly commandSecret: () => string | null
  /** Something went wrong that no operator can be told in a better place. */
  readonly onFault: (error: unknown) => void
}

/** What works by itself, and how it hears of each other. */
export interface Topics extends Lists, Chain {
  readonly events: DeskEvents
  readonly statusChange: CoalescedCall
  readonly line: Line
  readonly operatorCalls: OperatorCalls
  readonly lineWatch: LineWatch
  readonly session: Session
  readonly modificationWatch: ModificationWatch
  readonly decisionWatch: DecisionWatch
  status(): ReturnType<typeof deskStatus>
  /** What a write is about. */
  readonly factsOf: (subject: Subject) => WriteFacts | null
  /** A label is not what it was: tells the window. */
  readonly labelMoved: (labelId: string) => void
  readonly modificationMoved: (id: string) => void
  /** No reason to wait any longer, anywhere. */
  retryAll(): void
}

/** Connects the topics. Each only knows its own callbacks; who hears of what is written here alone. */
export function connectTopics(ports: DeskPorts, scope: Scope, tuning: DeskTuning): Topics {
  const { store, clock } = ports
  const events = createEvents(tuning.onFault)
  const statusChange = createCoalescedCall(clock, () => events.emit('status', status()), tuning.onFault)
  const changed = (): void => statusChange.soon()
  const moves = createMoves(ports, events, statusChange)
  const line = createLine(clock, changed, rememberOutage(store.settings))
  const shared = { ...ports, onFault: tuning.onFault, line }
  const session = new Session({ ...shared, scope, settings: store.settings, changed: () => sessionChanged() })
  const operatorCalls = trackOperatorCalls()
  const lists = connectLists({ ...shared, session, operatorCalls, changed }, tuning)
  const lineWatch = new LineWatch({ ...shared, session, everyMs: tuning.index.offlineEveryMs })
  const watches = connectWatches({ ...shared, session, moved: moves.modificationMoved })
  const arrived = (id: string): void => watches.decisionWatch.arrived(id)
  const { quietMs, pace } = tuning
  const chain = connectChain({ ...shared, ...moves, session, quietMs, pace, arrived, changed })
  const factsOf = ({ kind, id }: Subject): WriteFacts | null => chain.kinds[kind].describe(id)
  const retryAll = createRetryAll({ lineWatch, ...lists, ...chain, ...watches })
  line.onBack((wasLost) => {
    if (wasLost) retryAll()
  })
  const sessionChanged = (): void => {
    events.emit('session', session.state())
    if (session.isSignedIn) retryAll()
    else chain.outbox.kick()
  }
  const status = (): ReturnType<typeof deskStatus> =>
    deskStatus({
      line,
      ...lists,
      prints: chain.prints,
      outbox: chain.outbox,
      commands: store.outbox,
      queue: store.queue,
      factsOf,
      jobs: store.printJobs,
    })
  return {
    events,
    statusChange,
    line,
    operatorCalls,
    lineWatch,
    session,
    ...lists,
    ...chain,
    ...watches,
    status,
    factsOf,
    ...moves,
    retryAll,
  }
}

type Watches = Pick<Topics, 'modificationWatch' | 'decisionWatch'>

/** What the service says of bookings: of all desks for their locations, of this one for the warehouse's decisions. */
function connectWatches(
  parts: Omit<WatchParts, 'locations' | 'ledger'> & Omit<DecisionParts, 'ledger'> & Pick<DeskPorts, 'store'>,
): Watches {
  const { locations, modifications: ledger } = parts.store
  return {
    modificationWatch: new ModificationWatch({ ...parts, locations, ledger }),
    decisionWatch: new DecisionWatch({ ...parts, ledger }),
  }
}

type Retried = Lists & Chain & Watches & Pick<Topics, 'lineWatch'>

function createRetryAll(topics: Retried): () => void {
  const { lineWatch, index, labelIndex, catalogue, outbox, lateWatch, otherDesks } = topics
  const { documents, modificationWatch, decisionWatch } = topics
  const lists = [index, labelIndex, catalogue, modificationWatch, decisionWatch]
  return () => {
    for (const topic of [lineWatch, ...lists, lateWatch, otherDesks]) topic.retryNow()
    outbox.resume()
    documents.retryNow(null)
  }
}

type Moves = Pick<Topics, 'labelMoved' | 'modificationMoved'>

/** Something is not what it was: the window hears of it, while the desk is open. */
function createMoves({ store, printers }: DeskPorts, events: DeskEvents, statusChange: CoalescedCall): Moves {
  const { labels, modifications } = store
  const labelMoved = (labelId: string): void => {
    const label = statusChange.isStopped() ? null : labels.get(labelId)
    if (label) events.emit('returnLabel', toLabelView(label, printers))
    statusChange.soon()
  }
  const modificationMoved = (id: string): void => {
    const modification = statusChange.isStopped() ? null : modifications.get(id)
    if (modification) events.emit('modification', toModificationView(modification))
    statusChange.soon()
  }
  return { labelMoved, modificationMoved }
}
