import type { Scope } from '#shared/domain/scope.ts'
import type { Desk } from './desk.ts'
import { ReturnLabels } from './return-labels.ts'
import { Scans } from './scans.ts'
import { Shipments } from './shipments.ts'
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
  return {
    session: {
      state: () => session.view(),
      login: (credentials) => session.login(credentials),
      logout: () => session.logout(),
    },
    scans: new Scans({
      shipments,
      labels,
      clock,
      journal: store.scans,
      index: store.index,
      onFault: tuning.onFault,
    }),
    returnLabels: new ReturnLabels({
      ...topics,
      shipments,
      labels,
      clock,
      commands: store.outbox,
      moved: (labelId) => topics.labelMoved(labelId),
    }),
    status: () => topics.status(),
    on: (event, listener) => topics.events.on(event, listener),
    ...createLife(topics, ports, tuning.closeMs),
  }
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
    const { index, outbox, documents, prints } = topics
    const ends = Promise.allSettled([index.close(), outbox.close(), documents.close(), prints.close()])
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
    },
    close: () => (closing ??= close()),
  }
}
