import type { Scope } from '#shared/domain/scope.ts'
import { createScans } from './create-scans.ts'
import type { Desk } from './desk.ts'
import { Locations } from './locations.ts'
import { Lots } from './lots.ts'
import { ModificationDrafts } from './modification-drafts.ts'
import { Modifications } from './modifications.ts'
import { ReturnLabels } from './return-labels.ts'
import { Shipments } from './shipments.ts'
import { resolveUnknown } from './unknown-writes.ts'
import { connectTopics, type DeskPorts, type DeskTuning, type Topics } from './topics.ts'
import { within } from './within.ts'

/** Puts a desk together from its ports. Nothing runs before `start()`. */
export function createDesk(ports: DeskPorts, scope: Scope, tuning: DeskTuning): Desk {
  const { store, api, clock } = ports
  const topics = connectTopics(ports, scope, tuning)
  const { session, index, line } = topics
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
  const modifications = createModifications(ports, topics, tuning)
  const returnLabels = new ReturnLabels({
    ...topics,
    labels,
    labelIndex: store.labelIndex,
    index: store.index,
    settings: store.settings,
    shipments,
    clock,
    moved: (labelId) => topics.labelMoved(labelId),
  })
  return {
    session: {
      state: () => session.view(),
      login: (credentials) => session.login(credentials),
      logout: () => session.logout(),
    },
    scans: createScans(ports, topics, tuning, { shipments, locations, modifications, returnLabels }),
    returnLabels,
    articles: new Lots({
      ...ports,
      ...topics,
      catalogue: store.catalogue,
      store: store.lots,
      askMs: tuning.askMs,
    }),
    catalogue: topics.catalogue,
    resolveUnknown: (commandId, decision) =>
      resolveUnknown(
        { ...topics, commands: store.outbox, clock, moved: (subject) => topics.subjectMoved(subject) },
        commandId,
        decision,
      ),
    modifications,
    locations,
    printerChanged: () => topics.prints.printerChanged(),
    status: () => topics.status(),
    on: (event, listener) => topics.events.on(event, listener),
    ...createLife(topics, ports, tuning.closeMs),
  }
}

function createModifications(
  { store, api, clock }: DeskPorts,
  { session, outbox, modificationMoved }: Topics,
  { onFault }: DeskTuning,
): Modifications {
  const { draft: drafts, locations, catalogue } = store
  return new Modifications({
    api,
    session,
    clock,
    outbox,
    commands: store.outbox,
    ledger: store.modifications,
    drafts: new ModificationDrafts({ drafts, locations, catalogue }),
    moved: modificationMoved,
    onFault,
  })
}

/** Start and end of everything that works by itself. */
function createLife(
  topics: Topics,
  { store, clock, network }: DeskPorts,
  closeMs: number,
): Pick<Desk, 'start' | 'close'> {
  let stopHint = (): void => undefined
  let closing: Promise<void> | null = null
  const close = async (): Promise<void> => {
    stopHint()
    topics.pulse.stop()
    const { index, labelIndex, catalogue, outbox, documents, prints, modificationWatch } = topics
    const parts = [index, labelIndex, catalogue, outbox, documents, prints, modificationWatch]
    const ends = Promise.allSettled(parts.map((part) => part.close()))
    await within<unknown>(clock, closeMs, ends, () => null)
    store.close()
  }
  return {
    async start() {
      await topics.session.restore()
      stopHint = network.onBack(() => topics.retryAll())
      topics.outbox.start()
      topics.documents.kick()
      await topics.prints.start()
      topics.index.kick()
      topics.labelIndex.kick()
      topics.catalogue.kick()
      topics.modificationWatch.retryNow()
    },
    close: () => (closing ??= close()),
  }
}
