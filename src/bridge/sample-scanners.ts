import type { ScannerEntry, ScannerLive, ScannersView, SerialPorts } from '#shared/bridge/scanner-views.ts'
import { failure } from '#shared/errors/catalogue.ts'

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

/** One was pulled out, another program has the other. */
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
