// Shared by the peers in Node: rows from a file (one JSON text per line), and look-ups by EAN timed one by one.
import { readFileSync } from 'node:fs'

const [rowsFile = '', lookups = '1000'] = process.argv.slice(2)
const warmUp = 200
/** The number of rows that a peer inserts at once. */
const portion = 1_000

/** `load` gets the rows in portions, `find` gets an EAN. Prints `{"us": [...]}`. */
export async function measureLookups({ load, find }) {
  const rows = readFileSync(rowsFile, 'utf8').trimEnd().split('\n').map(JSON.parse)
  const portions = []
  for (let start = 0; start < rows.length; start += portion) portions.push(rows.slice(start, start + portion))
  await load(portions)
  const us = []
  for (let turn = -warmUp; turn < Number(lookups); turn++) {
    // The step is a prime: it reaches every row in an order that no cache predicts.
    const { ean } = rows[((turn + warmUp) * 7_919) % rows.length]
    const startedAt = performance.now()
    const found = await find(ean)
    const tookUs = (performance.now() - startedAt) * 1_000
    if (found?.ean !== ean) throw new Error(`${ean} was not found`)
    if (turn >= 0) us.push(tookUs)
  }
  console.log(JSON.stringify({ us }))
}
