import {
  type PrinterEntry,
  type PrinterSetup,
  plainLayout,
  standardFolderTitle,
} from '#shared/bridge/printer-views.ts'
import type { PrinterView } from '#shared/bridge/print-views.ts'
import type { ProvisioningProblem, ProvisioningView, SettingsLoss } from '#shared/bridge/setup-views.ts'
import { lostParts } from '#shared/bridge/setup-views.ts'
import { failure } from '#shared/errors/catalogue.ts'
import { labelFolder } from './sample-prints.ts'
import { ago } from './sample-views.ts'

const folderEntry: PrinterEntry = {
  id: labelFolder.name,
  title: standardFolderTitle,
  settings: { kind: 'folder' },
  layout: plainLayout,
}

/** A desk as it is installed. */
export const folderSetup: PrinterSetup = { printers: [folderEntry], routes: [] }

export const zebraEntry: PrinterEntry = {
  id: 'zebra',
  title: 'Zebra left',
  settings: {
    kind: 'zpl',
    host: 'zebra-left.local',
    port: 9100,
    widthMm: 104,
    dpi: 203,
    media: 'label',
    darkness: 18,
    inchesPerSecond: null,
    graphics: 'z64',
  },
  layout: { turn: 'auto', offsetXMm: 1.5, offsetYMm: -2 },
}

export const receiptEntry: PrinterEntry = {
  id: 'receipt',
  title: 'Receipts',
  settings: { kind: 'escpos', host: '10.0.4.31', port: 9100, paperMm: 80, dpi: 203 },
  layout: plainLayout,
}

export const officeEntry: PrinterEntry = {
  id: 'office',
  title: 'Office A4',
  settings: { kind: 'ipp', uri: 'ipp://localhost/printers/office', media: 'iso_a4_210x297mm', dpi: 300 },
  layout: plainLayout,
}

/** Several printers, with sheets sent to the office. */
export const severalPrinters: PrinterSetup = {
  printers: [zebraEntry, officeEntry, receiptEntry, folderEntry],
  routes: [{ paper: 'sheet', size: 'page', printerId: officeEntry.id }],
}

/** The same printers, each doing otherwise. */
export const severalViews: readonly PrinterView[] = [
  { name: zebraEntry.id, title: zebraEntry.title, folder: null, state: 'ready', failure: null },
  {
    name: officeEntry.id,
    title: officeEntry.title,
    folder: null,
    state: 'refused',
    failure: failure('printer.refused', { printer: officeEntry.id, cause: 'paper_out' }),
  },
  { name: receiptEntry.id, title: receiptEntry.title, folder: null, state: 'unknown', failure: null },
  labelFolder,
]

const problem: Omit<ProvisioningProblem, 'code'> = {
  part: null,
  number: null,
  name: null,
  field: '',
  params: {},
  allowed: null,
}

/** A file that breaks off in its fourth line. */
export function brokenProvisioning(): ProvisioningView {
  return {
    file: '/etc/scandesk/scandesk.provision.json',
    state: 'wrong',
    problems: [{ ...problem, code: 'not_json', params: { line: 4, column: 12 } }],
    at: null,
  }
}

export function lostSettings(nowMs: number, change: Partial<SettingsLoss> = {}): SettingsLoss {
  return {
    at: ago(nowMs, 3),
    extent: 'all',
    parts: [...lostParts],
    copy: 'settings.json.1.bak',
    restoredBy: null,
    ...change,
  }
}

export function wrongProvisioning(nowMs: number): ProvisioningView {
  return {
    file: '/etc/scandesk/scandesk.provision.json',
    state: 'wrong',
    problems: [
      {
        ...problem,
        code: 'wrong',
        part: 'printers',
        number: 1,
        name: 'Zebra at the dock',
        field: 'settings.port',
        allowed: { form: 'whole', min: 1, max: 65535, step: null, values: [], orNull: false },
      },
      {
        ...problem,
        code: 'unknown_name',
        part: 'printers',
        number: 2,
        field: 'tittle',
        params: { known: 'id, title, settings, layout' },
      },
      { ...problem, code: 'insecure_url', part: 'stations', number: 1, name: 'Returns 1', field: 'baseUrl' },
      { ...problem, code: 'no_station', part: 'routes', name: 'Returns 9' },
    ],
    at: ago(nowMs, 3),
  }
}
