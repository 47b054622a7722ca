import type { ReturnLabelView } from '#shared/bridge/label-views.ts'
import { ok, type Result } from '#shared/errors/result.ts'
import { ArticleLookup } from './catalogue/article-lookup.ts'
import type { Lists } from './connect-lists.ts'
import type { DeskCore } from './desk-core.ts'
import type { DeskPorts, DeskTuning } from './desk-ports.ts'
import { describeLabel, newLabelId } from './labels/label-records.ts'
import { toLabelView } from './labels/label-view.ts'
import type { ReturnLabels } from './labels/return-labels.ts'
import type { Locations } from './modifications/locations.ts'
import type { Modifications } from './modifications/modifications.ts'
import { scanBack } from './paper/prints.ts'
import type { LabelLedger } from './ports/label-ledger.ts'
import type { PrintersPort } from './ports/printers.ts'
import type { StoredReturnLabel } from './ports/recent-store.ts'
import { ScanAnswers } from './scans/scan-answers.ts'
import { ScanResolver } from './scans/scan-resolver.ts'
import { Scans } from './scans/scans.ts'
import type { Shipments } from './shipments/shipments.ts'
import { withTimeout } from './timing/calls.ts'

/** The classes that give access to the records that a scan may name. */
interface Scannable {
  readonly shipments: Shipments
  readonly locations: Locations
  readonly modifications: Modifications
  readonly returnLabels: ReturnLabels
}

/** Creates the part that resolves scans, with all sources of the records that a scan may name. */
export function createScans(
  { store, api, clock, printers }: DeskPorts,
  { session, line, operatorCalls, labelMoved }: DeskCore,
  { index, labelIndex }: Lists,
  { shipments, locations, modifications, returnLabels }: Scannable,
  { askMs, freshMs, commandSecret, onFault }: DeskTuning,
): Scans {
  const { labels, printJobs: jobs } = store
  const answers = new ScanAnswers({ store: store.choices, clock })
  const resolver = new ScanResolver({
    shipments,
    articles: new ArticleLookup({ api, session, line, clock, store: store.catalogue, askMs }),
    locations,
    modifications,
    labels,
    printers,
    indexView: () => index.view(),
    hasUnreadable: () => [index, labelIndex].some((walker) => walker.skipped().count !== 0),
    labelIndex: store.labelIndex,
    catalogue: store.catalogue,
    lots: store.lots,
    answers,
    commandSecret,
    takeLabel: async (known) => {
      const adopt = (): Result<ReturnLabelView> => ok(adoptLabel(labels, printers, known))
      if (line.isOffline() || !session.isSignedIn) return adopt()
      const opened = await withTimeout(clock, freshMs, returnLabels.open({ serverId: known.label.id }), adopt)
      // the failure `return_label.unknown` is the result, because it means that the service no longer has the label.
      // After any other failure, the label is used as it is in this desk's copy of the service's list of labels
      return opened.ok || opened.error.code === 'return_label.unknown' ? opened : adopt()
    },
    refreshLabels: () =>
      line.isOffline() ? Promise.resolve() : withTimeout(clock, askMs, labelIndex.refresh(), () => undefined),
  })
  return new Scans({
    journal: store.scans,
    resolver: {
      resolve: (question) => operatorCalls.during(resolver.resolve(question)),
      choose: (question, answer) => operatorCalls.during(resolver.choose(question, answer)),
    },
    answers,
    clock,
    labelScanned(outcome) {
      const { scanId, raw, label } = outcome
      const swap = scanBack({ jobs, labels, clock, moved: labelMoved }, label.id, { id: scanId, raw })
      const now = labels.get(label.id)
      return { ...outcome, swap, label: now ? toLabelView(now, printers) : label }
    },
    onFault,
  })
}

/** Adds a label of another desk to the ledger, in the state that the service listed last. */
function adoptLabel(
  labels: LabelLedger,
  printers: PrintersPort,
  { label, asOf }: StoredReturnLabel,
): ReturnLabelView {
  const madeAt = Date.parse(label.created_at)
  return toLabelView(labels.adopt(newLabelId(), describeLabel(label), madeAt, asOf), printers)
}
