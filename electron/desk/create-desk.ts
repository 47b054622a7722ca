import { limitsOf } from '#shared/domain/keep-limits.ts'
import { type Scope, scopeKey } from '#shared/domain/scope.ts'
import { Articles } from './catalogue/articles.ts'
import { createScans } from './create-scans.ts'
import type { Desk } from './desk.ts'
import { Locations } from './modifications/locations.ts'
import { LabelLooks } from './labels/label-look.ts'
import { Queue } from './queue/queue.ts'
import { ReturnLabels } from './labels/return-labels.ts'
import { Shipments } from './shipments/shipments.ts'
import { PlainPaper } from './paper/plain-paper.ts'
import { Prints } from './paper/prints.ts'
import type { DeskPorts } from './desk-ports.ts'
import { connectTopics, type DeskTuning, type Topics } from './topics.ts'
import { Storage } from './storage.ts'
import { withTimeout } from './timing/calls.ts'

/** Puts a desk together from its ports. Nothing runs before `start()`. */
export function createDesk(ports: DeskPorts, scope: Scope, tuning: DeskTuning): Desk {
  const { store, api, clock } = ports
  const topics = connectTopics(ports, scope, tuning)
  const { session, index, line, modifications } = topics
  const storage = createStorage(ports, topics, tuning)
  const shipments = new Shipments({
    api,
    session,
    index,
    line,
    clock,
    store: store.index,
    freshMs: tuning.freshMs,
    askMs: tuning.askMs,
  })
  const { labels } = store
  const locations = new Locations({ book: store.locations, clock })
  const returnLabels = new ReturnLabels({
    ...topics,
    labels,
    printers: ports.printers,
    labelIndex: store.labelIndex,
    index: store.index,
    settings: store.settings,
    shipments,
    looks: new LabelLooks({
      ...{ api, session, line, clock, labels, printers: ports.printers, askMs: tuning.askMs },
      ...{ labelIndex: store.labelIndex, index: store.index },
    }),
    clock,
    moved: (labelId) => topics.labelMoved(labelId),
  })
  return {
    session,
    scan: createScans(ports, topics, tuning, { shipments, locations, modifications, returnLabels }),
    returnLabel: returnLabels,
    article: new Articles({
      api,
      session,
      line,
      clock,
      catalogue: store.catalogue,
      lots: store.lots,
      stock: store.stock,
      askMs: tuning.askMs,
    }),
    catalogue: topics.catalogue,
    queue: createQueue(ports, topics),
    modification: modifications,
    location: locations,
    storage,
    print: createPrints(ports, topics),
    paper: new PlainPaper(topics.prints, clock),
    printersChanged: () => topics.prints.printersChanged(),
    status: () => topics.status(),
    waitingAt: (other) => store.waitingAt(scopeKey(other)),
    on: (event, listener) => topics.events.on(event, listener),
    ...createLife(topics, ports, storage, tuning.closeMs),
  }
}

function createStorage({ store, clock }: DeskPorts, topics: Topics, tuning: DeskTuning): Storage {
  const { line, reach, labelReach, index, labelIndex } = topics
  const storage = new Storage({
    ...tuning,
    storage: store.storage,
    clock,
    serviceTime: () => line.serviceTime(),
    kept(days) {
      for (const one of [reach, labelReach]) one.keepAtMost(limitsOf(days).desk)
      for (const walker of [index, labelIndex]) walker.reachChanged()
    },
  })
  line.onBack(() => storage.lineIsBack())
  return storage
}

function createPrints(ports: DeskPorts, topics: Topics): Prints {
  const { labels, vault, printJobs: jobs } = ports.store
  return new Prints({ ...ports, ...topics, labels, vault, jobs, moved: topics.labelMoved })
}

function createQueue({ store, clock }: DeskPorts, topics: Topics): Queue {
  return new Queue({
    ...topics,
    store: store.queue,
    commands: store.outbox,
    clock,
    moved({ kind, id }) {
      topics.kinds[kind].decided(id)
      topics.statusChange.soon()
      topics.lateWatch.kick()
    },
    changed: () => topics.statusChange.soon(),
  })
}

/** Start and end of everything that works by itself. */
function createLife(
  topics: Topics,
  { store, clock, network }: DeskPorts,
  storage: Storage,
  closeMs: number,
): Pick<Desk, 'start' | 'close'> {
  let stopHint = (): void => undefined
  let closing: Promise<void> | null = null
  const close = async (): Promise<void> => {
    stopHint()
    topics.statusChange.stop()
    const { lineWatch, index, labelIndex, catalogue, modificationWatch, decisionWatch } = topics
    const { outbox, documents, prints, lateWatch, otherDesks } = topics
    const lists = [lineWatch, index, labelIndex, catalogue, modificationWatch, decisionWatch]
    const parts = [...lists, outbox, documents, prints, lateWatch, otherDesks]
    const ends = Promise.allSettled(parts.map((part) => part.close()))
    await withTimeout<unknown>(clock, closeMs, ends, () => null)
    await storage.close()
    store.close()
  }
  return {
    async start() {
      await topics.session.restore()
      storage.start()
      stopHint = network.onBack(() => topics.retryAll())
      topics.outbox.start()
      topics.documents.kick()
      topics.prints.start()
      topics.lineWatch.kick()
      topics.index.kick()
      topics.labelIndex.kick()
      topics.catalogue.kick()
      topics.modificationWatch.retryNow()
      topics.decisionWatch.retryNow()
      topics.lateWatch.kick()
      topics.otherDesks.kick()
    },
    close: () => (closing ??= close()),
  }
}
