import { readdirSync } from 'node:fs'

/**
 * `npm test` without paths must take less than eight minutes, so it runs only the checks, the unit tests and the e2e
 * specs of the main workflows (SCANDESK_SLOW=without). `npm run test:more` runs all other tests (SCANDESK_SLOW=only):
 * the folders `slowFolders`, the files `slowUnitTests`, and the e2e specs `slowSpecs`. Continuous integration runs both
 * commands. Without SCANDESK_SLOW all tests run.
 */
export const slowChoice = process.env['SCANDESK_SLOW']

export const slowFolders = ['contract', 'faults', 'integration']

const slowUnits = {
  'large data and many random cases': [
    'test/unit/desk/shipments/index-walker.test.ts',
    'test/unit/local/catalogue/catalogue-search.test.ts',
    'test/unit/local/journal/backups.test.ts',
    'test/unit/local/journal/journal.test.ts',
    'test/unit/local/modifications/location-store.test.ts',
    'test/unit/local/recent/label-index-store.test.ts',
    'test/unit/local/recent/shipment-index-store.test.ts',
    'test/unit/local/retention.test.ts',
    'test/unit/middleware/warehouse/simulator/simulator.test.ts',
  ],
  'labels and pages that other programs draw and read': [
    'test/unit/labels/place/lay-labels-on-media.test.ts',
    'test/unit/labels/place/lay-labels-on-roll.test.ts',
    'test/unit/labels/sheets/barcode-sheet.test.ts',
    'test/unit/labels/sheets/test-page.test.ts',
    'test/unit/printing/prepare-pages.test.ts',
    'test/unit/printing/windows-printer.test.ts',
  ],
}

export const slowUnitTests = Object.values(slowUnits).flat()

/** The e2e specs of the main workflows: return labels, and scans, bookings and labels during an outage. */
const mainSpecs = ['outage.spec.ts', 'return-label.spec.ts']

export const slowSpecs = readdirSync(new URL('e2e/', import.meta.url)).filter(
  (file) => file.endsWith('.spec.ts') && !mainSpecs.includes(file),
)
