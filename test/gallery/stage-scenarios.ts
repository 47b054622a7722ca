import type { ReturnLabelView } from '#shared/bridge/label-views.ts'
import type { QueueLine } from '#shared/bridge/queue-views.ts'
import { labelCommands } from '#shared/domain/label-commands.ts'
import { failure } from '#shared/errors/catalogue.ts'
import { sampleKept, sampleVariants } from '#support/memory-desk/catalogue.ts'
import { printedLabel, sampleLabel } from '#support/memory-desk/labels.ts'
import { ago, type MemoryWorld } from '#support/memory-desk/memory-core.ts'
import { memoryWorld } from '#support/memory-desk/memory-desk.ts'
import { sampleLocations, sampleModification } from '#support/memory-desk/modifications.ts'
import { labelBrief, outcomeLine, sampleLine, withQueue } from '#support/memory-desk/queue.ts'
import { lostScanners } from '#support/memory-desk/scanners.ts'
import { sampleShipment } from '#support/memory-desk/scans.ts'
import {
  developmentStation,
  productionStation,
  sampleStatus,
  signedIn,
} from '#support/memory-desk/station.ts'
import { cutOff } from './queue-worlds.ts'
import { at, type Scenario, type Step, world } from './scenario.ts'
import { commandIdOf, labelIdOf } from '#support/ids.ts'

const reference = 'SHP00000000412'

function withLabel(nowMs: number, change: Partial<ReturnLabelView>): MemoryWorld {
  return world(nowMs, { labels: [{ ...sampleLabel(nowMs), ...change }] })
}

const waits = (nowMs: number, change: Partial<QueueLine>): QueueLine =>
  sampleLine(nowMs, { brief: labelBrief, waitsFor: 'line', ...change })

const offline = (nowMs: number): MemoryWorld => {
  const other = { ...labelBrief, shipmentReference: 'SHP00000000365' }
  const queue = {
    lines: [
      waits(nowMs, { createdAt: ago(nowMs, 4), since: ago(nowMs, 4) }),
      waits(nowMs, {
        commandId: commandIdOf('q-2'),
        type: labelCommands.request,
        waitsFor: 'earlier',
        after: commandIdOf('q-1'),
      }),
      waits(nowMs, {
        commandId: commandIdOf('q-3'),
        type: labelCommands.patch,
        brief: other,
        subject: { kind: 'return_label', id: labelIdOf('lb-2') },
      }),
    ],
    notices: [],
  }
  const waitingPrints = [
    {
      jobId: 'p1',
      labelId: labelIdOf('lb-1'),
      title: 'SHP00000000412',
      state: 'queued' as const,
      asks: false,
      since: ago(nowMs, 1),
    },
  ]
  const held = { failure: failure('network.offline', { host: 'middleware.example.com' }) }
  const status = { ...withQueue(sampleStatus(nowMs), queue), waitingPrints }
  return cutOff({ ...withLabel(nowMs, held), queue, status })
}

const crowded = (nowMs: number): MemoryWorld => {
  const far = offline(nowMs)
  const { status } = far
  const asks = status.waitingPrints.map((one) => ({ ...one, jobId: 'p2', asks: true }))
  return {
    ...far,
    ...at(productionStation),
    scanners: lostScanners,
    session: { ...signedIn, username: 'w.oldenbarnevelt' },
    status: {
      ...status,
      waitingPrints: [...status.waitingPrints, ...asks],
      unsent: { ...status.unsent, waiting: 12, asking: 2 },
      notices: 1,
    },
  }
}

/** A parcel, an article, a location and an earlier booking that have the same code. */
const ambiguous = (nowMs: number): MemoryWorld => {
  const [variant] = sampleVariants(nowMs)
  const [location] = sampleLocations(nowMs)
  return world(nowMs, {
    variants: variant ? [{ ...variant, articleCode: reference }] : [],
    locations: location ? [{ ...location, code: reference }] : [],
    modifications: [{ ...sampleModification(nowMs), reference }],
  })
}

const unknownOutcome = (nowMs: number): MemoryWorld => {
  const held = { failure: failure('return_label.outcome_unknown') }
  const queue = {
    lines: [outcomeLine(nowMs, [], { brief: labelBrief, type: labelCommands.create, ...held })],
    notices: [],
  }
  const label = { create: 'unknown' as const, createdAt: ago(nowMs, 6), ...held }
  return { ...withLabel(nowMs, label), queue, status: withQueue(sampleStatus(nowMs), queue) }
}

const inFolder = (nowMs: number): MemoryWorld => {
  const done = printedLabel(nowMs)
  const status = sampleStatus(nowMs)
  const file = '/labels/RL-8841.pdf'
  return {
    ...world(nowMs, { labels: [{ ...done, print: done.print && { ...done.print, file } }] }),
    status: { ...status, printer: { ...status.printer, folder: '/labels' } },
  }
}

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
      printer: {
        ...status.printer,
        state: 'refused',
        failure: failure('printer.refused', { cause: 'paper_out' }),
      },
      waitingPrints: [
        {
          jobId: 'p1',
          labelId: labelIdOf('lb-1'),
          title: 'SHP00000000412',
          state: 'refused',
          asks: false,
          since: ago(nowMs, 1),
        },
      ],
    },
  }
}

/** A shipment with more lines, and a line with more serial numbers, than the card draws. */
const manyLines = (nowMs: number): MemoryWorld => {
  const shipment = sampleShipment(nowMs)
  const lines = Array.from({ length: 2_450 }, (_, i) => ({
    quantity: 1,
    name: `Merino base layer ${String(i)}`,
    articleCode: `ART-${String(i)}`,
    ean: '8712345678906',
    serialNumbers: i === 0 ? Array.from({ length: 3_000 }, (_, n) => `SN-2026-${String(n)}`) : [],
  }))
  return world(nowMs, { shipments: [{ ...shipment, lines }] })
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
      printer: {
        ...sampleStatus(nowMs).printer,
        name: 'links',
        title: 'Retourlabelprinter links naast de paktafel',
        folder: '/x',
      },
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
    name: 'login-expired',
    world: (now) => world(now, { ...at(productionStation), session: { ...signedIn, state: 'expired' } }),
    steps: [{ click: '[data-banner=expired] button' }],
    narrow: true,
  },
  {
    name: 'login-refused',
    world: (now) => ({
      ...memoryWorld(() => now),
      failures: { 'session:login': failure('session.invalid_credentials') },
    }),
    steps: [{ click: 'button[type=submit]' }],
  },
  {
    name: 'login-too-many',
    world: (now) => ({
      ...memoryWorld(() => now),
      failures: { 'session:login': failure('session.too_many_logins', { status: 429, waitSeconds: 40 }) },
    }),
    steps: [{ click: 'button[type=submit]' }],
  },
  { name: 'home-first', world: (now) => world(now, { recent: [] }), sizes: 'both', narrow: true },
  { name: 'home-production', world: (now) => world(now, at(productionStation)) },
  { name: 'help', world: (now) => world(now), steps: [{ scan: 'SDCMDHELP' }], sizes: 'both' },
  { name: 'shipment', world: (now) => world(now), steps: [shipmentCard], sizes: 'both', narrow: true },
  { name: 'shipment-long', world: longNames, steps: [shipmentCard], sizes: 'both', narrow: true },
  { name: 'shipment-many-lines', world: manyLines, steps: [shipmentCard] },
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
  {
    name: 'label-saved',
    world: inFolder,
    steps: [shipmentCard],
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
  {
    name: 'unknown',
    world: (now) => world(now),
    steps: [{ scan: '8719327004429' }],
    sizes: 'both',
    narrow: true,
  },
  {
    name: 'unknown-gap',
    world: (now) => {
      const { shipments, ...kept } = sampleKept(now)
      const gap = { state: 'reading', gapSince: ago(now, 14 * 1440) } as const
      return world(now, { kept: { ...kept, shipments: { ...shipments, ...gap } } })
    },
    steps: [{ scan: '8719327004429' }],
    sizes: 'both',
    narrow: true,
  },
  {
    name: 'unknown-left-out',
    world: (now) => {
      const { returnLabels, ...kept } = sampleKept(now)
      return world(now, { kept: { ...kept, returnLabels: { ...returnLabels, leftOut: 'some' } } })
    },
    steps: [{ scan: '8719327004429' }],
  },
  {
    name: 'unknown-long',
    world: (now) => world(now),
    steps: [{ scan: 'Long text of a matrix code, 0123456789; '.repeat(125) }],
    narrow: true,
  },
  {
    name: 'unknown-location',
    world: (now) => world(now),
    steps: [{ scan: 'LOC|A-01-02|11111111-1111-4111-8111-111111111111' }],
  },
  { name: 'unknown-blank', world: (now) => world(now), steps: [{ scan: '   ' }] },
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
  { name: 'command-not-here', world: (now) => world(now), steps: [shipmentCard, { scan: 'SDCMDDEFECTIVE' }] },
  // all messages that the status bar can show at the same time
  { name: 'stage-crowded', world: crowded, steps: [{ scan: 'SDUSRjansen' }], narrow: true },
  { name: 'ambiguous', world: ambiguous, steps: [shipmentCard], sizes: 'both', narrow: true },
  { name: 'ambiguous-booking', world: ambiguous, steps: [{ scan: 'SDCMDBOOK' }, shipmentCard], narrow: true },
  { name: 'badge', world: (now) => world(now), steps: [{ scan: 'SDUSRjansen' }] },
  { name: 'unfocused', world: (now) => world(now), steps: [shipmentCard], unfocused: true },
]
