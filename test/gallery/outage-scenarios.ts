import { openLabel, sampleLabel } from '#support/memory-desk/labels.ts'
import { sampleModification } from '#support/memory-desk/modifications.ts'
import { bookingBrief, sampleRecord } from '#support/memory-desk/queue.ts'
import { productionStation, sandboxStation, signedIn } from '#support/memory-desk/station.ts'
import {
  cutOff,
  doubted,
  exists,
  labelExists,
  mixed,
  offline,
  queued,
  queueWorld,
  twice,
  waiting,
  waitingForLogin,
} from './queue-worlds.ts'
import { type Scenario, type Step, world } from './scenario.ts'

const shipment: Step = { scan: 'SHP00000000412' }

const closing: Step = {
  desk: (desk) => {
    desk.emit('closing', { waiting: 2, asking: 0 })
  },
}
const booked: Step = {
  desk: (desk) => {
    desk.putModification({ ...sampleModification(desk.world.nowMs()), reference: 'MOD00000000123' })
  },
}

/** Parts of the window that show an outage, unsent work or duplicate records, except the screen of the queue. */
export const outageScenarios: readonly Scenario[] = [
  { name: 'banner-offline', world: offline, steps: [shipment], sizes: 'both' },
  { name: 'banner-portal', world: (now) => offline(now, 'network.not_the_service') },
  {
    name: 'banner-certificate',
    world: (now) => offline(now, 'network.certificate'),
    steps: [{ scan: 'SDCMDLABELS' }],
  },
  {
    name: 'banner-expired',
    world: queued(waitingForLogin, () => ({ session: { ...signedIn, state: 'expired' as const } })),
    steps: [shipment],
  },
  {
    name: 'banner-expired-offline',
    world: (now) => ({ ...offline(now), session: { ...signedIn, state: 'expired' } }),
    steps: [shipment],
  },
  {
    name: 'leave-logout',
    world: (now) => queueWorld(now, mixed(now)),
    steps: [{ scan: 'SDCMDLOGOUT' }],
    sizes: 'both',
  },
  {
    name: 'leave-logout-offline',
    world: (now) => cutOff(queueWorld(now, { lines: [], notices: [] })),
    steps: [{ scan: 'SDCMDLOGOUT' }],
    sizes: 'both',
  },
  {
    name: 'leave-logout-offline-waiting',
    world: offline,
    steps: [{ scan: 'SDCMDLOGOUT' }],
  },
  {
    name: 'leave-asking',
    world: queued(exists),
    steps: [{ scan: 'SDCMDLOGOUT' }],
  },
  {
    name: 'leave-close',
    world: queued(waiting),
    steps: [shipment, closing, { scan: 'WEB-100412' }],
  },
  {
    name: 'leave-station',
    world: queued(waitingForLogin, () => ({
      session: { ...signedIn, state: 'signed_out' as const },
      stations: [sandboxStation, productionStation],
    })),
    steps: [
      { click: '.links button' },
      { click: `[data-station="${productionStation.id}"] button:last-child` },
    ],
  },
  {
    name: 'label-asks',
    world: queued(labelExists, (now) => ({ labels: [sampleLabel(now)] })),
    steps: [shipment],
    sizes: 'both',
    narrow: true,
  },
  {
    name: 'label-doubted',
    world: queued(doubted, (now) => ({ labels: [{ ...sampleLabel(now), create: 'unknown' }] })),
    steps: [shipment],
  },
  {
    name: 'look-asking',
    world: (now) => world(now, { hanging: new Set(['returnLabel:look']) }),
    steps: [shipment],
  },
  { name: 'look-unasked', world: (now) => cutOff(world(now)), steps: [shipment] },
  { name: 'banner-twice-label', world: (now) => twice(now), steps: [shipment], sizes: 'both', narrow: true },
  {
    name: 'banner-twice-booking',
    world: (now) =>
      twice(now, {
        subject: { kind: 'modification', id: 'mo-1' },
        title: 'A-03-2',
        brief: bookingBrief,
        records: [sampleRecord(now, { note: 'fell off the belt' })],
      }),
  },
  {
    name: 'booked-asks',
    world: queued(exists, (now) => ({ modifications: [sampleModification(now)], labels: [openLabel(now)] })),
    steps: [booked, { scan: 'MOD00000000123' }],
  },
]
