// PouchDB on its LevelDB adapter, with a Mango index on the EAN.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import PouchFind from 'pouchdb-find'
import PouchDB from 'pouchdb-node'
import { measureLookups } from './lookup.mjs'

PouchDB.plugin(PouchFind)
const folder = mkdtempSync(join(tmpdir(), 'scandesk-pouchdb-'))
const database = new PouchDB(join(folder, 'variants'))
try {
  await measureLookups({
    async load(portions) {
      for (const rows of portions)
        await database.bulkDocs(rows.map(({ id, ...row }) => ({ _id: id, ...row })))
      await database.createIndex({ index: { fields: ['ean'] } })
      // A first query is made before the measurement, because it builds the index.
      await database.find({ selector: { ean: 'none' } })
    },
    find: async (ean) => (await database.find({ selector: { ean }, limit: 1 })).docs[0],
  })
} finally {
  await database.close()
  rmSync(folder, { recursive: true, force: true })
}
