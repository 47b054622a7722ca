import type { ScandeskBridge } from '#shared/bridge/contract.ts'
import type { ScannerEntry, ScannerLive, ScannersView, SerialPorts } from '#shared/bridge/scanner-views.ts'
import { failure } from '#shared/errors/catalogue.ts'
import { fail, ok, type Result } from '#shared/errors/result.ts'
import type { MemoryCore } from './memory-core.ts'

const settings: ScannerEntry['settings'] = {
  path: '/dev/serial/by-id/usb-Datalogic_ADC__Inc._Handheld_Scanner_S_N_G18C0412-if00',
  baudRate: 9_600,
  dataBits: 8,
  parity: 'none',
  stopBits: 1,
  ending: 'line',
  endText: '',
  prefix: '',
  suffix: '',
  pauseMs: 100,
}

export const dockScanner: ScannerEntry = { id: 'dock', title: 'Scanner at the dock', isOn: true, settings }

export const beltScanner: ScannerEntry = {
  id: 'belt',
  title: 'Belt',
  isOn: true,
  settings: {
    ...settings,
    path: '/dev/ttyUSB0',
    baudRate: 115_200,
    ending: 'text',
    endText: '\u0003',
    prefix: '\u0002',
  },
}

const live = (id: string, change: Partial<ScannerLive> = {}): ScannerLive => ({
  id,
  state: 'open',
  failure: null,
  scans: 12,
  dropped: 0,
  lastDrop: null,
  ...change,
})

export const openScanners: ScannersView = {
  scanners: [dockScanner, beltScanner],
  live: [live('dock'), live('belt', { dropped: 3, lastDrop: 'noise' })],
}

/** Two scanners with failures: one is unplugged, and the port of the other is used by another program. */
export const lostScanners: ScannersView = {
  scanners: [dockScanner, beltScanner],
  live: [
    live('dock', {
      state: 'looking',
      failure: failure('scanner.unplugged', { scanner: dockScanner.title, port: dockScanner.settings.path }),
    }),
    live('belt', {
      state: 'failed',
      failure: failure('scanner.refused', {
        scanner: beltScanner.title,
        port: beltScanner.settings.path,
        cause: 'held',
      }),
    }),
  ],
}

export const severalPorts: SerialPorts = {
  isListed: true,
  ports: [
    {
      path: dockScanner.settings.path,
      title: 'Datalogic ADC Inc. Handheld Scanner S N G18C0412',
      isStable: true,
    },
    { path: '/dev/ttyUSB0', title: 'FTDI', isStable: false },
    { path: '/dev/ttyS0', title: '', isStable: false },
  ],
}

/** Serial scanners from `world.scanners`. A new scanner that is switched on is open at once. */
export function scannerMethods(desk: MemoryCore): ScandeskBridge['scanner'] {
  const { world } = desk
  return {
    setup: () => desk.call('scanner:setup', () => ok(world.scanners)),
    save: ({ scanners }) => desk.call('scanner:save', () => save(desk, scanners)),
    ports: () => desk.call('scanner:ports', () => ok(world.serialPorts)),
    held: () => desk.call('scanner:held', () => ok([...world.heldScans])),
    taken: ({ number }) =>
      desk.call('scanner:taken', () => {
        world.heldScans = world.heldScans.filter((scan) => scan.number > number)
        return ok(undefined)
      }),
  }
}

function save(desk: MemoryCore, scanners: ScannerEntry[]): Result<ScannersView> {
  for (const [at, { title, settings }] of scanners.entries()) {
    const other = scanners.slice(0, at).find((one) => one.settings.path === settings.path)
    if (other) return fail('scanner.same_twice', { scanner: title, other: other.title })
  }
  const { live } = desk.world.scanners
  desk.world.scanners = {
    scanners,
    live: scanners.map(({ id, isOn }): ScannerLive => {
      const before = live.find((one) => one.id === id)
      const state = isOn ? 'open' : 'off'
      return before ?? { id, state, failure: null, scans: 0, dropped: 0, lastDrop: null }
    }),
  }
  desk.emit('scanners', desk.world.scanners)
  return ok(desk.world.scanners)
}

/** Emits the event of a scan by a serial scanner, as main does. */
export function scanSerial(desk: MemoryCore, scannerId: string, ...raws: readonly string[]): void {
  const { world } = desk
  for (const raw of raws) {
    const number = (world.scanned += 1)
    world.heldScans = [
      ...world.heldScans,
      { number, scannerId, raw, inBurst: false, at: new Date(world.nowMs()).toISOString() },
    ]
    desk.emit('heldScans', world.heldScans)
  }
}

export function keyboardScannerMethods(desk: MemoryCore): ScandeskBridge['keyboardScanner'] {
  const { world } = desk
  return {
    profile: () => desk.call('keyboardScanner:profile', () => ok(world.scannerProfile)),
    save: ({ profile }) => desk.call('keyboardScanner:save', () => ok((world.scannerProfile = profile))),
  }
}
