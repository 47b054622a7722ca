import { failure } from '#shared/errors/catalogue.ts'
import type { ReturnLabel } from '#shared/wire/return-label.ts'
import type { Shipment } from '#shared/wire/shipment.ts'
import { Catalogue } from './catalogue/catalogue.ts'
import type { DeskCore } from './desk-core.ts'
import type { DeskPorts, DeskTuning } from './desk-ports.ts'
import type { ApiOutcome, RecentQuery, RowPage } from './ports/api.ts'
import { IndexReach } from './shipments/index-reach.ts'
import { IndexWalker } from './shipments/index-walker.ts'
import { KeptShipments } from './shipments/kept-shipments.ts'

export interface Lists {
  readonly index: IndexWalker<Shipment>
  readonly labelIndex: IndexWalker<ReturnLabel>
  readonly catalogue: Catalogue
  /** The period of the index of shipments: how many days of shipments it contains. */
  readonly reach: IndexReach
  readonly labelReach: IndexReach
}

/** Creates the local copies of the service's lists. With these copies the desk resolves a scan without the service. */
export function connectLists(
  { api, store, clock }: DeskPorts,
  { session, line, age, operatorCalls, changed }: DeskCore,
  tuning: DeskTuning,
): Lists {
  const { onSkipped, onListStopped, onFault } = tuning
  const reach = new IndexReach(store.values, tuning.index)
  const labelReach = new IndexReach(null, tuning.labelIndex)
  const index = new IndexWalker<Shipment>({
    list: async (access, query) => readable(await api.listShipments(access, query), query),
    session,
    line,
    store: store.index,
    clock,
    age,
    reach,
    operatorCalls,
    options: tuning.index,
    changed,
    onSkipped: (rows) => {
      onSkipped('shipments', rows)
    },
    onStopped: (failure) => {
      onListStopped('shipments', failure)
    },
    onFault,
  })
  const labelIndex = new IndexWalker<ReturnLabel>({
    list: async (access, query) => readable(await api.listReturnLabels(access, query), query),
    session,
    line,
    store: store.labelIndex,
    clock,
    age,
    reach: labelReach,
    operatorCalls,
    options: tuning.labelIndex,
    changed,
    onSkipped: (rows) => {
      onSkipped('return-labels', rows)
    },
    onStopped: (failure) => {
      onListStopped('return-labels', failure)
    },
    onFault,
  })
  const catalogue = new Catalogue({
    store: store.catalogue,
    values: store.values,
    shipments: new KeptShipments({ index, labelIndex, reach }),
    session,
    line,
    clock,
    everyMs: tuning.catalogueEveryMs,
    waitMs: tuning.askMs,
    changed,
    onFault,
  })
  return { index, labelIndex, catalogue, reach, labelReach }
}

/**
 * Converts a page of which every row is unreadable into a malformed response, because such a page does not show where
 * the list continues. A page of length 1 is not converted, because the walk can leave out its row.
 */
function readable<Row>(outcome: ApiOutcome<RowPage<Row>>, { limit }: RecentQuery): ApiOutcome<RowPage<Row>> {
  if (outcome.kind !== 'answer') return outcome
  const { rows, skipped } = outcome.value
  if (rows.length > 0 || skipped.length === 0 || limit === 1) return outcome
  return { kind: 'ambiguous', status: outcome.status, failure: failure('api.malformed_answer') }
}
