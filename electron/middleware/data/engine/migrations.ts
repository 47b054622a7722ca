import type { Migration } from 'kysely/migration'
import { identity } from '../migrations/0001-identity.ts'
import { goods } from '../migrations/0002-goods.ts'
import { shipments } from '../migrations/0003-shipments.ts'
import { returnLabels } from '../migrations/0004-return-labels.ts'
import { inbounds } from '../migrations/0005-inbounds.ts'
import { modifications } from '../migrations/0006-modifications.ts'
import { goodsLists } from '../migrations/0007-goods-lists.ts'
import { documents } from '../migrations/0008-documents.ts'
import { orders } from '../migrations/0009-orders.ts'
import { stockAndPersons } from '../migrations/0010-stock-and-persons.ts'
import { inboundsWhole } from '../migrations/0011-inbounds-whole.ts'
import { bundles } from '../migrations/0012-bundles.ts'
import { transfers } from '../migrations/0013-transfers.ts'
import { exports } from '../migrations/0014-exports.ts'
import { webhooks } from '../migrations/0015-webhooks.ts'
import { logins } from '../migrations/0016-logins.ts'
import { livingReferences } from '../migrations/0017-living-references.ts'
import { warehouse } from '../migrations/0018-warehouse.ts'
import { eventLimits } from '../migrations/0019-event-limits.ts'
import { shippedSerials } from '../migrations/0020-shipped-serials.ts'
import { exportLimits } from '../migrations/0021-export-limits.ts'
import { documentLimits } from '../migrations/0022-document-limits.ts'

/** Applied in the order of their keys; a key once released never changes. Static, so that a bundle carries them. */
export const migrations: Record<string, Migration> = {
  '0001-identity': identity,
  '0002-goods': goods,
  '0003-shipments': shipments,
  '0004-return-labels': returnLabels,
  '0005-inbounds': inbounds,
  '0006-modifications': modifications,
  '0007-goods-lists': goodsLists,
  '0008-documents': documents,
  '0009-orders': orders,
  '0010-stock-and-persons': stockAndPersons,
  '0011-inbounds-whole': inboundsWhole,
  '0012-bundles': bundles,
  '0013-transfers': transfers,
  '0014-exports': exports,
  '0015-webhooks': webhooks,
  '0016-logins': logins,
  '0017-living-references': livingReferences,
  '0018-warehouse': warehouse,
  '0019-event-limits': eventLimits,
  '0020-shipped-serials': shippedSerials,
  '0021-export-limits': exportLimits,
  '0022-document-limits': documentLimits,
}
