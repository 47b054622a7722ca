import { startPageService } from './page-service.ts'
import { attempt } from './progress.ts'
import { benchScansCalm, benchScansInSync } from './scan-app.ts'
import { benchManyScans } from './scan-many.ts'
import { benchParcelScans } from './scan-parcels.ts'
import { benchShipmentIndex } from './scan-shipments.ts'
import { benchTyping } from './typing-delay.ts'

/**
 * Measures scans in the running app: scans of articles (from a million) and of parcels of the demo data. The scans
 * arrive as key events, as from a keyboard scanner. Also measures the delay of typed keys, and look-ups of shipments
 * without the service.
 */
export async function benchScan(): Promise<void> {
  await attempt('shipments', benchShipmentIndex)
  await attempt('parcels', benchParcelScans)
  const service = await startPageService()
  try {
    await attempt('scans, calm and while labels print', () => benchScansCalm(service))
    await attempt('scans in a sync', () => benchScansInSync(service))
    await attempt('many scans', () => benchManyScans(service))
    await attempt('typing', () => benchTyping(service))
  } finally {
    await service.stop()
  }
}
