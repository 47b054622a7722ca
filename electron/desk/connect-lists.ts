import { failure } from '#shared/errors/catalogue.ts'
import type { ReturnLabel } from '#shared/wire/return-label.ts'
import type { Shipment } from '#shared/wire/shipment.ts'
import { Catalogue } from './catalogue/catalogue.ts'
import { type IndexOptions, IndexReach } from './shipments/index-reach.ts'
import { IndexWalker } from './shipments/index-walker.ts'
import { KeptShipments } from './shipments/kept-shipments.ts'
import type { Line } from './service/line.ts'
import type { ApiOutcome, ApiPort, RecentQuery, RowPage } from './ports/api.ts'
import type { ClockPort } from './ports/clock.ts'
import type { StorePort } from './ports/store.ts'
import type { OperatorCalls } from './timing/calls.ts'
import type { Session } from './service/session.ts'

export interface ListTuning {
  readonly index: IndexOptions
  readonly labelIndex: IndexOptions
  /** Between two looks for changed articles, in milliseconds. */
  readonly catalogueEveryMs: number
  /** How long somebody who asks for articles waits for an answer, in milliseconds. */
  readonly askMs: number
}

interface ListParts {
  readonly api: ApiPort
  readonly store: StorePort
  readonly clock: ClockPort
  readonly session: Session
  readonly line: Line
  readonly operatorCalls: OperatorCalls
  readonly changed: () => void
  readonly onFault: (error: unknown) => void
}

export interface Lists {
  readonly index: IndexWalker<Shipment>
  readonly labelIndex: IndexWalker<ReturnLabel>
  readonly catalogue: Catalogue
  /** How far back the shipments go. */
  readonly reach: IndexReach
  readonly labelReach: IndexReach
}

/** What is kept of the service's lists, so that a scan is answered without it. */
export function connectLists(parts: ListParts, tuning: ListTuning): Lists {
  const { api, store } = parts
  const reach = new IndexReach(store.settings, tuning.index)
  const labelReach = new IndexReach(null, tuning.labelIndex)
  const index = new IndexWalker<Shipment>({
    ...parts,
    list: async (access, query) => readable(await api.listShipments(access, query), query),
    store: store.index,
    reach,
    options: tuning.index,
  })
  return {
    reach,
    labelReach,
    index,
    labelIndex: new IndexWalker<ReturnLabel>({
      ...parts,
      list: async (access, query) => readable(await api.listReturnLabels(access, query), query),
      store: store.labelIndex,
      reach: labelReach,
      options: tuning.labelIndex,
    }),
    catalogue: new Catalogue({
      ...parts,
      store: store.catalogue,
      settings: store.settings,
      shipments: new KeptShipments({ index, reach }),
      everyMs: tuning.catalogueEveryMs,
      waitMs: tuning.askMs,
    }),
  }
}

/** A page of which nothing can be read says nothing of where the list goes on, unless it was one row. */
function readable<Row>(outcome: ApiOutcome<RowPage<Row>>, { limit }: RecentQuery): ApiOutcome<RowPage<Row>> {
  if (outcome.kind !== 'answer') return outcome
  const { rows, skipped } = outcome.value
  if (rows.length > 0 || skipped.length === 0 || limit === 1) return outcome
  return { kind: 'ambiguous', status: outcome.status, failure: failure('api.malformed_answer') }
}
