// What the peers in Node have in common: rows from a file (one JSON text a line), look-ups by EAN timed one by one.
import { readFileSync } from 'node:fs'

const [rowsFile = '', lookups = '1000'] = process.argv.slice(2)
const warmUp = 200
/** Rows that a peer takes in at once. */
const portion = 1_000

/** `load` gets the rows in portions, `find` an EAN; prints `{"us": [...]}`. */
export async function measureLookups({ load, find }) {
  const rows = readFileSync(rowsFile, 'utf8').trimEnd().split('\n').map(JSON.parse)
  const portions = []
  for (let start = 0; start < rows.length; start += portion) portions.push(rows.slice(start, start + portion))
  await load(portions)
  const us = []
  for (let turn = -warmUp; turn < Number(lookups); turn++) {
    // a prime step: every row in an order that no cache foresees
    const { ean } = rows[((turn + warmUp) * 7_919) % rows.length]
    const startedAt = performance.now()
    const found = await find(ean)
    const tookUs = (performance.now() - startedAt) * 1_000
    if (found?.ean !== ean) throw new Error(`${ean} was not found`)
    if (turn >= 0) us.push(tookUs)
  }
  console.log(JSON.stringify({ us }))
}
