import type { Scope } from '#shared/domain/scope.ts'
import { commandTypes } from './command-types.ts'
import { createEvents, type DeskEvents } from './events.ts'
import { LabelDocuments } from './label-documents.ts'
import { toLabelView } from './label-view.ts'
import { createLine, type Line } from './line.ts'
import { Outbox } from './outbox.ts'
import type { ApiPort } from './ports/api.ts'
import type { ClockPort } from './ports/clock.ts'
import type { NetworkPort } from './ports/network.ts'
import type { PrinterPort } from './ports/printers.ts'
import type { SecretsPort } from './ports/secrets.ts'
import type { StorePort } from './ports/store.ts'
import { PrintQueue } from './print-queue.ts'
import { createPulse, type Pulse } from './pulse.ts'
import { Session } from './session.ts'
import { type IndexOptions, ShipmentIndex } from './shipment-index.ts'
import { deskStatus } from './status.ts'

export interface DeskPorts {
  readonly store: StorePort
  readonly api: ApiPort
  readonly printer: PrinterPort
  readonly secrets: SecretsPort
  readonly clock: ClockPort
  readonly network: NetworkPort
}

export interface DeskTuning {
  /** How long an ambiguous write may still arrive at the service, in milliseconds. */
  readonly quietMs: number
  /** How long a scan waits for a fresh answer when the index has a copy, in milliseconds. */
  readonly freshMs: number
  /** How long a scan waits for the service when nothing is known here, in milliseconds. */
  readonly askMs: number
  /** Longest wait for what is on its way when the desk closes, in milliseconds. */
  readonly closeMs: number
  readonly index: IndexOptions
  /** Something went wrong that no operator can be told in a better place. */
  readonly onFault: (error: unknown) => void
}

/** What works by itself, and how it hears of each other. */
export interface Topics {
  readonly events: DeskEvents
  readonly pulse: Pulse
  readonly line: Line
  readonly session: Session
  readonly index: ShipmentIndex
  readonly outbox: Outbox
  readonly documents: LabelDocuments
  readonly prints: PrintQueue
  status(): ReturnType<typeof deskStatus>
  /** A label is not what it was: tells the window. */
  labelMoved(labelId: string): void
  /** No reason to wait any longer, anywhere. */
  retryAll(): void
}

/** Connects the topics. Each only knows its own callbacks; who hears of what is written here alone. */
export function connectTopics(ports: DeskPorts, scope: Scope, tuning: DeskTuning): Topics {
  const { store, printer, clock } = ports
  const events = createEvents(tuning.onFault)
  const pulse = createPulse(clock, () => events.emit('status', status()))
  const changed = (): void => pulse.beat()
  const labelMoved = (labelId: string): void => {
    const label = pulse.isStopped() ? null : store.labels.get(labelId)
    if (label) events.emit('returnLabel', toLabelView(label))
    changed()
  }
  const line = createLine(clock, changed)
  const shared = { ...ports, onFault: tuning.onFault, line }
  const session = new Session({ ...shared, scope, settings: store.settings, changed: () => sessionChanged() })
  const index = new ShipmentIndex({ ...shared, session, store: store.index, options: tuning.index, changed })
  const chain = connectChain({ ...shared, session, quietMs: tuning.quietMs, labelMoved, changed })
  const retryAll = (): void => {
    index.retryNow()
    chain.outbox.retryNow()
    chain.documents.retryNow(null)
  }
  const sessionChanged = (): void => {
    events.emit('session', session.view())
    if (session.isSignedIn) retryAll()
  }
  const status = (): ReturnType<typeof deskStatus> =>
    deskStatus({
      line,
      index,
      prints: chain.prints,
      commands: store.outbox,
      labels: store.labels,
      jobs: store.printJobs,
      folder: printer.folder,
    })
  return { events, pulse, line, session, index, ...chain, status, labelMoved, retryAll }
}

interface ChainParts extends DeskPorts {
  readonly session: Session
  readonly line: Line
  readonly quietMs: number
  readonly labelMoved: (labelId: string) => void
  readonly changed: () => void
  readonly onFault: (error: unknown) => void
}

/** Create and request, then the PDF, then the paper: each step hands the label to the next. */
function connectChain(parts: ChainParts): Pick<Topics, 'outbox' | 'documents' | 'prints'> {
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
    printerName: printer.name,
    moved(labelId) {
      labelMoved(labelId)
      prints.kick()
    },
  })
  const outbox = new Outbox({
    ...parts,
    labels,
    store: store.outbox,
    types: commandTypes(api, session, store.outbox, () => clock.now()),
    moved(labelId, answer) {
      labelMoved(labelId)
      if (answer?.url) documents.fetch(labelId, answer.url)
    },
  })
  return { outbox, documents, prints }
}
