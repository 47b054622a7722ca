import { rmSync } from 'node:fs'
import { foldText } from '#shared/domain/text-forms.ts'
import { bulkEan, bulkPicks, bulkVariant } from '#support/bulk-goods.ts'
import { fromScanTo } from '#support/scan.ts'
import {
  catalogueAtRest,
  isFilling,
  openDeskAt,
  type RunningDesk,
  timeScans,
  timeSearches,
  untilFilling,
} from './app-under-bench.ts'
import { putCatalogue, workFolder } from './bulk-file.ts'
import { printFigure } from './figure.ts'
import { benchLike } from './catalogue-like.ts'
import type { PageService } from './page-service.ts'
import { say } from './progress.ts'

const million = 1_000_000
const scansWhileFilling = 500
const cards = 30
const searches = 600
const scansOnEachLine = 250
const calls = 1_000
const dayMs = 24 * 3600_000

/** Measures scans while the desk reads all of its million articles again. */
export async function benchScanWhileFilling(service: PageService): Promise<void> {
  const dataDir = workFolder('filling')
  const scope = service.scopeOf(million)
  putCatalogue(dataDir, scope, million, Date.now() - 2 * dayMs)
  say('scanning while a million articles are read again …')
  const { app, page } = await openDeskAt(dataDir, scope)
  try {
    await untilFilling(page)
    const { answers, empty } = await timeScans(page, eans(scansWhileFilling, 1))
    const shown: number[] = []
    for (const number of bulkPicks(cards, million, 2))
      shown.push(
        await fromScanTo(page, bulkEan(number), `[data-article="${bulkVariant(number).article_code}"]`),
      )
    if (!(await isFilling(page))) throw new Error('the read of everything was over before the scans were')
    const peer = { name: 'an empty call over the bridge, meanwhile', values: empty }
    printFigure(
      { name: 'EAN scan to answer in the window, a million articles, while syncing', values: answers },
      peer,
      {
        goal: { of: 'p99', atMost: 10 },
      },
    )
    printFigure({ name: 'EAN scan to painted card, a million articles, while syncing', values: shown }, peer)
  } finally {
    await app.close()
    rmSync(dataDir, { recursive: true, force: true })
  }
}

/**
 * Measures a desk with a million articles: searches during typing, the memory after as many calls as in a working day,
 * and scans while the service does not respond.
 */
export async function benchFullDesk(service: PageService): Promise<void> {
  const dataDir = workFolder('full')
  const scope = service.scopeOf(million)
  putCatalogue(dataDir, scope, million, Date.now())
  const empty = await memoryOfAnEmptyDesk(service)
  const desk = await openDeskAt(dataDir, scope)
  try {
    await catalogueAtRest(desk.page)
    const texts = typedTexts(searches)
    say(`searching among a million articles, ${searches} texts as they are typed …`)
    const found = await timeSearches(desk.page, texts)
    const figure = {
      name: 'search as you type to answer in the window, a million articles',
      values: found.answers,
    }
    printFigure(figure, benchLike(dataDir, scope, texts), { goal: { of: 'p99', atMost: 10 } })
    printFigure(figure, { name: 'an empty call over the bridge, meanwhile', values: found.empty })
    const full = await memoryAfterCalls(desk)
    printFigure(
      { name: `main process, a million articles, after ${calls} scans and searches`, values: [full] },
      { name: 'the same desk without articles', values: [empty] },
      { unit: 'MB', goal: { of: 'p50', atMost: 300 } },
    )
    await benchSilentLine(desk, service)
  } finally {
    await desk.app.close()
    rmSync(dataDir, { recursive: true, force: true })
  }
}

/**
 * Measures scans while the service accepts connections but does not respond, alternating with scans while the service
 * responds.
 */
async function benchSilentLine({ page }: RunningDesk, service: PageService): Promise<void> {
  say('scanning with a service that says nothing …')
  const online: number[] = []
  const silent: number[] = []
  for (const seed of [11, 13]) {
    service.silence(false)
    online.push(...(await timeScans(page, eans(scansOnEachLine, seed))).answers)
    service.silence(true)
    // `sync` begins a read of the articles. The service does not respond to it, so calls of the desk are open during
    // the scans
    await page.evaluate(() => void window.scandesk.catalogue.sync())
    silent.push(...(await timeScans(page, eans(scansOnEachLine, seed + 1))).answers)
  }
  service.silence(false)
  printFigure(
    { name: 'EAN scan to answer from what is kept, the service silent', values: silent },
    { name: 'the same with the service answering', values: online },
    { goal: { of: 'p99Ratio', atMost: 2 } },
  )
}

async function memoryOfAnEmptyDesk(service: PageService): Promise<number> {
  const dataDir = workFolder('empty')
  const desk = await openDeskAt(dataDir, service.scopeOf(0))
  try {
    return await memoryAfterCalls(desk)
  } finally {
    await desk.app.close()
    rmSync(dataDir, { recursive: true, force: true })
  }
}

/**
 * Measures the resident megabytes of the main process after `calls` scans and `calls` searches. The scans and searches
 * need not find an article.
 */
async function memoryAfterCalls({ app, page }: RunningDesk): Promise<number> {
  const scans = eans(calls, 3)
  const texts = typedTexts(calls)
  await page.evaluate(
    async (all) => {
      for (const raw of all.scans) await window.scandesk.scan.submit({ raw, expect: 'anything' })
      for (const text of all.texts) await window.scandesk.article.search({ text, limit: 20 })
    },
    { scans, texts },
  )
  return (await app.evaluate(() => process.memoryUsage.rss())) / 1e6
}

function eans(count: number, seed: number): string[] {
  return bulkPicks(count, million, seed).map(bulkEan)
}

/** Returns texts that a search field contains while names and codes of articles are typed, one text after each key. */
function typedTexts(count: number): string[] {
  const stages = bulkPicks(count, million, 5).flatMap((number) => {
    const { name, sku, ean, article_code: code } = bulkVariant(number)
    const [brand = '', style = '', thing = '', , colour = ''] = name.split(' ')
    const whole =
      [`${brand} ${thing} ${colour}`, `${style} ${colour} ${thing}`, sku ?? '', ean ?? '', code][
        number % 5
      ] ?? ''
    const plain = foldText(whole)
    return Array.from(plain, (_, index) => plain.slice(0, index + 1))
  })
  const step = 7_919
  return Array.from({ length: count }, (_, index) => stages[(index * step) % stages.length] ?? '')
}
