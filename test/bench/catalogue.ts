import { benchFullDesk, benchScanWhileFilling } from './catalogue-app.ts'
import { benchLookup } from './catalogue-lookup.ts'
import { benchStart } from './catalogue-start.ts'
import { benchFirstSync } from './catalogue-sync.ts'
import { startPageService } from './page-service.ts'
import { attempt } from './progress.ts'

/** Measures the catalogue: look-up, first read, search, launch, memory, and scans during other work. */
export async function benchCatalogue(): Promise<void> {
  await attempt('look-up', benchLookup)
  await attempt('first sync', benchFirstSync)
  const service = await startPageService()
  try {
    await attempt('a desk with a million articles', () => benchFullDesk(service))
    await attempt('scanning while syncing', () => benchScanWhileFilling(service))
    await attempt('launch', () => benchStart(service))
  } finally {
    await service.stop()
  }
}
