import type { ReturnLabelView } from '#shared/bridge/label-views.ts'
import { ok, type Result } from '#shared/errors/result.ts'
import { ArticleLookup } from './catalogue/article-lookup.ts'
import { describeLabel } from './labels/label-records.ts'
import { toLabelView } from './labels/label-view.ts'
import type { Locations } from './modifications/locations.ts'
import type { Modifications } from './modifications/modifications.ts'
import type { LabelLedger } from './ports/label-ledger.ts'
import type { PrintersPort } from './ports/printers.ts'
import type { StoredReturnLabel } from './ports/recent-store.ts'
import { scanBack } from './paper/prints.ts'
import type { ReturnLabels } from './labels/return-labels.ts'
import { ScanAnswers } from './scans/scan-answers.ts'
import { ScanResolver } from './scans/scan-resolver.ts'
import { Scans } from './scans/scans.ts'
import type { Shipments } from './shipments/shipments.ts'
import type { DeskPorts } from './desk-ports.ts'
import type { DeskTuning, Topics } from './topics.ts'
import { withTimeout } from './timing/calls.ts'

export interface ScanTopics {
  readonly shipments: Shipments
  readonly locations: Locations
  readonly modifications: Modifications
  readonly returnLabels: ReturnLabels
}

/** Everything that a scan may turn out to be, asked in one place. */
export function createScans(
  { store, api, clock, printers }: DeskPorts,
  topics: Topics,
  { askMs, freshMs, commandSecret, onFault }: DeskTuning,
  { returnLabels, ...found }: ScanTopics,
): Scans {
  const { session, line, labelIndex } = topics
  const answers = new ScanAnswers({ store: store.choices, clock })
  const resolver = new ScanResolver({
    ...found,
    labels: store.labels,
    printers,
    index: store.index,
    isIndexWhole: () => topics.index.view().isWhole,
    labelIndex: store.labelIndex,
    catalogue: store.catalogue,
    lots: store.lots,
    answers,
    commandSecret,
    articles: new ArticleLookup({ api, session, line, clock, store: store.catalogue, askMs }),
    takeLabel: async (known) => {
      const adopt = (): Result<ReturnLabelView> => ok(adoptLabel(store.labels, printers, known))
      if (line.isOffline() || !session.isSignedIn) return adopt()
      const opened = await withTimeout(clock, freshMs, returnLabels.open({ serverId: known.label.id }), adopt)
      // it is gone for the service; any other failure leaves what was listed before
      return opened.ok || opened.error.code === 'return_label.unknown' ? opened : adopt()
    },
    refreshLabels: () =>
      line.isOffline() ? Promise.resolve() : withTimeout(clock, askMs, labelIndex.refresh(), () => undefined),
  })
  return new Scans({
    resolver: {
      resolve: (question) => topics.operatorCalls.during(resolver.resolve(question)),
      choose: (question, answer) => topics.operatorCalls.during(resolver.choose(question, answer)),
    },
    answers,
    clock,
    onFault,
    journal: store.scans,
    labelScanned(outcome) {
      const { scanId, raw, label } = outcome
      const parts = { jobs: store.printJobs, labels: store.labels, clock, moved: topics.labelMoved }
      const swap = scanBack(parts, label.id, { id: scanId, raw })
      const now = store.labels.get(label.id)
      return { ...outcome, swap, label: now ? toLabelView(now, printers) : label }
    },
  })
}

/** A label of another desk comes into the ledger as the service listed it last. */
function adoptLabel(
  labels: LabelLedger,
  printers: PrintersPort,
  { label, asOf }: StoredReturnLabel,
): ReturnLabelView {
  const madeAt = Date.parse(label.created_at)
  return toLabelView(labels.adopt(crypto.randomUUID(), describeLabel(label), madeAt, asOf), printers)
}
