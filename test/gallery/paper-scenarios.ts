import { m } from '#messages/messages.js'
import { failure } from '#shared/errors/catalogue.ts'
import type { MemoryWorld } from '#support/memory-desk/memory-core.ts'
import { memoryWorld } from '#support/memory-desk/memory-desk.ts'
import { sampleLocations } from '#support/memory-desk/modifications.ts'
import { severalPrinters, severalViews } from '#support/memory-desk/printers.ts'
import { labelFolder, printsOf, zebra } from '#support/memory-desk/prints.ts'
import { lostScanners } from '#support/memory-desk/scanners.ts'
import { productionStation } from '#support/memory-desk/station.ts'
import { at, type Scenario, type Step, world } from './scenario.ts'

/** Paper other than labels: the sheets, and the test page of a printer. */

const open: Step = { scan: 'SDCMDSHEETS' }
const kind = (name: string): Step => ({ click: `[data-kind="${name}"]` })
const type = (into: () => string, text: string): Step => ({ type: { into, text } })
const printIt: Step = { click: '.actions button' }
const saveIt: Step = { click: '.actions button:last-child' }

const locations = (nowMs: number): MemoryWorld['locations'] => {
  const [first] = sampleLocations(nowMs)
  if (!first) return []
  return Array.from({ length: 180 }, (_, i) => ({
    ...first,
    id: `lc-${String(i)}`,
    code: `${'ABC'.charAt(Math.floor(i / 60))}-${String((Math.floor(i / 10) % 6) + 1).padStart(2, '0')}-${String((i % 10) + 1).padStart(2, '0')}`,
  }))
}

const sheets = (nowMs: number, change: Partial<MemoryWorld> = {}): MemoryWorld =>
  world(nowMs, { locations: locations(nowMs), prints: printsOf([], [], [zebra, labelFolder]), ...change })

const refused = failure('printer.refused', { printer: zebra.name, cause: 'paper_out' })
const tooLow = failure('printer.sheet_too_large', { side: 'height', neededMm: 39, printableMm: 32 })
const narrow = failure('printer.paper_too_narrow', { neededMm: 82, printableMm: 48 })
const tooNarrow = failure('printer.paper_too_narrow', { neededMm: 210, printableMm: 104 })

const sheetScenarios: readonly Scenario[] = [
  { name: 'sheets', world: (now) => sheets(now), steps: [open], sizes: 'both' },
  {
    name: 'sheets-secret',
    world: (now) => ({ ...sheets(now), ...at(productionStation) }),
    steps: [open],
  },
  {
    name: 'sheets-secret-asked',
    world: (now) => ({ ...sheets(now), ...at(productionStation) }),
    steps: [open, { click: '.secret button' }],
  },
  { name: 'sheets-digits', world: (now) => sheets(now), steps: [open, { scan: 'SDCMDNEXT' }] },
  {
    name: 'sheets-choices',
    world: (now) => sheets(now),
    steps: [open, { scan: 'SDCMDNEXT' }, { scan: 'SDCMDNEXT' }],
  },
  {
    name: 'sheets-calibration',
    // the link in the set-up of the scanners opens the sheet
    world: (now) => sheets(now, { scanners: lostScanners }),
    steps: [
      { click: '[data-lost-scanners]' },
      { click: '[data-scanner-row=keyboard]' },
      { click: '[data-calibration] button' },
      { click: '.said button' },
    ],
    sizes: 'both',
  },
  { name: 'sheets-sent', world: (now) => sheets(now), steps: [open, printIt] },
  {
    name: 'sheets-refused',
    world: (now) => sheets(now, { paperOutcome: { kind: 'refused', file: null, failure: refused } }),
    steps: [open, printIt],
  },
  {
    name: 'sheets-routed',
    world: (now) => sheets(now, { printerSetup: severalPrinters, prints: printsOf([], [], severalViews) }),
    steps: [open],
  },
  {
    name: 'sheets-narrow',
    world: (now) =>
      sheets(now, {
        printerSetup: { ...severalPrinters, routes: [] },
        prints: printsOf([], [], severalViews),
        paperOutcome: { kind: 'refused', file: null, failure: tooNarrow },
      }),
    steps: [open, printIt],
  },
  {
    name: 'sheets-locations',
    world: (now) => sheets(now),
    steps: [open, kind('locations'), type(m.sheets_prefix, 'B-02')],
    sizes: 'both',
  },
  {
    name: 'sheets-locations-typed',
    world: (now) => sheets(now, { paperOutcome: { kind: 'refused', file: null, failure: narrow } }),
    steps: [
      open,
      kind('locations'),
      { click: '.options [aria-pressed=false]' },
      type(m.sheets_codes, 'HALL-4-AISLE-17-RACK-3-SHELF-B\nRÜCKGABE\nA-01'),
      printIt,
    ],
  },
  {
    name: 'sheets-locations-label',
    world: (now) => sheets(now),
    steps: [open, kind('locations'), { click: '.paper [aria-pressed=false]' }],
  },
  {
    name: 'sheets-calibration-low',
    world: (now) => sheets(now, { failures: { 'paper:sheet': tooLow } }),
    steps: [open, kind('calibration'), { click: '.paper [aria-pressed=false]' }, printIt],
  },
  {
    name: 'sheets-locations-none',
    world: (now) => sheets(now, { locations: [] }),
    steps: [open, kind('locations')],
  },
  {
    name: 'sheets-badges',
    world: (now) => sheets(now),
    steps: [
      open,
      kind('badges'),
      { click: '.options .head button' },
      { input: '.options li input', text: 'Anna Visser' },
      { input: '.options li:last-child .code', text: 'kees.deboer' },
      saveIt,
    ],
    sizes: 'both',
  },
  {
    name: 'sheets-failed',
    world: (now) => sheets(now, { failures: { 'paper:sheet': failure('store.unavailable') } }),
    steps: [open, printIt],
  },
]

const openPrinter: readonly Step[] = [
  { click: '.links button' },
  { click: 'main [role=group] button:nth-of-type(3)' },
]
const printPage: Step = { click: '[data-test-page] .head button' }
const read = (letters: string): Step[] => Array.from(letters, (letter) => ({ scan: `SDTSTKM${letter}` }))
const nothingElse: Step = { click: '[data-test-page] .below button' }
const looks = (place: number): Step => ({ click: `.looks button:nth-child(${String(place)})` })
const before = (nowMs: number, change: Partial<MemoryWorld> = {}): MemoryWorld => ({
  ...memoryWorld(() => nowMs),
  ...change,
})

const testPageScenarios: readonly Scenario[] = [
  { name: 'printer-test-page-sent', world: (now) => before(now), steps: [...openPrinter, printPage] },
  {
    name: 'printer-test-page-half',
    world: (now) => before(now),
    steps: [...openPrinter, printPage, ...read('EDC'), { scan: 'SDTSTABC' }],
  },
  {
    name: 'printer-test-page-good',
    world: (now) => before(now),
    steps: [...openPrinter, printPage, ...read('EDCBLQ')],
    sizes: 'both',
  },
  {
    name: 'printer-test-page-look',
    world: (now) => before(now),
    steps: [...openPrinter, printPage, ...read('EDCBQ'), nothingElse, looks(3)],
  },
  {
    name: 'printer-test-page-stop',
    world: (now) => before(now),
    steps: [
      ...openPrinter,
      printPage,
      ...read('EQ'),
      nothingElse,
      looks(2),
      type(() => m.test_gauge({ mm: 80 }), '54'),
    ],
  },
  {
    name: 'printer-test-page-refused',
    world: (now) => before(now, { paperOutcome: { kind: 'refused', file: null, failure: refused } }),
    steps: [...openPrinter, printPage],
  },
]

const login: readonly Scenario[] = [
  { name: 'login-badge', world: (now) => before(now), steps: [{ scan: 'SDUSRkees.deboer' }] },
]

export const paperScenarios: readonly Scenario[] = [...sheetScenarios, ...testPageScenarios, ...login]
