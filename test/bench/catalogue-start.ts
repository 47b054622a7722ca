import { rmSync } from 'node:fs'
import { catalogueAtRest, launchDesk, openDeskAt, readyPage } from './app-under-bench.ts'
import { putCatalogue, workFolder } from './bulk-file.ts'
import { printFigure } from './figure.ts'
import type { PageService } from './page-service.ts'
import { say } from './progress.ts'

const million = 1_000_000
const launches = 5

/**
 * Measures the time from the launch until the screen for scans is painted and articles can be found. Launches with a
 * million articles alternate with launches without articles.
 */
export async function benchStart(service: PageService): Promise<void> {
  const folders = { full: workFolder('start-full'), empty: workFolder('start-empty') }
  const full: number[] = []
  const empty: number[] = []
  try {
    putCatalogue(folders.full, service.scopeOf(million), million, Date.now())
    await prepare(folders.full, service, million)
    await prepare(folders.empty, service, 0)
    say(`starting the app ${2 * launches} times …`)
    for (let round = 0; round < launches; round++) {
      full.push(await timeLaunch(folders.full))
      empty.push(await timeLaunch(folders.empty))
    }
  } finally {
    for (const folder of Object.values(folders)) rmSync(folder, { recursive: true, force: true })
  }
  printFigure(
    { name: 'launch to ready with a million articles', values: full },
    { name: 'the same without any', values: empty },
    { goal: { of: 'ratio', atMost: 1.2 } },
  )
}

/** Sets up a station in the data folder, logs in and waits until all articles are read. */
async function prepare(dataDir: string, service: PageService, rows: number): Promise<void> {
  const { app, page } = await openDeskAt(dataDir, service.scopeOf(rows))
  await catalogueAtRest(page)
  await app.close()
}

async function timeLaunch(dataDir: string): Promise<number> {
  const startedAt = performance.now()
  const app = await launchDesk(dataDir)
  try {
    const page = await readyPage(app)
    await page.locator('[data-catalogue="ready"]').waitFor()
    return performance.now() - startedAt
  } finally {
    await app.close()
  }
}
