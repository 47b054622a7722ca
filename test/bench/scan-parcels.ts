import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import type { Shipment } from '#shared/wire/shipment.ts'
import { exitCode, firstLine, spawnCli } from '#support/middleware-children.ts'
import { scan } from '#support/scan.ts'
import { connect } from '#support/service-client.ts'
import { logIn, setUpStation } from '#support/set-up-station.ts'
import { catalogueAtRest, launchDesk, readyPage } from './app-under-bench.ts'
import { shareOf } from './bench-share.ts'
import { workFolder } from './bulk-file.ts'
import { printFigure } from './figure.ts'
import { say } from './progress.ts'
import { hearSounds, timeScan } from './scan-sounds.ts'

const scansOfEach = shareOf(100, 20)

/**
 * Measures scans of parcels without a label, alternating with scans of parcels with a label. For a parcel without a
 * label, the desk asks the service whether another desk made a label. The difference between the two times until the
 * card is shown is the cost of this request.
 */
export async function benchParcelScans(): Promise<void> {
  const data = mkdtempSync(join(tmpdir(), 'scandesk-bench-parcels-'))
  const dataDir = workFolder('parcels')
  const child = spawnCli('--port', '0', '--data', data, '--seed', 'demo', '--sandbox')
  const server = await firstLine(child)
  const app = await launchDesk(dataDir)
  try {
    const page = await readyPage(app)
    await setUpStation({ app, page }, server, 'Bench')
    await logIn(page, server.username, server.password ?? '')
    await catalogueAtRest(page)
    const [bare, labelled] = halves(await (await connect(server.url)).shipments(400))
    say(`making ${labelled.length} labels …`)
    await makeLabels(page, labelled)
    await hearSounds(page)
    say(`scanning ${bare.length} parcels without a label, and as many with one …`)
    const looks: number[] = []
    const known: number[] = []
    for (const [i, parcel] of bare.entries()) {
      looks.push(await timeCard(page, parcel))
      known.push(await timeCard(page, labelled[i] ?? parcel))
    }
    printFigure(
      { name: 'scan to painted card, a parcel whose label is looked for', values: looks },
      { name: 'a parcel with a label, without a look, in turn', values: known },
      { goal: { of: 'p95Ratio', atMost: 1.2 } },
    )
  } finally {
    await app.close()
    child.kill()
    await exitCode(child)
    for (const folder of [data, dataDir]) rmSync(folder, { recursive: true, force: true })
  }
}

/**
 * Returns two lists of `scansOfEach` shipments. Each shipment is the only one of its order, so that the scan of its
 * parcel is never ambiguous.
 */
function halves(shipments: readonly Shipment[]): [Shipment[], Shipment[]] {
  const orders = Map.groupBy(shipments, (one) => one.order_external_reference)
  const alone = shipments.filter((one) => orders.get(one.order_external_reference)?.length === 1)
  if (alone.length < 2 * scansOfEach) throw new Error('the demo has too few parcels')
  return [alone.slice(0, scansOfEach), alone.slice(scansOfEach, 2 * scansOfEach)]
}

/** Makes a label for each shipment. Resolves when the service has received all labels. */
async function makeLabels(page: Page, shipments: readonly Shipment[]): Promise<void> {
  await page.evaluate(
    async (ids) => {
      const { returnLabel, desk } = window.scandesk
      for (const shipmentId of ids) {
        const mode = { by: 'shipment', shipmentId, shippingMethodId: null, sender: null } as const
        const made = await returnLabel.make({ mode, request: false, seen: null })
        if (!made.ok) throw new Error(made.error.code)
      }
      for (;;) {
        const status = await desk.status()
        if (status.ok && status.value.unsent.waiting === 0) return
        await new Promise((resolve) => setTimeout(resolve, 200))
      }
    },
    shipments.map(({ id }) => id),
  )
}

async function timeCard(page: Page, { reference }: Shipment): Promise<number> {
  const card = `[data-shipment="${reference}"]`
  return (await timeScan(page, card, () => scan(page, reference))).cardMs
}
