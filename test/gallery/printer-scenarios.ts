import { m } from '#messages/messages.js'
import type { PrinterEntry, PrinterTest, PrintQueues } from '#shared/bridge/printer-views.ts'
import { failure } from '#shared/errors/catalogue.ts'
import { ago, type MemoryWorld } from '#support/memory-desk/memory-core.ts'
import { memoryWorld } from '#support/memory-desk/memory-desk.ts'
import {
  folderSetup,
  officeEntry,
  receiptEntry,
  severalPrinters,
  severalViews,
  zebraEntry,
} from '#support/memory-desk/printers.ts'
import { printsOf } from '#support/memory-desk/prints.ts'
import { wrongProvisioning } from '#support/memory-desk/station.ts'
import type { Scenario, Step } from './scenario.ts'

/** The printer page of the set-up: the list, a printer's form, the routes of the paper, and the set-up file. */

const openPage: readonly Step[] = [
  { click: '.links button' },
  { click: '[data-part] [role=group] button:nth-of-type(3)' },
]
const add: Step = { click: 'nav > button' }
const routes: Step = { click: 'nav > button:last-child' }
const test: Step = { click: 'footer button' }
const save: Step = { click: 'footer button[type=submit]' }

function row(id: string): Step {
  return { click: `[data-printer-row=${id}]` }
}

function fill(into: () => string, text: string): Step {
  return { type: { into, text } }
}

function several(nowMs: number, change: Partial<MemoryWorld> = {}): MemoryWorld {
  const world = memoryWorld(() => nowMs)
  return { ...world, printerSetup: severalPrinters, prints: printsOf([], [], severalViews), ...change }
}

function only(nowMs: number, entry: PrinterEntry, printerTest: PrinterTest): MemoryWorld {
  return several(nowMs, { printerSetup: { printers: [entry], routes: [] }, printerTest })
}

const refused = (cause: string): PrinterTest => ({
  state: 'refused',
  failure: failure('printer.refused', { printer: 'zebra-left.local', cause }),
})

const queues: PrintQueues = {
  isThere: true,
  queues: [
    {
      name: 'labels',
      uri: 'ipp://localhost/printers/labels',
      makeAndModel: 'Zebra ZD421 - IPP Everywhere',
      state: 'idle',
    },
    {
      name: 'office',
      uri: 'ipp://localhost/printers/office',
      makeAndModel: 'Brother HL-L5210DW',
      state: 'stopped',
    },
    {
      name: 'dock',
      uri: 'ipp://localhost/printers/dock',
      makeAndModel: 'TSC TE210',
      state: 'processing',
    },
  ],
}

const ofWindows: PrintQueues = {
  isThere: false,
  queues: [],
  windows: [
    { name: 'Zebra ZD421 paktafel', makeAndModel: 'ZDesigner ZD421-203dpi ZPL', isReady: true },
    { name: 'DYMO LabelWriter 5XL', makeAndModel: 'DYMO LabelWriter 5XL', isReady: false },
    { name: 'Kantoor A4', makeAndModel: 'Brother HL-L5210DW series', isReady: true },
  ],
}
const windowsEntry: PrinterEntry = {
  ...officeEntry,
  title: 'Dymo',
  settings: {
    kind: 'windows',
    queue: 'DYMO LabelWriter 5XL',
    media: { widthMm: 104, heightMm: 159 },
    dpi: 300,
  },
}

const list: readonly Scenario[] = [
  { name: 'printers', world: (now) => several(now), steps: openPage, sizes: 'both' },
  { name: 'printers-folder', world: (now) => memoryWorld(() => now), steps: openPage },
  {
    name: 'printers-loading',
    world: (now) => several(now, { hanging: new Set(['printer:setup']) }),
    steps: openPage,
  },
  {
    name: 'printers-failed',
    world: (now) => several(now, { failures: { 'printer:setup': failure('internal.unexpected') } }),
    steps: openPage,
  },
  {
    name: 'printers-many',
    world: (now) => {
      const more = Array.from({ length: 9 }, (_, i): PrinterEntry => {
        const number = String(i + 1)
        return {
          ...receiptEntry,
          id: `more-${number}`,
          title: `Retourlabelprinter naast de paktafel ${number}`,
          settings: {
            kind: 'ipp',
            uri: `ipps://printers.warehouse.example.com/${number}`,
            media: 'iso_a6_105x148mm',
            dpi: 300,
          },
        }
      })
      const printers = [...severalPrinters.printers, ...more]
      return several(now, { printerSetup: { ...severalPrinters, printers } })
    },
    steps: [...openPage, row('more-2')],
  },
  {
    name: 'printers-remove',
    world: (now) => several(now),
    steps: [...openPage, row('office'), { click: 'header > button:last-child' }],
  },
  {
    name: 'printers-leave',
    world: (now) => several(now),
    steps: [...openPage, fill(m.printer_host, 'zebra-2.local'), row('receipt')],
    sizes: 'both',
  },
  {
    name: 'printers-saved',
    world: (now) => several(now),
    steps: [...openPage, fill(m.printer_name, 'Zebra paktafel 2'), save],
  },
]

const forms: readonly Scenario[] = [
  {
    name: 'printer-new',
    world: (now) => several(now, { printQueues: queues }),
    steps: [...openPage, add],
    sizes: 'both',
  },
  { name: 'printer-new-none', world: (now) => several(now), steps: [...openPage, add] },
  {
    name: 'printer-new-found',
    world: (now) => several(now, { printQueues: queues }),
    steps: [...openPage, add, { click: '[name=queue]' }, test],
  },
  {
    name: 'printer-new-windows',
    world: (now) => several(now, { printQueues: ofWindows }),
    steps: [...openPage, add, { click: '[name=queue]' }],
  },
  {
    name: 'printer-new-windows-none',
    world: (now) => several(now, { printQueues: { ...ofWindows, windows: [] } }),
    steps: [...openPage, add, { click: '[name=kind]' }],
  },
  {
    name: 'printer-windows',
    world: (now) => ({
      ...only(now, windowsEntry, refused('paper_out')),
      printQueues: ofWindows,
    }),
    steps: [...openPage, { show: '[name=queue]' }, test],
  },
  {
    name: 'printer-new-wrong',
    world: (now) => several(now),
    steps: [
      ...openPage,
      add,
      fill(m.printer_host, 'http://10.0.0.9'),
      fill(m.printer_port, '910O'),
      fill(m.printer_speed, '40'),
      save,
    ],
    sizes: 'both',
    narrow: true,
  },
  {
    name: 'printer-twice',
    world: (now) => several(now),
    steps: [
      ...openPage,
      add,
      fill(m.printer_name, 'Zebra rechts'),
      fill(m.printer_host, 'zebra-left.local'),
      save,
    ],
  },
  {
    name: 'printer-offset',
    world: (now) => several(now),
    steps: [
      ...openPage,
      { click: '.turns label:nth-child(4) input' },
      fill(m.offset_to_right, '-3.5'),
      fill(m.offset_to_down, '6'),
      { show: '[aria-labelledby=printer-layout]' },
    ],
    sizes: 'both',
  },
  {
    name: 'printer-offset-wrong',
    world: (now) => several(now),
    steps: [...openPage, fill(m.offset_to_down, '2,3'), save],
  },
  { name: 'printer-receipt', world: (now) => several(now), steps: [...openPage, row('receipt')] },
  {
    name: 'printer-queue',
    world: (now) =>
      several(now, {
        printQueues: queues,
        printerTest: { state: 'ready', failure: failure('printer.prints_again', { policy: 'retry-job' }) },
      }),
    steps: [...openPage, row('office'), test],
    sizes: 'both',
  },
  {
    name: 'printer-ready',
    world: (now) => several(now),
    steps: [...openPage, test],
    sizes: 'both',
  },
  {
    name: 'printer-zpl-out',
    world: (now) => only(now, zebraEntry, refused('ribbon_out')),
    steps: [...openPage, test],
  },
  {
    name: 'printer-unreachable',
    world: (now) => only(now, officeEntry, refused('connect_timeout')),
    steps: [...openPage, test],
  },
]

const around: readonly Scenario[] = [
  { name: 'printer-routes', world: (now) => several(now), steps: [...openPage, routes], sizes: 'both' },
  {
    name: 'printer-routes-one',
    world: (now) => several(now, { printerSetup: folderSetup }),
    steps: [...openPage, routes],
  },
  {
    name: 'printer-provisioned',
    world: (now) =>
      several(now, {
        provisioning: {
          file: '/etc/scandesk/provisioning.json',
          state: 'applied',
          problems: [],
          at: ago(now, 47),
        },
      }),
    steps: openPage,
  },
  {
    name: 'printer-provisioning-wrong',
    world: (now) => several(now, { provisioning: wrongProvisioning(now) }),
    steps: openPage,
    sizes: 'both',
  },
  {
    name: 'setup-provisioning-wrong',
    world: (now) => several(now, { provisioning: wrongProvisioning(now) }),
    steps: openPage.slice(0, 1),
  },
]

export const printerScenarios: readonly Scenario[] = [...list, ...forms, ...around]
