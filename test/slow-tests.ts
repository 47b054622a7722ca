/**
 * The slow tests, grouped by the reason why they are slow. `npm test` without paths omits them (SCANDESK_SLOW=without),
 * and `npm run test:more` runs them (SCANDESK_SLOW=only) and the random warehouse at full counts. Continuous
 * integration runs both commands.
 */
const slow = {
  'faults, kills and many processes': [
    'test/faults/**/*.test.ts',
    'test/integration/*-kill.test.ts',
    'test/integration/catalogue-thread.test.ts',
    'test/integration/desk-faults.test.ts',
    'test/integration/desk-label-sequences.test.ts',
    'test/integration/external-warehouse.test.ts',
    'test/integration/launcher.test.ts',
    'test/integration/middleware-processes.test.ts',
    'test/integration/middleware-start.test.ts',
    'test/integration/middleware-two-processes.test.ts',
    'test/integration/middleware-webhook-ca.test.ts',
    'test/integration/dev-server.test.ts',
    'test/integration/printing-device.test.ts',
  ],
  'megabytes of the worst texts and documents, and data of each age': [
    'test/integration/ages.test.ts',
    'test/integration/foreign-text.test.ts',
    'test/integration/label-thread.test.ts',
  ],
  'all screens in a browser': [
    'test/integration/booking-keys.test.ts',
    'test/integration/gallery.test.ts',
    'test/integration/list-keys.test.ts',
    'test/integration/scan-crawl.test.ts',
    'test/integration/scanner-capture.test.ts',
    'test/integration/screens-axe.test.ts',
    'test/integration/screens.test.ts',
  ],
  'labels and barcodes that other programs draw and read': [
    'test/integration/command-barcodes.test.ts',
    'test/integration/label-barcodes.test.ts',
    'test/integration/label-copies.test.ts',
    'test/integration/label-corpus.test.ts',
    'test/integration/label-raster.test.ts',
    'test/integration/label-readings.test.ts',
    'test/integration/printing-cups.test.ts',
    'test/integration/printing-escpos.test.ts',
    'test/integration/printing-ipp.test.ts',
    'test/integration/printing-zpl.test.ts',
    'test/unit/labels/place/lay-labels-on-media.test.ts',
    'test/unit/labels/place/lay-labels-on-roll.test.ts',
    'test/unit/labels/sheets/barcode-sheet.test.ts',
    'test/unit/labels/sheets/test-page.test.ts',
    'test/unit/printing/windows-printer.test.ts',
  ],
}

export const slowTests = Object.values(slow).flat()

/** Specs with many launches, many axe runs, waits for clocks of other programs, or rare failures of printers. */
export const slowSpecs = [
  'axe.spec.ts',
  'decisions.spec.ts',
  'printer-causes.spec.ts',
  'quirks.spec.ts',
  'restart.spec.ts',
  'security.spec.ts',
  'two-desks.spec.ts',
  'two-servers.spec.ts',
  'warehouse.spec.ts',
]

export const slowChoice = process.env['SCANDESK_SLOW']
