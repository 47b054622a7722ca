import { failure } from '#shared/errors/catalogue.ts'
import type { MemoryWorld } from '#support/memory-desk/memory-core.ts'
import { labelBrief, outcomeLine, sampleNotice } from '#support/memory-desk/queue.ts'
import { productionStation, sampleStatus } from '#support/memory-desk/station.ts'
import {
  blocked,
  changed,
  cutOff,
  exists,
  existsLong,
  labelExists,
  twice,
  labelOutcome,
  many,
  mixed,
  one,
  queued,
  queueWorld,
  refused,
  two,
  waiting,
} from './queue-worlds.ts'
import { at, type Scenario, type Step } from './scenario.ts'

const show: Step = { scan: 'SDCMDQUEUE' }
const open = (key: string): Step => ({ click: `[data-item="${key}"]` })
const longOutage = (now: number): MemoryWorld => cutOff(queueWorld(now, many(now), at(productionStation)))
/** A step after which all entries of the queue have been sent automatically. */
const emptied: Step = {
  desk: (desk) => {
    desk.world.queue = { lines: [], notices: [] }
    desk.emit('status', sampleStatus(desk.world.nowMs()))
  },
}

/** The queue and the questions about its entries. */
export const queueScenarios: readonly Scenario[] = [
  { name: 'queue-empty', world: queued(() => []), steps: [show], sizes: 'both' },
  { name: 'queue-one', world: queued((now) => waiting(now).slice(0, 1)), steps: [show] },
  { name: 'queue-mixed', world: (now) => queueWorld(now, mixed(now)), steps: [show], sizes: 'both' },
  {
    name: 'queue-offline-long',
    world: longOutage,
    steps: [show],
    sizes: 'both',
  },
  {
    name: 'queue-unreadable',
    world: (now) => queueWorld(now, mixed(now), { failures: { 'queue:list': failure('store.unavailable') } }),
    steps: [show],
  },
  {
    name: 'queue-outcome',
    world: queued(one),
    steps: [show, open('q-outcome')],
    sizes: 'both',
    narrow: true,
  },
  { name: 'queue-outcome-label', world: queued(labelOutcome), steps: [show, open('q-outcome')] },
  { name: 'queue-outcome-two', world: queued(two), steps: [show, open('q-outcome')] },
  {
    name: 'queue-outcome-none',
    world: queued((now) => [outcomeLine(now, [])]),
    steps: [show, open('q-outcome')],
  },
  {
    name: 'queue-confirm',
    world: queued(one),
    steps: [show, open('q-outcome'), { scan: 'SDCMDRESEND' }],
  },
  {
    name: 'queue-confirm-other',
    world: queued(one),
    steps: [show, open('q-outcome'), { scan: 'SDCMDRESEND' }, { scan: '8712345678913' }],
  },
  { name: 'queue-exists', world: queued(exists), steps: [show, open('q-exists')] },
  { name: 'queue-exists-label', world: queued(labelExists), steps: [show, open('q-label-exists')] },
  { name: 'queue-exists-lines', world: queued(existsLong), steps: [show, open('q-exists')] },
  {
    name: 'queue-lines-more',
    world: (now) => cutOff(queueWorld(now, { ...many(now), moreLines: 1340 }, at(productionStation))),
    steps: [show, { show: '.more' }],
    sizes: 'both',
  },
  {
    name: 'queue-notices-more',
    world: (now) => queueWorld(now, { lines: [], notices: [sampleNotice(now)], moreNotices: 140 }),
    steps: [show],
  },
  { name: 'queue-notice-twice', world: (now) => twice(now), steps: [show, open('notice n-1')] },
  { name: 'queue-changed', world: queued(changed), steps: [show, open('q-changed')] },
  { name: 'queue-blocked', world: queued(blocked), steps: [show, open('q-blocked')] },
  { name: 'queue-refused', world: queued(refused), steps: [show, open('q-refused')] },
  { name: 'queue-waits', world: queued(waiting), steps: [show, open('q-1')] },
  {
    name: 'queue-discard',
    world: queued(one),
    steps: [show, open('q-outcome'), { click: 'header button.quiet' }],
  },
  {
    name: 'queue-gone',
    world: queued(waiting),
    steps: [show, open('q-1'), emptied],
  },
  {
    name: 'queue-moved-on',
    world: queued(one, () => ({ failures: { 'queue:decide': failure('queue.moved_on') } })),
    steps: [show, open('q-outcome'), { scan: 'SDCMDADOPT' }],
  },
  {
    name: 'queue-decided',
    world: (now) => queueWorld(now, mixed(now)),
    steps: [show, open('q-outcome'), { scan: 'SDCMDADOPT' }],
  },
  {
    name: 'queue-notice-duplicate',
    world: (now) => queueWorld(now, { lines: [], notices: [sampleNotice(now)] }),
    steps: [show, open('notice n-1')],
  },
  {
    name: 'queue-notice-cancelled',
    world: (now) =>
      queueWorld(now, {
        lines: [],
        notices: [sampleNotice(now, { kind: 'cancelled_elsewhere', brief: labelBrief, records: [] })],
      }),
    steps: [show, open('notice n-1')],
  },
]
