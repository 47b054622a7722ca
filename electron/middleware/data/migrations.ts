import type { Migration } from 'kysely/migration'
import { identity } from './migrations/0001-identity.ts'
import { goods } from './migrations/0002-goods.ts'
import { shipments } from './migrations/0003-shipments.ts'
import { returnLabels } from './migrations/0004-return-labels.ts'
import { inbounds } from './migrations/0005-inbounds.ts'
import { modifications } from './migrations/0006-modifications.ts'
import { goodsLists } from './migrations/0007-goods-lists.ts'
import { documents } from './migrations/0008-documents.ts'

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
}
