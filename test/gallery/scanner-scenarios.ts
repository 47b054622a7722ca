import { m } from '#messages/messages.js'
import type { ScannerProfile } from '#shared/domain/wedge/scanner-profile.ts'
import { failure } from '#shared/errors/catalogue.ts'
import type { MemoryWorld } from '#support/memory-desk/memory-core.ts'
import { memoryWorld } from '#support/memory-desk/memory-desk.ts'
import { lostScanners, openScanners, scanSerial, severalPorts } from '#support/memory-desk/scanners.ts'
import { type Scenario, type Step, world } from './scenario.ts'

/**
 * The scanner page of the set-up: the list, a scanner's form and its test; and the status cell that shows a missing
 * scanner.
 */

const openPage: readonly Step[] = [
  { click: '.links button' },
  { click: '[data-part] [role=group] button:nth-of-type(2)' },
]
const add: Step = { click: 'nav > button' }
const save: Step = { click: 'footer button[type=submit]' }

function set(nowMs: number, change: Partial<MemoryWorld> = {}): MemoryWorld {
  return { ...memoryWorld(() => nowMs), scanners: openScanners, serialPorts: severalPorts, ...change }
}

/** The profile of a scanner that sends F9 before each code, Shift+3 and then Tab after it, and no GS1 separators. */
const odd: ScannerProfile = {
  keys: { 'S+Digit3': '#' },
  prefix: ['F9'],
  suffix: ['S+Digit3'],
  terminator: 'Tab',
  gapMs: 12,
  sendsSeparator: false,
}

export const scannerScenarios: readonly Scenario[] = [
  { name: 'scanners', world: (now) => set(now), steps: openPage, sizes: 'both' },
  { name: 'scanners-none', world: (now) => memoryWorld(() => now), steps: openPage },
  { name: 'scanners-lost', world: (now) => set(now, { scanners: lostScanners }), steps: openPage },
  {
    name: 'scanners-calibrate',
    world: (now) => memoryWorld(() => now),
    steps: [...openPage, { click: '[data-calibration] button' }],
    sizes: 'both',
  },
  {
    name: 'scanners-calibrate-stage',
    world: (now) => world(now, { scanners: lostScanners }),
    steps: [
      { click: '[data-lost-scanners]' },
      { click: '[data-scanner-row=keyboard]' },
      { click: '[data-calibration] button' },
    ],
  },
  {
    name: 'scanners-calibrated',
    world: (now) => set(now, { scannerProfile: odd }),
    steps: [...openPage, { click: '[data-scanner-row=keyboard]' }],
  },
  {
    name: 'scanners-failed',
    world: (now) => set(now, { failures: { 'scanner:setup': failure('internal.unexpected') } }),
    steps: openPage,
  },
  {
    name: 'scanners-test',
    world: (now) => set(now),
    steps: [
      ...openPage,
      {
        desk: (desk) => {
          scanSerial(desk, 'dock', '8712345678906', ']C10108712345678906\u001d10LOT-7\u001d21S1')
          scanSerial(desk, 'belt', '[)>\u001e06\u001dS123\u001e\u0004')
        },
      },
    ],
    sizes: 'both',
  },
  {
    name: 'scanners-remove',
    world: (now) => set(now),
    steps: [...openPage, { click: '[data-scanner-row=belt]' }, { click: 'header > button:last-child' }],
  },
  {
    name: 'scanner-new',
    world: (now) => set(now, { serialPorts: { isListed: false, ports: [] } }),
    steps: [...openPage, add],
    sizes: 'both',
  },
  {
    name: 'scanner-new-wrong',
    world: (now) => set(now),
    steps: [
      ...openPage,
      add,
      { click: 'label:has([name=ending]):nth-child(5) input' },
      { type: { into: m.scanner_prefix, text: '<WHAT>' } },
      save,
    ],
  },
  {
    name: 'stage-scanner-lost',
    world: (now) => world(now, { scanners: lostScanners }),
    sizes: 'both',
    narrow: true,
  },
  {
    name: 'unfocused-serial',
    world: (now) => world(now, { scanners: openScanners }),
    steps: [{ scan: 'SDUSRjansen' }],
    unfocused: true,
    narrow: true,
  },
]
