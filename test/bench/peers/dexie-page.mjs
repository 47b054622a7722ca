// test/bench/dexie-in-chromium.ts serves this script to Chromium, where Dexie stores its rows in IndexedDB.
import { Dexie } from './dexie.mjs'

const warmUp = 200
const portion = 1_000

/** Measures the microseconds of each look-up by EAN, over the rows that `/rows` serves (one JSON text per line). */
export async function measureLookups(lookups) {
  const text = await (await fetch('/rows')).text()
  const rows = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  const database = new Dexie('bench')
  database.version(1).stores({ variants: 'id,ean,sku,article_code' })
  for (let start = 0; start < rows.length; start += portion)
    await database.variants.bulkAdd(rows.slice(start, start + portion))
  const us = []
  for (let turn = -warmUp; turn < lookups; turn++) {
    const { ean } = rows[((turn + warmUp) * 7_919) % rows.length]
    const startedAt = performance.now()
    const found = await database.variants.where('ean').equals(ean).first()
    const tookUs = (performance.now() - startedAt) * 1_000
    if (found?.ean !== ean) throw new Error(`${ean} was not found`)
    if (turn >= 0) us.push(tookUs)
  }
  return us
}
