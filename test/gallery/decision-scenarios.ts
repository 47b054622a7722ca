import type { QueueNotice } from '#shared/bridge/queue-views.ts'
import { ago, type MemoryWorld } from '#support/memory-desk/memory-core.ts'
import { sampleLine, withQueue } from '#support/memory-desk/queue.ts'
import { sampleStatus } from '#support/memory-desk/station.ts'
import type { Scenario } from './scenario.ts'
import { answer, article, booked } from './stock-scenarios.ts'

/** Bookings with a decision of the warehouse that no operator has read yet. The first booking is `mo-1`. */
function decidedWorld(nowMs: number, kind: 'approved' | 'disapproved' | 'both', count: number): MemoryWorld {
  const kinds = kind === 'both' ? (['disapproved', 'approved'] as const) : ([kind] as const)
  const notices = kinds.flatMap((one, at) =>
    Array.from({ length: count }, (_, i): QueueNotice => {
      const number = at * count + i
      return {
        id: `no-${String(number)}`,
        at: ago(nowMs, 9 - at),
        kind: one,
        subject: { kind: 'modification', id: `mo-${String(number + 1)}` },
        title: `MOD000000001${String(23 + number)}`,
        brief: sampleLine(nowMs, {}).brief,
        records: [],
      }
    }),
  )
  const status = kind === 'both' ? 'disapproved' : kind
  const world = booked(nowMs, { create: 'done', status, statusAsOf: ago(nowMs, 2) })
  const queue = { lines: [], notices }
  return { ...world, queue, status: withQueue(sampleStatus(nowMs), queue) }
}

export const decisionScenarios: readonly Scenario[] = [
  {
    name: 'booked-disapproved-unread',
    world: (now) => decidedWorld(now, 'disapproved', 1),
    steps: [{ scan: 'MOD00000000123' }],
    sizes: 'both',
    narrow: true,
  },
  {
    name: 'booked-corrected',
    world: (now) =>
      booked(now, {
        create: 'done',
        status: 'disapproved',
        statusAsOf: ago(now, 2),
        correctedBy: { id: 'mo-2', reference: 'MOD00000000130' },
      }),
    steps: [{ scan: 'MOD00000000123' }],
  },
  {
    name: 'booking-corrects',
    world: (now) => decidedWorld(now, 'disapproved', 1),
    steps: [{ scan: 'MOD00000000123' }, { scan: 'SDCMDPRIMARY' }],
    sizes: 'both',
    narrow: true,
  },
  {
    name: 'booked-correction',
    world: (now) => decidedWorld(now, 'disapproved', 1),
    steps: [
      { scan: 'MOD00000000123' },
      { scan: 'SDCMDPRIMARY' },
      { scan: 'SDCMDPRIMARY' },
      answer({
        create: 'done',
        reference: 'MOD00000000130',
        status: 'created',
        statusAsOf: ago(Date.now(), 0),
      }),
    ],
    narrow: true,
  },
  {
    name: 'decided-disapproved',
    world: (now) => decidedWorld(now, 'disapproved', 1),
    steps: [article],
    sizes: 'both',
    narrow: true,
  },
  { name: 'decided-disapproved-many', world: (now) => decidedWorld(now, 'disapproved', 3), steps: [] },
  { name: 'decided-approved', world: (now) => decidedWorld(now, 'approved', 1), steps: [], narrow: true },
  { name: 'decided-approved-many', world: (now) => decidedWorld(now, 'approved', 12), steps: [article] },
  {
    name: 'decided-queue',
    world: (now) => decidedWorld(now, 'both', 2),
    steps: [{ scan: 'SDCMDQUEUE' }],
    narrow: true,
  },
  {
    name: 'decided-queue-entry',
    world: (now) => decidedWorld(now, 'disapproved', 1),
    steps: [{ scan: 'SDCMDQUEUE' }, { click: '[data-item^="notice"]' }],
    narrow: true,
  },
]
