// Shared code of the peers in Node: loads rows from a file (one JSON text per line), and measures look-ups by EAN one
// by one.
import { readFileSync } from 'node:fs'

const [rowsFile = '', lookups = '1000'] = process.argv.slice(2)
const warmUp = 200
/** The number of rows that a compared program (peer) inserts at once. */
const portion = 1_000

/**
 * Measures the look-ups by EAN of a compared program (peer). `load` inserts the rows in portions, and `find` looks up
 * an EAN. Prints the microseconds of each look-up as `{"us": [...]}`.
 */
export async function measureLookups({ load, find }) {
  const rows = readFileSync(rowsFile, 'utf8').trimEnd().split('\n').map(JSON.parse)
  const portions = []
  for (let start = 0; start < rows.length; start += portion) portions.push(rows.slice(start, start + portion))
  await load(portions)
  const us = []
  for (let turn = -warmUp; turn < Number(lookups); turn++) {
    // The step is a prime number, so that no row is repeated before all rows were read, in an order that no cache
    // predicts.
    const { ean } = rows[((turn + warmUp) * 7_919) % rows.length]
    const startedAt = performance.now()
    const found = await find(ean)
    const tookUs = (performance.now() - startedAt) * 1_000
    if (found?.ean !== ean) throw new Error(`${ean} was not found`)
    if (turn >= 0) us.push(tookUs)
  }
  console.log(JSON.stringify({ us }))
}
