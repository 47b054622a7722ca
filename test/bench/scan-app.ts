import { rmSync } from 'node:fs'
import type { Page } from '@playwright/test'
import { bulkEan, bulkPicks, bulkVariant } from '#support/bulk-goods.ts'
import { byHand } from '#support/label-wishes.ts'
import { scan } from '#support/scan.ts'
import { catalogueAtRest, isFilling, openDeskAt, untilFilling } from './app-under-bench.ts'
import { shareOf } from './bench-share.ts'
import { putCatalogue, workFolder } from './bulk-file.ts'
import { printFigure } from './figure.ts'
import type { PageService } from './page-service.ts'
import { say } from './progress.ts'
import { hearSounds, type ScanTimes, timeScan } from './scan-sounds.ts'

const million = shareOf(1_000_000, 10_000)
const scansInCalm = shareOf(200, 20)
const scansInSync = shareOf(200, 20)
const scansInPrints = shareOf(100, 20)
const labels = 10
const dayMs = 24 * 3600_000

/** Measures scans without other work, and then while ten labels are printed. */
export async function benchScansCalm(service: PageService): Promise<void> {
  const dataDir = workFolder('scans')
  const scope = service.scopeOf(million)
  putCatalogue(dataDir, scope, million, Date.now())
  const { app, page } = await openDeskAt(dataDir, scope)
  try {
    await catalogueAtRest(page)
    await hearSounds(page)
    say(`scanning ${scansInCalm} articles …`)
    printTimes('', await timeScans(page, articles(scansInCalm, 21)))
    say(`scanning while ${labels} labels print, until there are ${scansInPrints} scans …`)
    printTimes(`, while ${labels} labels print`, await timeScansInPrints(page))
  } finally {
    await app.close()
    rmSync(dataDir, { recursive: true, force: true })
  }
}

/** Measures scans while the desk reads all articles again. */
export async function benchScansInSync(service: PageService): Promise<void> {
  const dataDir = workFolder('scans-in-sync')
  const scope = service.scopeOf(million)
  putCatalogue(dataDir, scope, million, Date.now() - 2 * dayMs)
  const { app, page } = await openDeskAt(dataDir, scope)
  try {
    await hearSounds(page)
    await untilFilling(page)
    say(`scanning ${scansInSync} articles while all are read again …`)
    printTimes(
      ', while all articles are read again',
      await timeScans(page, articles(scansInSync, 23), () => isFilling(page)),
    )
  } finally {
    await app.close()
    rmSync(dataDir, { recursive: true, force: true })
  }
}

interface Times {
  readonly sounds: number[]
  readonly cards: number[]
  readonly empty: number[]
}

/**
 * Measures scans while labels print, until there are enough values. Makes ten more labels whenever no write and no
 * print waits any more.
 */
async function timeScansInPrints(page: Page): Promise<Times> {
  const all: Times = { sounds: [], cards: [], empty: [] }
  const left = articles(scansInPrints, 22)
  for (let round = 1; all.sounds.length < scansInPrints; round++) {
    await makeLabels(page, round)
    const some = await timeScans(page, left.slice(all.sounds.length), () => arePrinting(page))
    for (const part of ['sounds', 'cards', 'empty'] as const) all[part].push(...some[part])
  }
  return all
}

interface Article {
  readonly raw: string
  readonly card: string
}

function articles(count: number, seed: number): Article[] {
  return bulkPicks(count, million, seed).map((number) => ({
    raw: bulkEan(number),
    card: `[data-article="${bulkVariant(number).article_code}"]`,
  }))
}

/**
 * Measures scans, with an empty call over the bridge after each scan. Stops when `goesOn` resolves with false, which
 * means that the other work (such as a read of articles) has ended.
 */
async function timeScans(
  page: Page,
  scans: readonly Article[],
  goesOn: () => Promise<boolean> = () => Promise.resolve(true),
): Promise<Times> {
  const times: Times = { sounds: [], cards: [], empty: [] }
  for (const { raw, card } of scans) {
    const { soundMs, cardMs }: ScanTimes = await timeScan(page, card, () => scan(page, raw))
    if (!(await goesOn())) break
    times.sounds.push(soundMs)
    times.cards.push(cardMs)
    times.empty.push(
      await page.evaluate(async () => {
        const startedAt = performance.now()
        await window.scandesk.app.info()
        return performance.now() - startedAt
      }),
    )
  }
  if (times.sounds.length === 0) throw new Error('what should happen beside the scans was over before them')
  return times
}

function printTimes(beside: string, { sounds, cards, empty }: Times): void {
  const peer = { name: 'an empty call over the bridge, in turn', values: empty }
  printFigure({ name: `scan to sound, ${million} articles${beside}`, values: sounds }, peer, {
    goal: { of: 'p95', atMost: 50 },
  })
  printFigure({ name: `scan to painted card, ${million} articles${beside}`, values: cards }, peer, {
    goal: { of: 'p95', atMost: 100 },
  })
}

async function makeLabels(page: Page, round: number): Promise<void> {
  const modes = Array.from({ length: labels }, (_, number) => byHand(`BENCH-${round}-${number}`))
  await page.evaluate(async (all) => {
    for (const mode of all) {
      const made = await window.scandesk.returnLabel.make({ mode, request: true, seen: null })
      if (!made.ok) throw new Error(made.error.code)
    }
  }, modes)
}

/** Whether a write or a print of the labels still waits. */
async function arePrinting(page: Page): Promise<boolean> {
  return page.evaluate(async () => {
    const status = await window.scandesk.desk.status()
    return status.ok && status.value.waitingWrites.length + status.value.waitingPrints.length > 0
  })
}
