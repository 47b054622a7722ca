import { limitsOf } from '#shared/domain/keep-limits.ts'
import { type Scope, scopeKey } from '#shared/domain/scope.ts'
import { Articles } from './catalogue/articles.ts'
import { type Chain, connectChain } from './connect-chain.ts'
import { connectLists, type Lists } from './connect-lists.ts'
import { createScans } from './create-scans.ts'
import type { Desk } from './desk.ts'
import { createCore, type DeskCore } from './desk-core.ts'
import type { DeskPorts, DeskTuning } from './desk-ports.ts'
import { LabelLooks } from './labels/label-look.ts'
import { ReturnLabels } from './labels/return-labels.ts'
import { DecisionWatch } from './modifications/decision-watch.ts'
import { Locations } from './modifications/locations.ts'
import { ModificationWatch } from './modifications/modification-watch.ts'
import { PlainPaper } from './paper/plain-paper.ts'
import { Prints } from './paper/prints.ts'
import { Queue } from './queue/queue.ts'
import { LineWatch } from './service/line.ts'
import { forgetUnusedSessions } from './service/session.ts'
import { Shipments } from './shipments/shipments.ts'
import { finishRemovals, forgetStation } from './station-removal.ts'
import { deskStatus } from './status.ts'
import { Storage } from './storage.ts'
import { withTimeout } from './timing/calls.ts'
import { kindOf } from './writes.ts'

/**
 * Creates a desk from its ports: the core, then the background work (lists, watches, and the steps of a write from
 * sending to printing), then the domains, whose methods the window calls. Each class gets the parts that it needs as
 * named arguments. A part that needs to notify a part created later uses a Signal. Nothing runs before `start()`.
 */
export function createDesk(ports: DeskPorts, scope: Scope, tuning: DeskTuning): Desk {
  const { store, clock } = ports
  const core = createCore(ports, scope, tuning)
  const lists = connectLists(ports, core, tuning)
  const watches = createWatches(ports, core, tuning)
  const chain = connectChain(ports, core, watches.decisionWatch, tuning)
  const work = { lists, watches, chain }
  const storage = createStorage(ports, core, lists, tuning)
  const status = createStatus(ports, core, work, storage)
  core.statusDue.on(() => core.events.emit('status', status()))
  const retryAll = connectRetries(core, work)
  const shipments = createShipments(ports, core, lists, tuning)
  const locations = new Locations({ book: store.locations, clock })
  const { modifications, prints } = chain
  const returnLabels = createReturnLabels(ports, core, chain, shipments, tuning)
  const life = createLife(ports, scope, core, work, storage, retryAll, tuning)
  return {
    session: core.session,
    scan: createScans(ports, core, lists, { shipments, locations, modifications, returnLabels }, tuning),
    returnLabel: returnLabels,
    article: createArticles(ports, core, tuning),
    modification: modifications,
    location: locations,
    catalogue: lists.catalogue,
    print: createPrints(ports, core, chain),
    paper: new PlainPaper(prints, clock),
    queue: createQueue(ports, core, chain),
    storage,
    printersChanged: () => void prints.printersChanged().catch(tuning.onFault),
    status,
    waitingAt: (other) => store.waitingAt(scopeKey(other)),
    forgetStation: (other) =>
      forgetStation({ store, secrets: ports.secrets, onFault: tuning.onFault }, other),
    on: (event, listener) => core.events.on(event, listener),
    start: () => life.start(),
    close() {
      returnLabels.close()
      return life.close()
    },
  }
}

interface Watches {
  readonly lineWatch: LineWatch
  readonly modificationWatch: ModificationWatch
  readonly decisionWatch: DecisionWatch
}

/**
 * Creates three watches. They watch the connection, the bookings of all desks (to learn locations), and the warehouse's
 * decisions about the bookings of this desk.
 */
function createWatches(
  { store, api, clock }: DeskPorts,
  { session, pageLimit, line, modificationMoved: moved }: DeskCore,
  { index, onFault }: DeskTuning,
): Watches {
  const { locations, modifications: ledger } = store
  return {
    lineWatch: new LineWatch({ line, session, api, clock, everyMs: index.offlineEveryMs, onFault }),
    modificationWatch: new ModificationWatch({
      ...{ api, session, pageLimit, locations, ledger, clock, moved, onFault },
    }),
    decisionWatch: new DecisionWatch({ api, session, pageLimit, line, ledger, clock, moved, onFault }),
  }
}

/** The parts of a desk that work in the background. */
interface Work {
  readonly lists: Lists
  readonly watches: Watches
  readonly chain: Chain
}

function createStatus(
  { store }: DeskPorts,
  { line }: DeskCore,
  { lists, chain }: Work,
  storage: Storage,
): Desk['status'] {
  return () =>
    deskStatus({
      line,
      commands: store.outbox,
      outbox: chain.outbox,
      queue: store.queue,
      factsOf: chain.factsOf,
      jobs: store.printJobs,
      prints: chain.prints,
      index: lists.index,
      labelIndex: lists.labelIndex,
      catalogue: lists.catalogue,
      storage,
    })
}

/**
 * Returns a function that ends all pauses after failed calls to the service, so that the calls are repeated now. The
 * pauses of printers continue. The desk also calls this function when the connection is back after an outage, and after
 * a login.
 */
function connectRetries(
  { events, line, session, sessionChanged, changed }: DeskCore,
  { lists, watches, chain }: Work,
): () => void {
  const { index, labelIndex, catalogue } = lists
  const { lineWatch, modificationWatch, decisionWatch } = watches
  const { outbox, documents, lateWatch, otherDesks } = chain
  const readers = [lineWatch, index, labelIndex, catalogue, modificationWatch, decisionWatch]
  const retryAll = (): void => {
    for (const one of [...readers, lateWatch, otherDesks]) one.retryNow()
    outbox.resume()
    documents.retryNow(null)
  }
  line.onBack((wasLost) => {
    if (wasLost) retryAll()
  })
  sessionChanged.on(() => {
    events.emit('session', session.state())
    changed()
    outbox.loginChanged()
    if (session.isSignedIn) retryAll()
    else outbox.kick()
  })
  return retryAll
}

function createStorage(
  { store, clock }: DeskPorts,
  { line, age, changed }: DeskCore,
  { index, labelIndex, reach, labelReach }: Lists,
  { keepDays, backUpEveryMs, onFault }: DeskTuning,
): Storage {
  const storage = new Storage({
    storage: store.storage,
    clock,
    age,
    keepDays,
    kept(days) {
      for (const one of [reach, labelReach]) one.keepAtMost(limitsOf(days).desk)
      for (const walker of [index, labelIndex]) walker.reachChanged()
    },
    changed,
    backUpEveryMs,
    onFault,
  })
  line.onBack(() => storage.lineIsBack())
  return storage
}

function createShipments(
  { store, api, clock }: DeskPorts,
  { session, line }: DeskCore,
  { index }: Lists,
  { freshMs, askMs }: DeskTuning,
): Shipments {
  return new Shipments({ api, session, store: store.index, index, line, clock, freshMs, askMs })
}

function createArticles(
  { store, api, clock }: DeskPorts,
  { session, line }: DeskCore,
  { askMs }: DeskTuning,
): Articles {
  const { catalogue, lots, stock } = store
  return new Articles({ api, session, line, clock, catalogue, lots, stock, askMs })
}

function createReturnLabels(
  { store, api, printers, clock }: DeskPorts,
  { session, line, labelMoved }: DeskCore,
  { outbox, documents, prints, reader }: Chain,
  shipments: Shipments,
  { askMs }: DeskTuning,
): ReturnLabels {
  const { labels, labelIndex, index, values } = store
  return new ReturnLabels({
    labels,
    outbox,
    documents,
    prints,
    printers,
    shipments,
    index,
    labelIndex,
    reader,
    looks: new LabelLooks({ api, session, line, clock, labels, labelIndex, index, printers, askMs }),
    values,
    session,
    clock,
    moved: labelMoved,
  })
}

function createPrints(
  { store, printers, clock }: DeskPorts,
  { session, labelMoved }: DeskCore,
  { prints }: Chain,
): Prints {
  const { printJobs: jobs, labels, vault } = store
  return new Prints({ jobs, labels, vault, printers, prints, session, clock, moved: labelMoved })
}

function createQueue(
  { store, clock }: DeskPorts,
  { session, line, changed }: DeskCore,
  { kinds, factsOf, outbox, lateWatch }: Chain,
): Queue {
  return new Queue({
    store: store.queue,
    commands: store.outbox,
    kinds,
    factsOf,
    outbox,
    session,
    line,
    clock,
    moved(subject) {
      kindOf(kinds, subject).decided(subject.id)
      changed()
      lateWatch.kick()
    },
    changed,
  })
}

/** Creates the functions that start and end all background work of a desk. */
function createLife(
  { store, clock, network }: DeskPorts,
  scope: Scope,
  { session, statusChange }: DeskCore,
  { lists, watches, chain }: Work,
  storage: Storage,
  retryAll: () => void,
  { closeMs, stations, onFault }: DeskTuning,
): Pick<Desk, 'start' | 'close'> {
  const { index, labelIndex, catalogue } = lists
  const { lineWatch, modificationWatch, decisionWatch } = watches
  const { outbox, documents, prints, lateWatch, otherDesks } = chain
  let stopHint = (): void => undefined
  let closing: Promise<void> | null = null
  const close = async (): Promise<void> => {
    stopHint()
    statusChange.stop()
    const readers = [lineWatch, index, labelIndex, catalogue, modificationWatch, decisionWatch]
    const senders = [outbox, documents, prints, lateWatch, otherDesks]
    const ends = Promise.allSettled([...readers, ...senders].map((part) => part.close()))
    await Promise.all([withTimeout<unknown>(clock, closeMs, ends, () => null), session.close(closeMs)])
    try {
      // releases the lease of the outbox, because this process may open the station again soon; while a process runs, a
      // lease that it did not release is not free before it expires
      outbox.release()
    } catch (error) {
      onFault(error)
    }
    await storage.close()
    store.close()
  }
  return {
    async start() {
      await finishRemovals({ store, onFault }, scope)
      try {
        const used = stations()
        if (used) forgetUnusedSessions(store, used)
      } catch (error) {
        // if the stored sessions of scopes that no station uses cannot be removed, for example because the disk is
        // full, the desk still starts, and the next start removes them
        onFault(error)
      }
      await session.restore()
      storage.start()
      stopHint = network.onBack(retryAll)
      outbox.start()
      documents.kick()
      prints.start()
      lineWatch.kick()
      index.kick()
      labelIndex.kick()
      catalogue.kick()
      modificationWatch.retryNow()
      decisionWatch.retryNow()
      lateWatch.kick()
      otherDesks.kick()
    },
    close: () => (closing ??= close()),
  }
}
