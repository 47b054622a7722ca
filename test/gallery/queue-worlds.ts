import type { QueueLine, QueueNotice, QueueView, ServiceRecord } from '#shared/bridge/queue-views.ts'
import { labelCommands } from '#shared/domain/label-commands.ts'
import { failure } from '#shared/errors/catalogue.ts'
import type { WriteBrief } from '#shared/writes/write-kinds.ts'
import { sampleVariants } from '#support/memory-desk/catalogue.ts'
import { printedLabel } from '#support/memory-desk/labels.ts'
import { ago, type MemoryWorld } from '#support/memory-desk/memory-core.ts'
import { sampleLocations } from '#support/memory-desk/modifications.ts'
import {
  bookingBrief,
  labelBrief,
  outcomeLine,
  sampleLine,
  sampleNotice,
  sampleRecord,
  withQueue,
} from '#support/memory-desk/queue.ts'
import { sampleStatus } from '#support/memory-desk/station.ts'
import { world } from './scenario.ts'
import { commandIdOf, labelIdOf, serverIdOf } from '#support/ids.ts'

type Lines = (nowMs: number) => QueueLine[]

type Code = Parameters<typeof failure>[0]

/**
 * Returns a copy of `world` in which the service has been unreachable for five minutes, and shipments and lists were
 * last read six minutes ago.
 */
export function cutOff(world: MemoryWorld, code: Code = 'network.offline'): MemoryWorld {
  const nowMs = world.nowMs()
  const { status, shipments } = world
  const asOf = ago(nowMs, 6)
  return {
    ...world,
    shipments: shipments.map((shipment) => ({ ...shipment, asOf })),
    status: {
      ...status,
      line: { state: 'offline', since: ago(nowMs, 5), failure: failure(code) },
      index: { ...status.index, syncedAt: asOf },
      catalogue: { ...status.catalogue, asOf },
    },
  }
}

export function queueWorld(nowMs: number, queue: QueueView, change: Partial<MemoryWorld> = {}): MemoryWorld {
  const status = withQueue(sampleStatus(nowMs), queue)
  const stock = { variants: sampleVariants(nowMs), locations: sampleLocations(nowMs) }
  return world(nowMs, { ...stock, queue, status, ...change })
}

/**
 * Returns a function that creates the data of an in-memory desk. The desk is connected to the service and has the given
 * lines in its queue.
 */
export function queued(
  lines: Lines,
  change: (nowMs: number) => Partial<MemoryWorld> = () => ({}),
): (nowMs: number) => MemoryWorld {
  return (nowMs: number): MemoryWorld =>
    queueWorld(nowMs, { lines: lines(nowMs), notices: [] }, change(nowMs))
}

function later(nowMs: number, minutes: number): string {
  return ago(nowMs, -minutes)
}

/** The state of a write while the network works but the service fails. */
const triedOnce = (nowMs: number): Partial<QueueLine> => ({
  waitsFor: 'service',
  nextAt: later(nowMs, 4),
  attempts: 1,
  failure: failure('api.unavailable'),
})

/** A queue with about a dozen entries of different kinds. */
export const mixed = (nowMs: number): QueueView => ({
  lines: [
    outcomeLine(nowMs, [sampleRecord(nowMs)]),
    sampleLine(nowMs, {
      commandId: commandIdOf('q-exists'),
      brief: labelBrief,
      waitsFor: 'operator',
      createdAt: ago(nowMs, 18),
      question: {
        kind: 'exists',
        records: [
          sampleRecord(nowMs, { serverId: serverIdOf('rl-1'), reference: 'RL-8838', brief: labelBrief }),
        ],
      },
    }),
    sampleLine(nowMs, {
      commandId: commandIdOf('q-refused'),
      brief: {
        ...labelBrief,
        shipmentReference: 'SHP00000000377',
        senderName: 'Zoë Ångström',
        senderCity: 'Den Haag',
      },
      state: 'rejected',
      waitsFor: 'operator',
      createdAt: ago(nowMs, 26),
      sentAt: ago(nowMs, 26),
      attempts: 1,
      madeBy: 'piet',
      failure: failure('return_label.method_unsupported', { method: 'DHL-ECO' }),
      question: { kind: 'refused' },
    }),
    sampleLine(nowMs, {
      commandId: commandIdOf('q-sending'),
      state: 'sending',
      waitsFor: 'turn',
      sentAt: ago(nowMs, 0),
      attempts: 1,
      brief: { ...bookingBrief, reason: 'LOST', locationCode: 'Q-01' },
    }),
    sampleLine(nowMs, {
      commandId: commandIdOf('q-quiet'),
      state: 'unknown',
      waitsFor: 'quiet_time',
      sentAt: ago(nowMs, 1),
      attempts: 1,
      nextAt: later(nowMs, 0.7),
      brief: {
        ...labelBrief,
        shipmentReference: 'SHP00000000365',
        senderName: 'F. Dupont',
        senderCity: 'Liège',
      },
    }),
    sampleLine(nowMs, {
      commandId: commandIdOf('q-request'),
      type: labelCommands.request,
      waitsFor: 'earlier',
      after: commandIdOf('q-quiet'),
      brief: {
        ...labelBrief,
        shipmentReference: 'SHP00000000365',
        senderName: 'F. Dupont',
        senderCity: 'Liège',
      },
    }),
    sampleLine(nowMs, {
      commandId: commandIdOf('q-service'),
      waitsFor: 'service',
      nextAt: later(nowMs, 4),
      attempts: 3,
      failure: failure('api.unavailable'),
      brief: {
        kind: 'modification',
        reason: 'CORRECTION',
        locationCode: 'HAL-2-GANG-14-STELLING-03',
        lines: sampleVariants(nowMs).map(({ name, articleCode }, i) => ({
          name,
          articleCode,
          quantity: i + 3,
        })),
      },
    }),
    ...[1, 2, 3, 4, 5].map((i) =>
      sampleLine(nowMs, {
        ...triedOnce(nowMs),
        commandId: commandIdOf(`q-w${String(i)}`),
        createdAt: ago(nowMs, i),
        brief:
          i % 2 === 0
            ? { ...bookingBrief }
            : {
                ...labelBrief,
                shipmentReference: `SHP0000000040${String(i)}`,
                senderName: 'Łukasz Wiśniewski',
                senderCity: 'Poznań',
                methodCode: 'DHL-RET',
              },
      }),
    ),
  ],
  notices: [sampleNotice(nowMs)],
})

const longName =
  'Waterdichte drielaagse hardshell-jas met afneembare sneeuwvanger en capuchon, petrolblauw, maat XXL'

/** Entries with long names, as many as wait in the queue after a long outage. */
export const many = (nowMs: number): QueueView => ({
  notices: [],
  lines: Array.from({ length: 200 }, (_, i) =>
    i < 2
      ? outcomeLine(nowMs, [], { commandId: commandIdOf(`q-o${String(i)}`) })
      : sampleLine(nowMs, {
          commandId: commandIdOf(`q-${String(i)}`),
          createdAt: ago(nowMs, 200 - i),
          madeBy: 'annemarie.vandenberghe',
          brief:
            i % 3 === 0
              ? {
                  kind: 'modification',
                  reason: 'CORRECTION',
                  locationCode: 'HAL-2-GANG-14-STELLING-03-NIVEAU-4-VAK-B',
                  lines: [{ name: longName, articleCode: 'HARDSHELL', quantity: -99_999 }],
                }
              : {
                  ...labelBrief,
                  shipmentReference: null,
                  externalReference: i % 3 === 1 ? `WEBSHOP-NL-2026-0010${String(i)}-B` : null,
                  senderName: 'Maximiliane Freifrau von und zu Hohenstein-Wackersdorf',
                  senderCity: 'Passau-Innstadt',
                  methodCode: 'UPS-STD-RTN',
                },
        }),
  ),
})

const waitingFor = (now: number, held: Partial<QueueLine>): QueueLine[] => [
  sampleLine(now, held),
  sampleLine(now, { ...held, commandId: commandIdOf('q-2'), brief: labelBrief }),
]
export const waiting: Lines = (now) => waitingFor(now, triedOnce(now))
export const waitingForLogin: Lines = (now) => waitingFor(now, { waitsFor: 'login' })
export const one: Lines = (now) => [outcomeLine(now, [sampleRecord(now)])]
export const labelOutcome: Lines = (now) => [
  outcomeLine(
    now,
    [
      sampleRecord(now, {
        serverId: serverIdOf('rl-1'),
        reference: 'RL-8838',
        brief: { ...labelBrief, methodCode: 'PNL-STD', externalReference: 'RL-8838' },
      }),
    ],
    { brief: labelBrief, type: labelCommands.create },
  ),
]
export const two: Lines = (now) => [
  outcomeLine(now, [
    sampleRecord(now),
    sampleRecord(now, {
      serverId: serverIdOf('srv-mod-124'),
      reference: 'MOD00000000124',
      createdAt: ago(now, 4),
      brief: {
        kind: 'modification',
        reason: 'LOST',
        locationCode: 'A-03-3',
        lines: [{ name: 'Oat bar hazelnut 12 pcs', articleCode: 'BAR-HZ-12', quantity: -3 }],
      },
    }),
  ]),
]
export const exists: Lines = (now) => [
  sampleLine(now, {
    commandId: commandIdOf('q-exists'),
    waitsFor: 'operator',
    question: { kind: 'exists', records: [sampleRecord(now, { note: 'fell off the belt' })] },
  }),
]
/** A booking with more lines than the question shows. */
export const existsLong: Lines = (now) => {
  const brief = bookingOf(32)
  const shown = { ...brief, lines: brief.lines.slice(0, 20), moreLines: 12 }
  const records = [sampleRecord(now, { brief: shown })]
  return [
    sampleLine(now, {
      commandId: commandIdOf('q-exists'),
      brief,
      waitsFor: 'operator',
      question: { kind: 'exists', records },
    }),
  ]
}

function bookingOf(count: number): Extract<WriteBrief, { kind: 'modification' }> {
  const lines = Array.from({ length: count }, (_, at) => ({
    name: `Oat bar hazelnut ${String(at + 1)} pcs`,
    articleCode: `BAR-HZ-${String(at + 1)}`,
    quantity: -1,
  }))
  return { kind: 'modification', reason: 'LOST', locationCode: 'A-03-2', lines }
}
/** The record of a label that another desk made for the same parcel. */
export const theirLabel = (now: number): ServiceRecord =>
  sampleRecord(now, {
    serverId: serverIdOf('rl-theirs'),
    reference: 'RP475711226NL',
    createdAt: ago(now, 12),
    brief: { ...labelBrief, externalReference: 'WEB-100412.R' },
    requested: true,
  })
export const labelExists: Lines = (now) => [
  sampleLine(now, {
    commandId: commandIdOf('q-label-exists'),
    subject: { kind: 'return_label', id: labelIdOf('lb-1') },
    type: labelCommands.create,
    brief: labelBrief,
    waitsFor: 'operator',
    createdAt: ago(now, 0),
    question: { kind: 'exists', records: [theirLabel(now)] },
  }),
]
/** A write that was sent 18 seconds ago and has no response. */
export const doubted: Lines = (now) => [
  sampleLine(now, {
    commandId: commandIdOf('q-doubted'),
    subject: { kind: 'return_label', id: labelIdOf('lb-1') },
    type: labelCommands.create,
    brief: labelBrief,
    state: 'unknown',
    waitsFor: 'quiet_time',
    sentAt: ago(now, 0.3),
    createdAt: ago(now, 0.3),
    nextAt: later(now, 0.7),
    attempts: 1,
  }),
]
/** A notice that two desks made the same label or booking at the same moment. `brief` describes it. */
export const twice = (now: number, change: Partial<QueueNotice> = {}): MemoryWorld =>
  queueWorld(
    now,
    {
      lines: [],
      notices: [
        sampleNotice(now, {
          kind: 'other_desk',
          subject: { kind: 'return_label', id: labelIdOf('lb-1') },
          title: 'SHP00000000412',
          brief: { ...labelBrief, externalReference: 'WEB-100412-2.R' },
          records: [theirLabel(now)],
          ...change,
        }),
      ],
    },
    { labels: [printedLabel(now)] },
  )
export const changed: Lines = (now) => [
  sampleLine(now, {
    commandId: commandIdOf('q-changed'),
    waitsFor: 'operator',
    failure: failure('article.gone', { article: 'BAR-HZ-12' }),
    question: { kind: 'changed' },
  }),
]
/** A booking that a firewall has answered with its page for ten minutes. */
export const blocked: Lines = (now) => [
  sampleLine(now, {
    commandId: commandIdOf('q-blocked'),
    waitsFor: 'operator',
    failure: failure('api.blocked'),
    question: { kind: 'changed' },
  }),
]
export const refused: Lines = (now) => mixed(now).lines.filter(({ commandId }) => commandId === 'q-refused')

/** Two writes that wait for the connection. */
export const offline = (now: number, code: Code = 'network.offline'): MemoryWorld =>
  cutOff(queueWorld(now, { lines: waitingFor(now, { waitsFor: 'line' }), notices: [] }), code)
