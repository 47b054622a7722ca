import type { LocationView, ModificationView } from '#shared/bridge/stock-views.ts'
import type { Locations } from '../modifications/locations.ts'
import type { Modifications } from '../modifications/modifications.ts'
import type { CatalogueStore, StoredVariant } from '../ports/catalogue-store.ts'
import type { LabelLedger, LabelRow } from '../ports/label-ledger.ts'
import type { LabelIndexStore, StoredShipment } from '../ports/recent-store.ts'
import type { Shipments } from '../shipments/shipments.ts'
import type { Asked, Found } from './scan-question.ts'

/** Where a scan is looked up without a network, and how what is found is shown. */
export interface ScanSources {
  readonly shipments: Pick<Shipments, 'all'>
  readonly catalogue: Pick<CatalogueStore, 'byCode'>
  readonly locations: Pick<Locations, 'byCode'>
  readonly modifications: Pick<Modifications, 'byReference'>
  readonly labels: Pick<LabelLedger, 'byCode'>
  readonly labelIndex: Pick<LabelIndexStore, 'byCode'>
  readonly show: {
    shipment(asked: Asked, stored: StoredShipment): Promise<Found>
    label(asked: Asked, label: LabelRow): Found
    article(asked: Asked, stored: StoredVariant): Found
    location(asked: Asked, found: { readonly location: LocationView; readonly isNew: boolean }): Found
    modification(asked: Asked, modification: ModificationView): Found
  }
}
