import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { openSqlite } from '#kit/open-sqlite.ts'
import { openStore } from '#local/open-store.ts'
import { commandBarcode } from '#shared/domain/commands.ts'
import { normaliseCode } from '#shared/domain/references.ts'
import { type Scope, scopeKey } from '#shared/domain/scope.ts'
import { bulkPicks } from '#support/bulk-goods.ts'
import { bulkCodes, bulkSerials, bulkShipment, bulkShipments, madeAt } from '#support/bulk-shipments.ts'
import { benchScope, DeskBench } from '#support/desk-bench.ts'
import { shareOf } from './bench-share.ts'
import { workFolder } from './bulk-file.ts'
import { printFigure } from './figure.ts'
import { say } from './progress.ts'

const shipments = shareOf(100_000, 1_000)
const lookups = shareOf(10_000, 200)
const scans = shareOf(1_000, 100)
const days = 150
const pageRows = 200

/**
 * Measures the look-up of a code among 100,000 shipments: in the store alone, and in a desk without a connection to its
 * service.
 */
export async function benchShipmentIndex(): Promise<void> {
  const dataDir = workFolder('shipments')
  try {
    say(`keeping ${shipments} shipments …`)
    await fill(dataDir, benchScope)
    await benchLookup(dataDir, benchScope)
  } finally {
    rmSync(dataDir, { recursive: true, force: true })
  }
  await benchOffline()
}

async function fill(dataDir: string, scope: Scope): Promise<void> {
  const store = await openStore(dataDir, scopeKey(scope), () => undefined)
  const bulk = bulkShipments(shipments, days, Date.now())
  const now = Date.now()
  for (let newest = shipments - 1; newest >= 0; newest -= pageRows) {
    const length = Math.min(pageRows, newest + 1)
    const page = Array.from({ length }, (_, index) => one(newest - index))
    const oldest = Date.parse(page.at(-1)?.created_at ?? '')
    const isLast = newest - length < 0
    await store.index.put(page, now, () => ({
      newest: now,
      oldest: isLast ? now - 400 * 24 * 3600_000 : oldest,
      complete: isLast,
      syncedAt: now,
    }))
  }
  store.close()

  function one(number: number): ReturnType<typeof bulkShipment> {
    return bulkShipment(number, madeAt(bulk, number, shipments - 1))
  }
}

/** Returns codes of randomly chosen shipments, of every kind by which a shipment is found. */
function someCodes(count: number, seed: number): { code: string; isSerial: boolean }[] {
  return bulkPicks(count, shipments, seed).map((number, turn) => {
    const shipment = bulkShipment(number, 0)
    const serials = bulkSerials(shipment)
    const codes = [...bulkCodes(shipment), ...serials]
    const code = codes[turn % codes.length] ?? shipment.reference
    return { code, isSerial: serials.includes(code) }
  })
}

async function benchLookup(dataDir: string, scope: Scope): Promise<void> {
  const store = await openStore(dataDir, scopeKey(scope), () => undefined)
  const database = openSqlite(join(dataDir, 'recent.db'), 'cache', { readonly: true })
  const bare = database.prepare<[string, string]>(
    'SELECT shipment_id FROM shipment_codes WHERE scope = ? AND code = ?',
  )
  const own: number[] = []
  const raw: number[] = []
  for (const { code, isSerial } of someCodes(lookups, 3)) {
    const startedAt = performance.now()
    const key = normaliseCode(code)
    const found = isSerial ? store.index.findSerial(key) : store.index.find(key)
    const foundAt = performance.now()
    bare.all(scopeKey(scope), key)
    raw.push((performance.now() - foundAt) * 1000)
    own.push((foundAt - startedAt) * 1000)
    if (found.length === 0) throw new Error(`${code} was not found`)
  }
  database.close()
  store.close()
  printFigure(
    { name: `a code among ${shipments} shipments to its shipment`, values: own },
    { name: 'the bare key in the same file, without the shipment', values: raw },
    { unit: 'us', goal: { of: 'p95', atMost: 50_000 } },
  )
}

/** Measures a scan in the desk from the code to the result, including the fsync of the journal. */
async function benchOffline(): Promise<void> {
  const bench = await DeskBench.create()
  try {
    await fill(bench.dataDir, benchScope)
    const desk = await bench.open(() => null)
    const own: number[] = []
    const commands: number[] = []
    for (const { code } of someCodes(scans, 5)) {
      const startedAt = performance.now()
      const { kind } = await desk.scan.submit({ raw: code, expect: 'anything' })
      const foundAt = performance.now()
      await desk.scan.submit({ raw: commandBarcode('HELP'), expect: 'anything' })
      commands.push(performance.now() - foundAt)
      own.push(foundAt - startedAt)
      if (kind !== 'shipment') throw new Error(`${code} is ${kind}`)
    }
    printFigure(
      { name: `scan to its shipment among ${shipments}, without the service`, values: own },
      { name: 'a scan that is only written down, in turn', values: commands },
      { goal: { of: 'p95', atMost: 50 } },
    )
  } finally {
    await bench.dispose()
  }
}
