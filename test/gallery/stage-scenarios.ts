import { memoryWorld, type MemoryWorld } from '#bridge/memory-world.ts'
import { printedLabel, sampleLabel } from '#bridge/sample-labels.ts'
import {
  ago,
  developmentStation,
  productionStation,
  sampleShipment,
  sampleStatus,
  sandboxStation,
  signedIn,
} from '#bridge/sample-views.ts'
import { m } from '#messages/messages.js'
import type { ReturnLabelView } from '#shared/bridge/label-views.ts'
import { failure } from '#shared/errors/catalogue.ts'
import { at, type Scenario, type Step, world } from './scenario.ts'

const reference = 'SHP00000000412'

function withLabel(nowMs: number, change: Partial<ReturnLabelView>): MemoryWorld {
  return world(nowMs, { labels: [{ ...sampleLabel(nowMs), ...change }] })
}

const offline = (nowMs: number): MemoryWorld => ({
  ...withLabel(nowMs, { failure: failure('network.offline', { host: 'middleware.example.com' }) }),
  status: {
    ...sampleStatus(nowMs),
    line: { state: 'offline', since: ago(nowMs, 5), failure: failure('network.offline') },
    waitingWrites: [1, 2, 3].map((i) => ({
      commandId: `c${String(i)}`,
      subject: { kind: 'return_label' as const, id: 'lb-1' },
      type: i === 1 ? 'return_label.request' : 'return_label.create',
      state: 'queued' as const,
      since: ago(nowMs, i + 1),
      title: `SHP0000000041${String(i)}`,
      needsOperator: false,
      failure: null,
    })),
    unsent: { waiting: 3, asking: 0, oldest: ago(nowMs, 4) },
    waitingPrints: [{ jobId: 'p1', labelId: 'lb-1', state: 'queued', since: ago(nowMs, 1) }],
  },
})

const unknownOutcome = (nowMs: number): MemoryWorld => ({
  ...withLabel(nowMs, {
    create: 'unknown',
    failure: failure('return_label.outcome_unknown'),
    createdAt: ago(nowMs, 6),
  }),
  status: {
    ...sampleStatus(nowMs),
    unsent: { waiting: 1, asking: 1, oldest: ago(nowMs, 6) },
    waitingWrites: [
      {
        commandId: 'c1',
        subject: { kind: 'return_label', id: 'lb-1' },
        type: 'return_label.create',
        state: 'unknown',
        since: ago(nowMs, 6),
        title: reference,
        needsOperator: true,
        failure: failure('return_label.outcome_unknown'),
      },
    ],
  },
})

const refusedPrint = (nowMs: number): MemoryWorld => {
  const done = printedLabel(nowMs)
  const status = sampleStatus(nowMs)
  return {
    ...world(nowMs, {
      labels: [
        {
          ...done,
          print: done.print && {
            ...done.print,
            state: 'refused',
            failure: failure('printer.refused', { printer: 'Zebra ZD421' }),
          },
        },
      ],
    }),
    status: {
      ...status,
      printer: { ...status.printer, state: 'refused' },
      waitingPrints: [{ jobId: 'p1', labelId: 'lb-1', state: 'refused', since: ago(nowMs, 1) }],
    },
  }
}

const longNames = (nowMs: number): MemoryWorld => {
  const shipment = sampleShipment(nowMs)
  return world(nowMs, {
    ...at(productionStation),
    session: {
      ...signedIn,
      username: 'annemarie.vandenberghe',
      customer: { code: 'BERGENDAL', name: 'Van Bergen & Daal Buitensportartikelen' },
    },
    status: {
      ...sampleStatus(nowMs),
      printer: { name: 'Retourlabelprinter links naast de paktafel', state: 'ready', folder: '/x' },
    },
    shipments: [
      {
        ...shipment,
        orderReference: 'WEBSHOP-NL-2026-00100412-B',
        carrier: 'Deutsche Post DHL',
        methodDescription: 'Paket International Premium mit Unterschrift',
        recipient: {
          name: 'Maximiliane Freifrau von und zu Hohenstein-Wackersdorf',
          street: 'Obere Donaudampfschifffahrtsgesellschaftsstraße 128 a, Hinterhaus',
          place: '94032 Passau-Innstadt',
          country: 'DE',
        },
        lines: Array.from({ length: 9 }, (_, i) => ({
          quantity: i === 1 ? 1200 : i + 1,
          name:
            i === 0
              ? 'Waterdichte drielaagse hardshell-jas met afneembare sneeuwvanger en capuchon, petrolblauw, maat XXL'
              : `Merino basislaag lange mouw ${String(i)}`,
          articleCode: `ART-${String(i)}`,
          ean: '8712345678906',
          serialNumbers: i === 2 ? ['SN-2026-0001', 'SN-2026-0002', 'SN-2026-0003'] : [],
        })),
      },
    ],
  })
}

const shipmentCard: Step = { scan: reference }

export const stageScenarios: readonly Scenario[] = [
  { name: 'login-sandbox', world: (now) => memoryWorld(() => now), sizes: 'both' },
  { name: 'login-production', world: (now) => ({ ...memoryWorld(() => now), ...at(productionStation) }) },
  { name: 'login-development', world: (now) => ({ ...memoryWorld(() => now), ...at(developmentStation) }) },
  {
    name: 'login-refused',
    world: (now) => ({
      ...memoryWorld(() => now),
      failures: { 'session:login': failure('session.invalid_credentials') },
    }),
    steps: [{ click: 'button[type=submit]' }],
  },
  {
    name: 'setup',
    world: (now) => ({
      ...memoryWorld(() => now),
      stations: [sandboxStation, productionStation, developmentStation],
    }),
    steps: [{ click: '.links button' }],
    sizes: 'both',
  },
  {
    name: 'setup-tested',
    world: (now) => memoryWorld(() => now),
    steps: [
      { click: '.links button' },
      { type: { into: m.setup_base_url, text: 'https://middleware.example.com' } },
      { type: { into: m.setup_wms_code, text: 'NLRTM' } },
      { type: { into: m.setup_customer_code, text: 'BERGENDAL' } },
      { type: { into: m.setup_station_name, text: 'Retourbalie 2' } },
      { click: 'form button[type=submit]' },
    ],
  },
  {
    name: 'setup-failed',
    world: (now) => ({
      ...memoryWorld(() => now),
      test: {
        reachable: true,
        isService: false,
        wmsKnown: null,
        environment: 'production',
        tookMs: 312,
        failure: failure('network.not_the_service', { host: 'portal.hotel.example', status: 200 }),
      },
    }),
    steps: [
      { click: '.links button' },
      { type: { into: m.setup_base_url, text: 'https://portal.hotel.example' } },
      { type: { into: m.setup_wms_code, text: 'NLRTM' } },
      { type: { into: m.setup_customer_code, text: 'BERGENDAL' } },
      { type: { into: m.setup_station_name, text: 'Retourbalie 2' } },
      { click: 'form button[type=submit]' },
    ],
  },
  { name: 'home-first', world: (now) => world(now, { recent: [] }), sizes: 'both' },
  { name: 'home-production', world: (now) => world(now, at(productionStation)) },
  { name: 'help', world: (now) => world(now), steps: [{ scan: 'SDCMDHELP' }], sizes: 'both' },
  { name: 'shipment', world: (now) => world(now), steps: [shipmentCard], sizes: 'both' },
  { name: 'shipment-long', world: longNames, steps: [shipmentCard], sizes: 'both' },
  {
    name: 'shipment-no-role',
    world: (now) =>
      world(now, { session: { ...signedIn, username: 'kijker', roles: ['ROLE_MIDDLEWARE_SHIPMENTS_READ'] } }),
    steps: [shipmentCard],
  },
  {
    name: 'label-working',
    world: (now) => withLabel(now, { create: 'done', request: 'sending' }),
    steps: [shipmentCard],
  },
  {
    name: 'label-printed',
    world: (now) => world(now, { labels: [printedLabel(now)] }),
    steps: [shipmentCard],
    sizes: 'both',
  },
  { name: 'label-offline', world: offline, steps: [shipmentCard], sizes: 'both' },
  { name: 'label-decide', world: unknownOutcome, steps: [shipmentCard], sizes: 'both' },
  {
    name: 'label-rejected',
    world: (now) =>
      withLabel(now, {
        create: 'rejected',
        failure: failure('return_label.method_unsupported', { method: 'DHL-ECO' }),
      }),
    steps: [shipmentCard],
  },
  {
    name: 'label-untrusted-host',
    world: (now) =>
      withLabel(now, {
        externalReference: 'RL-8841.R',
        create: 'done',
        request: 'done',
        failure: failure('document.host_refused', { host: 'labels.carrier.example' }),
      }),
    steps: [shipmentCard],
  },
  { name: 'label-not-printed', world: refusedPrint, steps: [shipmentCard] },
  {
    name: 'label-scanned',
    world: (now) => world(now, { labels: [printedLabel(now)] }),
    steps: [{ scan: '3SRETR7654321' }],
  },
  { name: 'unknown', world: (now) => world(now), steps: [{ scan: '8719327004429' }], sizes: 'both' },
  {
    name: 'failed',
    world: (now) => world(now, { failures: { 'scan:submit': failure('store.full') } }),
    steps: [shipmentCard],
  },
  {
    name: 'looking',
    world: (now) => world(now, { hanging: new Set(['scan:submit']) }),
    steps: [shipmentCard],
  },
  {
    name: 'expired',
    world: (now) => world(now, { session: { ...signedIn, state: 'expired' } }),
    steps: [shipmentCard],
  },
  { name: 'unfocused', world: (now) => world(now), steps: [shipmentCard], unfocused: true },
]
