import type { Scope } from '#shared/domain/scope.ts'
import { commandTypes } from './command-types.ts'
import { connectLists, type Lists, type ListTuning } from './connect-lists.ts'
import { createEvents, type DeskEvents } from './events.ts'
import { LabelDocuments } from './label-documents.ts'
import { LabelReader } from './label-reader.ts'
import { labelTitle, toLabelView } from './label-view.ts'
import { createLine, type Line } from './line.ts'
import { modificationTitle, toModificationView } from './modification-view.ts'
import { ModificationWatch } from './modification-watch.ts'
import { Outbox } from './outbox.ts'
import type { ApiPort } from './ports/api.ts'
import type { ClockPort } from './ports/clock.ts'
import type { Subject, SubjectKind } from './ports/commands.ts'
import type { NetworkPort } from './ports/network.ts'
import type { PrinterPort } from './ports/printers.ts'
import type { SecretsPort } from './ports/secrets.ts'
import type { StorePort } from './ports/store.ts'
import { PrintQueue } from './print-queue.ts'
import { createPulse, type Pulse } from './pulse.ts'
import { Session } from './session.ts'
import { deskStatus } from './status.ts'

export interface DeskPorts {
  readonly store: StorePort
  readonly api: ApiPort
  readonly printer: PrinterPort
  readonly secrets: SecretsPort
  readonly clock: ClockPort
  readonly network: NetworkPort
}

export interface DeskTuning extends ListTuning {
  /** How long an ambiguous write may still arrive at the service, in milliseconds. */
  readonly quietMs: number
  /** How long a scan waits for a fresh answer when the index has a copy, in milliseconds. */
  readonly freshMs: number
  /** Longest wait for what is on its way when the desk closes, in milliseconds. */
  readonly closeMs: number
  /** Something went wrong that no operator can be told in a better place. */
  readonly onFault: (error: unknown) => void
}

/** What works by itself, and how it hears of each other. */
export interface Topics extends Lists {
  readonly events: DeskEvents
  readonly pulse: Pulse
  readonly line: Line
  readonly session: Session
  readonly outbox: Outbox
  readonly documents: LabelDocuments
  readonly prints: PrintQueue
  readonly reader: LabelReader
  readonly modificationWatch: ModificationWatch
  status(): ReturnType<typeof deskStatus>
  /** A label is not what it was: tells the window. */
  readonly labelMoved: (labelId: string) => void
  readonly modificationMoved: (id: string) => void
  readonly subjectMoved: (subject: Subject) => void
  /** No reason to wait any longer, anywhere. */
  retryAll(): void
}

/** Connects the topics. Each only knows its own callbacks; who hears of what is written here alone. */
export function connectTopics(ports: DeskPorts, scope: Scope, tuning: DeskTuning): Topics {
  const { store, printer, clock } = ports
  const events = createEvents(tuning.onFault)
  const pulse = createPulse(clock, () => events.emit('status', status()))
  const changed = (): void => pulse.beat()
  const moves = createMoves(store, events, pulse)
  const { labelMoved, subjectMoved } = moves
  const line = createLine(clock, changed)
  const shared = { ...ports, onFault: tuning.onFault, line }
  const session = new Session({ ...shared, scope, settings: store.settings, changed: () => sessionChanged() })
  const lists = connectLists({ ...shared, session, changed }, tuning)
  // while the line is lost the index tries it, whoever found it lost
  line.onLost(() => lists.index.retryNow())
  const { quietMs } = tuning
  const chain = connectChain({ ...shared, session, quietMs, labelMoved, subjectMoved, changed })
  const modificationWatch = new ModificationWatch({
    ...shared,
    session,
    locations: store.locations,
    ledger: store.modifications,
    moved: moves.modificationMoved,
  })
  const retryAll = (): void => {
    lists.index.retryNow()
    lists.labelIndex.retryNow()
    lists.catalogue.retryNow()
    chain.outbox.retryNow()
    chain.documents.retryNow(null)
    modificationWatch.retryNow()
  }
  const sessionChanged = (): void => {
    events.emit('session', session.view())
    if (session.isSignedIn) retryAll()
    else chain.outbox.kick()
  }
  const status = (): ReturnType<typeof deskStatus> =>
    deskStatus({
      line,
      ...lists,
      prints: chain.prints,
      commands: store.outbox,
      titles: titlesOf(store),
      jobs: store.printJobs,
      folder: printer.folder,
    })
  return {
    events,
    pulse,
    line,
    session,
    ...lists,
    ...chain,
    modificationWatch,
    status,
    ...moves,
    retryAll,
  }
}

type Moves = Pick<Topics, 'labelMoved' | 'modificationMoved' | 'subjectMoved'>

/** Something is not what it was: the window hears of it, while the desk is open. */
function createMoves({ labels, modifications }: StorePort, events: DeskEvents, pulse: Pulse): Moves {
  const labelMoved = (labelId: string): void => {
    const label = pulse.isStopped() ? null : labels.get(labelId)
    if (label) events.emit('returnLabel', toLabelView(label))
    pulse.beat()
  }
  const modificationMoved = (id: string): void => {
    const modification = pulse.isStopped() ? null : modifications.get(id)
    if (modification) events.emit('modification', toModificationView(modification))
    pulse.beat()
  }
  const moved: Readonly<Record<SubjectKind, (id: string) => void>> = {
    return_label: labelMoved,
    modification: modificationMoved,
  }
  return { labelMoved, modificationMoved, subjectMoved: ({ kind, id }) => moved[kind](id) }
}

/** What a write is about, in a few words. */
function titlesOf({
  labels,
  modifications,
}: StorePort): Readonly<Record<SubjectKind, (id: string) => string>> {
  return {
    return_label: (id) => titleOf(labels.get(id), labelTitle),
    modification: (id) => titleOf(modifications.get(id), modificationTitle),
  }
}

function titleOf<T>(subject: T | null, title: (subject: T) => string): string {
  return subject === null ? '' : title(subject)
}

interface ChainParts extends DeskPorts {
  readonly session: Session
  readonly line: Line
  readonly quietMs: number
  readonly labelMoved: (labelId: string) => void
  readonly subjectMoved: (subject: Subject) => void
  readonly changed: () => void
  readonly onFault: (error: unknown) => void
}

/** Create and request, then the PDF, then the paper: each step hands the label to the next. */
function connectChain(parts: ChainParts): Pick<Topics, 'outbox' | 'documents' | 'prints' | 'reader'> {
  const { store, api, session, clock, printer, labelMoved } = parts
  const { labels, vault } = store
  const prints = new PrintQueue({
    ...parts,
    labels,
    vault,
    jobs: store.printJobs,
    moved: labelMoved,
    printerChanged: parts.changed,
  })
  const documents = new LabelDocuments({
    ...parts,
    labels,
    vault,
    printerName: () => printer.name,
    moved(labelId) {
      labelMoved(labelId)
      prints.kick()
    },
  })
  const reader = new LabelReader({ ...parts, labels, documents, moved: labelMoved })
  const outbox = new Outbox({
    ...parts,
    store: store.outbox,
    types: commandTypes({
      api,
      session,
      labels,
      modifications: store.modifications,
      now: () => clock.now(),
    }),
    moved(subject, answer) {
      parts.subjectMoved(subject)
      if (answer?.documentAddress) documents.fetch(subject.id, answer.documentAddress)
      else if (subject.kind === 'return_label') reader.refresh(subject.id)
    },
  })
  return { outbox, documents, prints, reader }
}
