import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Page } from '@playwright/test'
import { openSqlite } from '#kit/open-sqlite.ts'
import { bulkEan, bulkPicks } from '#support/bulk-goods.ts'
import { scan } from '#support/scan.ts'
import { catalogueAtRest, openDeskAt, type RunningDesk } from './app-under-bench.ts'
import { shareOf } from './bench-share.ts'
import { putCatalogue, workFolder } from './bulk-file.ts'
import { printFigure } from './figure.ts'
import type { PageService } from './page-service.ts'
import { say } from './progress.ts'

const million = shareOf(1_000_000, 10_000)
const inARow = shareOf(200, 20)
const everyMs = 200
const many = shareOf(10_000, 300)
const looks = 20

/**
 * Scans two hundred codes at five per second, none of which may be lost. Then scans ten thousand codes. In the second
 * half of them, the memory may be at most a tenth larger than after the first quarter.
 */
export async function benchManyScans(service: PageService): Promise<void> {
  const dataDir = workFolder('many-scans')
  const scope = service.scopeOf(million)
  putCatalogue(dataDir, scope, million, Date.now())
  const desk = await openDeskAt(dataDir, scope)
  try {
    await catalogueAtRest(desk.page)
    await benchInARow(desk.page, dataDir)
    await benchMemory(desk)
  } finally {
    await desk.app.close()
    rmSync(dataDir, { recursive: true, force: true })
  }
}

async function benchInARow(page: Page, dataDir: string): Promise<void> {
  say(`${inARow} scans, one every ${everyMs} ms …`)
  const codes = bulkPicks(inARow, million, 31).map(bulkEan)
  for (const code of codes) {
    const next = performance.now() + everyMs
    await scan(page, code, { pauseMs: 20 })
    await sleep(Math.max(0, next - performance.now()))
  }
  await sleep(2_000)
  const journal = readJournal(dataDir)
  // If the same code is scanned twice in a row, it must be in the journal twice.
  const lost = codes.filter((code, turn) => journal[turn] !== code).length
  printFigure(
    { name: `of ${inARow} scans, one every ${everyMs} ms: lost, merged or out of order`, values: [lost] },
    { name: 'scans handed in', values: [codes.length] },
    { unit: 'scans', goal: { of: 'p50', atMost: 0 } },
  )
}

function readJournal(dataDir: string): string[] {
  const database = openSqlite(join(dataDir, 'desk.db'), 'cache', { readonly: true })
  try {
    return database.prepare<[], string>('SELECT raw FROM scans ORDER BY seq').pluck().all()
  } finally {
    database.close()
  }
}

interface Memory {
  readonly main: number[]
  readonly page: number[]
}

async function benchMemory({ app, page }: RunningDesk): Promise<void> {
  say(`${many} scans …`)
  const devtools = await page.context().newCDPSession(page)
  const memory: Memory = { main: [], page: [] }
  const codes = bulkPicks(many, million, 33).map(bulkEan)
  for (const [turn, code] of codes.entries()) {
    await scan(page, code, { gapMs: 2, pauseMs: 30 })
    if ((turn + 1) % Math.ceil(many / looks) !== 0) continue
    await devtools.send('HeapProfiler.collectGarbage')
    const { usedSize } = await devtools.send('Runtime.getHeapUsage')
    memory.page.push(usedSize / 1e6)
    memory.main.push((await app.evaluate(() => process.memoryUsage.rss())) / 1e6)
  }
  for (const part of ['main', 'page'] as const) printMemory(part, memory[part])
}

/**
 * Compares the memory in the second half of the scans with the memory after the first quarter. The caches are full
 * after the first quarter, so later growth is a leak.
 */
function printMemory(part: keyof Memory, values: readonly number[]): void {
  const names = { main: 'resident memory of the main process', page: 'heap of the window' }
  const half = values.slice(Math.floor(values.length / 2))
  say(`${names[part]}: ${slopeOf(half).toFixed(3)} MB more at each of ${looks} looks, over the second half`)
  printFigure(
    { name: `${names[part]}, the second half of ${many} scans`, values: half },
    {
      name: 'the same after the first quarter',
      values: values.slice(Math.floor(looks / 4) - 1, Math.floor(looks / 4)),
    },
    { unit: 'MB', goal: { of: 'ratio', atMost: 1.1 } },
  )
}

/** Returns the slope of the straight line that fits equally spaced values, in their unit per step. */
function slopeOf(values: readonly number[]): number {
  const middle = (values.length - 1) / 2
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length
  const above = values.reduce((sum, value, index) => sum + (index - middle) * (value - mean), 0)
  const below = values.reduce((sum, _, index) => sum + (index - middle) ** 2, 0)
  return below === 0 ? 0 : above / below
}
