// RxDB on its in-memory storage, with an index on the EAN.
import { createRxDatabase } from 'rxdb/plugins/core'
import { getRxStorageMemory } from 'rxdb/plugins/storage-memory'
import { measureLookups } from './lookup.mjs'

const text = { type: ['string', 'null'] }
const number = { type: ['number', 'null'] }
const database = await createRxDatabase({
  name: 'bench',
  storage: getRxStorageMemory(),
  multiInstance: false,
})
await database.addCollections({
  variants: {
    schema: {
      version: 0,
      type: 'object',
      primaryKey: 'id',
      properties: {
        id: { type: 'string', maxLength: 40 },
        ean: { type: 'string', maxLength: 20 },
        article_code: { type: 'string', maxLength: 40 },
        sku: { type: 'string', maxLength: 60 },
        name: text,
        description: text,
        hs_tariff_code: text,
        height: number,
        depth: number,
        width: number,
        weight: number,
        value: number,
        expirable: { type: 'boolean' },
        using_serial_numbers: { type: 'boolean' },
        country_of_origin: text,
        created_at: { type: 'string' },
        modified_at: { type: 'string' },
      },
      required: ['id', 'ean', 'article_code', 'sku'],
      indexes: ['ean', 'sku', 'article_code'],
    },
  },
})
await measureLookups({
  async load(portions) {
    for (const rows of portions) await database.variants.bulkInsert(rows)
  },
  find: async (ean) => (await database.variants.findOne({ selector: { ean } }).exec())?.toJSON(),
})
process.exit()
