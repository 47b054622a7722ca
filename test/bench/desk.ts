import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { _electron, type Page } from 'playwright'
import { sandbox } from '#shared/domain/sandbox.ts'
import { engine, launchEnvironment } from '#support/app.ts'
import { commandText, fromScanTo, scan } from '#support/scan.ts'
import { connectEmbedded, type ServiceClient } from '#support/service-client.ts'
import { launchDesk, readyPage } from './app-under-bench.ts'
import { printFigure } from './figure.ts'
import { byHand } from '#support/keyboard.ts'

const repo = resolve(import.meta.dirname, '../..')
const launches = 5
const scans = 40
const labels = 20

/**
 * Measures the built app with key events of a scanner: the times from the launch to the login screen, from a scan to
 * its card, and from a scan to the printed label.
 */
export async function benchDesk(): Promise<void> {
  await benchLaunch()
  const dataDir = mkdtempSync(join(tmpdir(), 'scandesk-bench-'))
  const app = await launchDesk(dataDir)
  try {
    const page = await readyPage(app)
    await page.keyboard.press('Enter', byHand)
    await page.locator('html[data-screen="stage"]').waitFor()
    const service = await connectEmbedded(dataDir)
    await benchScan(page, service)
    await benchPrint(page, service)
  } finally {
    await app.close()
    rmSync(dataDir, { recursive: true, force: true })
  }
}

/**
 * Measures the time from the launch to the painted login screen. The first launch also fills the database of the
 * embedded middleware, and the other launches use this database.
 */
async function benchLaunch(): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), 'scandesk-bench-'))
  const first: number[] = []
  const again: number[] = []
  const bare: number[] = []
  for (let round = 0; round <= launches; round++) {
    const startedAt = performance.now()
    const app = await launchDesk(dataDir)
    await readyPage(app)
    ;(round === 0 ? first : again).push(performance.now() - startedAt)
    await app.close()
    bare.push(await launchBare())
  }
  rmSync(dataDir, { recursive: true, force: true })
  const peer = { name: `a window with one line of text on the same engine (${engine})`, values: bare }
  printFigure({ name: 'first launch to login screen', values: first }, peer)
  printFigure({ name: 'launch to login screen', values: again }, peer)
}

async function launchBare(): Promise<number> {
  const userData = mkdtempSync(join(tmpdir(), 'scandesk-bare-'))
  const startedAt = performance.now()
  const app = await _electron.launch({
    args: [join(repo, 'test/electron-stand-in/probe'), `--data-dir=${userData}`],
    cwd: repo,
    env: { ...launchEnvironment, STANDIN_STRICT: '' },
  })
  const page = await app.firstWindow()
  await page.waitForURL(/^(?!about:)/)
  const tookMs = performance.now() - startedAt
  await app.close()
  rmSync(userData, { recursive: true, force: true })
  return tookMs
}

async function benchScan(page: Page, service: ServiceClient): Promise<void> {
  const card: number[] = []
  const bridge: number[] = []
  for (const { reference } of await service.shipments(scans)) {
    card.push(await fromScanTo(page, reference, `[data-shipment="${reference}"]`))
    bridge.push(
      await page.evaluate(async () => {
        const startedAt = performance.now()
        await window.scandesk.app.info()
        return performance.now() - startedAt
      }),
    )
  }
  printFigure(
    { name: 'scan to card', values: card },
    { name: 'one empty call over the bridge', values: bridge },
  )
}

async function benchPrint(page: Page, service: ServiceClient): Promise<void> {
  const printed: number[] = []
  const bare: number[] = []
  const shipments = (await service.shipments(400)).slice(100)
  for (let round = 0; round < labels; round++) {
    const [mine, peers] = [shipments[round * 2], shipments[round * 2 + 1]]
    if (!mine || !peers) break
    await scan(page, mine.reference)
    await page.locator(`[data-shipment="${mine.reference}"]`).waitFor()
    printed.push(await fromScanTo(page, await commandText(page, 'PRIMARY'), '[data-phase="printed"]'))
    bare.push(await bareCalls(service, peers.id))
  }
  printFigure(
    { name: 'command scan to printed label', values: printed },
    { name: 'the same three calls (create, request, document) without a desk', values: bare },
  )
}

async function bareCalls(service: ServiceClient, shipmentId: string): Promise<number> {
  const startedAt = performance.now()
  const created = await service.post('/wms/return-labels/', { shipment_id: shipmentId })
  const requested = await service.post(`/wms/return-labels/${created.id}/request`)
  if (!requested.url) throw new Error(`${sandbox.wmsCode} gave no document`)
  await (await fetch(requested.url)).arrayBuffer()
  return performance.now() - startedAt
}
