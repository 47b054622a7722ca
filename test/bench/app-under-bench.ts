import { resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { _electron, type ElectronApplication, type Page } from 'playwright'
import type { Scope } from '#shared/domain/scope.ts'
import { launchEnvironment } from '#support/app.ts'
import { logIn, setUpStation } from '#support/set-up-station.ts'

const repo = resolve(import.meta.dirname, '../..')
const pollMs = 100

export interface RunningDesk {
  readonly app: ElectronApplication
  readonly page: Page
}

export function launchDesk(dataDir: string): Promise<ElectronApplication> {
  return _electron.launch({
    args: ['.', `--data-dir=${dataDir}`, '--lang=en'],
    cwd: repo,
    env: launchEnvironment,
  })
}

/** Resolves with the window when its login screen or its screen for scans (the stage) is painted. */
export async function readyPage(app: ElectronApplication): Promise<Page> {
  const page = await app.firstWindow()
  await page.locator('html[data-screen="login"], html[data-screen="stage"]').waitFor()
  return page
}

/** Opens a desk with a station for the scope, logs in and waits until the catalogue is complete. */
export async function openDeskAt(dataDir: string, scope: Scope): Promise<RunningDesk> {
  const app = await launchDesk(dataDir)
  try {
    const page = await readyPage(app)
    const login = { username: 'bench', password: 'bench' }
    const server = {
      url: scope.baseUrl,
      wms: scope.wmsCode,
      customer: scope.customerCode,
      others: { readOnly: null, customer: null, warehouse: null },
      ...login,
    }
    await setUpStation({ app, page }, server, scope.customerCode)
    await logIn(page, login.username, login.password)
    await page.locator('[data-catalogue="ready"]').waitFor()
    return { app, page }
  } catch (error) {
    await app.close()
    throw error
  }
}

/**
 * The number of article rows that the read in progress has read so far. Null: no read is in progress and all articles
 * are stored. `not yet`: no read is in progress and articles are missing, or the desk did not return its status.
 */
type Filling = number | null | 'not yet'

async function fillingOf(page: Page): Promise<Filling> {
  return page.evaluate(async () => {
    const status = await window.scandesk.desk.status()
    if (!status.ok) return 'not yet'
    const { state, progress } = status.value.catalogue
    return progress?.rows ?? (state === 'ready' ? null : 'not yet')
  })
}

async function until(page: Page, isSo: (filling: Filling) => boolean): Promise<void> {
  while (!isSo(await fillingOf(page))) await sleep(pollMs)
}

/** Waits until all articles are stored and no read of them is in progress. */
export async function catalogueAtRest(page: Page): Promise<void> {
  await until(page, (filling) => filling === null)
}

/** Waits until the first articles of a full read have arrived. */
export async function untilFilling(page: Page): Promise<void> {
  await until(page, (filling) => typeof filling === 'number' && filling > 0)
}

/** Whether a full read of the articles is in progress. */
export async function isFilling(page: Page): Promise<boolean> {
  return typeof (await fillingOf(page)) === 'number'
}

export interface BridgeTimes {
  readonly answers: readonly number[]
  /** Milliseconds of each empty call over the same bridge. One empty call follows each measured call. */
  readonly empty: readonly number[]
}

/**
 * Measures scans: the milliseconds from the call in the page to the result of the call. Each code is scanned once and
 * belongs to an article.
 */
export async function timeScans(page: Page, codes: readonly string[]): Promise<BridgeTimes> {
  return page.evaluate(async (all) => {
    const answers: number[] = []
    const empty: number[] = []
    for (const raw of all) {
      const startedAt = performance.now()
      const scanned = await window.scandesk.scan.submit({ raw, expect: 'anything' })
      const answeredAt = performance.now()
      await window.scandesk.app.info()
      empty.push(performance.now() - answeredAt)
      answers.push(answeredAt - startedAt)
      if (!scanned.ok || scanned.value.kind !== 'article')
        throw new Error(`${raw}: ${JSON.stringify(scanned)}`)
    }
    return { answers, empty }
  }, codes)
}

/**
 * Measures searches: the milliseconds from the call in the page to the result of the call. Each search must find an
 * article.
 */
export async function timeSearches(page: Page, texts: readonly string[]): Promise<BridgeTimes> {
  return page.evaluate(async (all) => {
    const answers: number[] = []
    const empty: number[] = []
    for (const text of all) {
      const startedAt = performance.now()
      const found = await window.scandesk.article.search({ text, limit: 20 })
      const answeredAt = performance.now()
      await window.scandesk.app.info()
      empty.push(performance.now() - answeredAt)
      answers.push(answeredAt - startedAt)
      if (!found.ok || found.value.articles.length === 0) throw new Error(`nothing was found for ${text}`)
    }
    return { answers, empty }
  }, texts)
}
