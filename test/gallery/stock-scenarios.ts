import { m } from '#messages/messages.js'
import type { QueueLine } from '#shared/bridge/queue-views.ts'
import type { LotsView, ModificationDraft, ModificationView } from '#shared/bridge/stock-views.ts'
import { failure } from '#shared/errors/catalogue.ts'
import { wireRole } from '#shared/wire/roles.ts'
import { sampleLots, sampleStock, sampleVariants } from '#support/memory-desk/catalogue.ts'
import { ago, type MemoryWorld } from '#support/memory-desk/memory-core.ts'
import { emptyDraft, sampleLocations, sampleModification } from '#support/memory-desk/modifications.ts'
import { outcomeLine, sampleLine, sampleRecord, withQueue } from '#support/memory-desk/queue.ts'
import { sampleStatus, signedIn } from '#support/memory-desk/station.ts'
import { cutOff } from './queue-worlds.ts'
import { type Scenario, type Step, world } from './scenario.ts'

const oats = '8712345678906'

function stock(nowMs: number, change: Partial<MemoryWorld> = {}): MemoryWorld {
  return world(nowMs, {
    shipments: [],
    variants: sampleVariants(nowMs),
    lots: { 'va-1': sampleLots(nowMs) },
    stock: { 'va-1': sampleStock(nowMs) },
    locations: sampleLocations(nowMs),
    ...change,
  })
}

const filled = (nowMs: number): ModificationDraft => {
  const [first, second, third] = sampleVariants(nowMs)
  const [location] = sampleLocations(nowMs)
  if (!first || !second || !third || !location) throw new Error('the samples are incomplete')
  return {
    ...emptyDraft,
    reason: 'DEFECTIVE',
    location,
    lines: [
      { variant: first, quantity: -2 },
      { variant: second, quantity: -12 },
      { variant: third, quantity: -1 },
    ],
    note: 'Fell off the cart',
    step: -1,
    missing: [],
  }
}

const long = (nowMs: number): MemoryWorld => {
  const variants = Array.from({ length: 9 }, (_, i) => ({
    id: `va-l${String(i)}`,
    name: `Waterdichte drielaagse hardshell-jas met afneembare sneeuwvanger en capuchon, petrolblauw ${String(i)}`,
    articleCode: `HARDSHELL-PETROL-XXL-2026-${String(i)}`,
    ean: '8712345678906',
  }))
  return stock(nowMs, {
    draft: {
      ...filled(nowMs),
      reason: 'CORRECTION',
      lines: variants.map((variant, i) => ({ variant, quantity: i % 2 ? 12_345 : -99_999 })),
      note: 'Bij het tellen van gangpad 14 bleek dat de dozen van de vorige levering door elkaar stonden',
    },
    locations: [
      {
        id: 'l-long',
        code: 'HAL-2-GANG-14-STELLING-03-NIVEAU-4-VAK-B',
        source: 'import',
        seenAt: ago(nowMs, 5),
      },
      ...sampleLocations(nowMs),
    ],
  })
}

/**
 * Returns the data of an in-memory desk with one booking. A scan of the booking's reference opens the booking on the
 * stage.
 */
export function booked(
  nowMs: number,
  change: Partial<ModificationView>,
  world: Partial<MemoryWorld> = {},
): MemoryWorld {
  return stock(nowMs, {
    modifications: [{ ...sampleModification(nowMs), reference: 'MOD00000000123', ...change }],
    ...world,
  })
}

/** Returns the world with `line` as the only line of the queue, and with the status that follows from it. */
function withWrite(nowMs: number, world: MemoryWorld, line: QueueLine): MemoryWorld {
  const queue = { lines: [line], notices: [] }
  return { ...world, queue, status: withQueue(sampleStatus(nowMs), queue) }
}

const asked = (nowMs: number): MemoryWorld => {
  const held = { failure: failure('modification.outcome_unknown') }
  const booking = booked(nowMs, { reference: null, create: 'unknown', ...held })
  return withWrite(nowMs, booking, outcomeLine(nowMs, [sampleRecord(nowMs)], held))
}

const offline = (nowMs: number): MemoryWorld => cutOff(stock(nowMs, { draft: filled(nowMs) }))

const book: Step = { scan: 'SDCMDBOOK' }
export const article: Step = { scan: oats }
const locations: Step = { scan: 'SDCMDLOCATIONS' }
const noRoles = {
  ...signedIn,
  username: 'kijker',
  roles: [wireRole('SHIPMENTS_READ'), wireRole('ARTICLES_READ')],
}

/** A step after which the newest booking has the given values, e.g. of the service's response. */
export function answer(change: Partial<ModificationView>): Step {
  return {
    desk: (desk) => {
      const [last] = desk.world.modifications
      if (last) desk.putModification({ ...last, ...change })
    },
  }
}

const refusedBecause = failure('api.rejected', { status: 400, reason: 'Location not found.' })
/** Puts the newest booking into the queue as a refused write, and adds this write to the status of the desk. */
const inQueue: Step = {
  desk: (desk) => {
    const [last] = desk.world.modifications
    const nowMs = desk.world.nowMs()
    const line = sampleLine(nowMs, {
      subject: { kind: 'modification', id: last?.id ?? '' },
      state: 'rejected',
      waitsFor: 'operator',
      sentAt: ago(nowMs, 0),
      createdAt: ago(nowMs, 0),
      since: ago(nowMs, 0),
      attempts: 1,
      question: { kind: 'refused' },
      failure: refusedBecause,
    })
    desk.world.queue = { lines: [line], notices: [] }
    desk.emit('status', withQueue(desk.world.status, desk.world.queue))
  },
}

const csv: Step = {
  desk: () => {
    const picker = document.querySelector<HTMLInputElement>('input[type=file]')
    if (!picker) throw new Error('there is no place for a file')
    const files = new DataTransfer()
    files.items.add(new File(['B-01;1\nB-02;2\n'], 'locations.csv', { type: 'text/csv' }))
    picker.files = files.files
    picker.dispatchEvent(new Event('change', { bubbles: true }))
  },
}

/** The maximum number of lots of one article that the screen shows; the service has more. */
function thousandLots(nowMs: number): LotsView['lots'] {
  const { lots } = sampleLots(nowMs)
  return Array.from({ length: 200 }, (_, i) =>
    lots.map((lot) => ({ ...lot, id: `${lot.id}-${String(i)}` })),
  ).flat()
}

export const stockScenarios: readonly Scenario[] = [
  { name: 'article', world: stock, steps: [article], sizes: 'both', narrow: true },
  {
    name: 'article-loading',
    world: (now) => stock(now, { hanging: new Set(['article:lots']) }),
    steps: [article],
  },
  {
    name: 'article-no-lots',
    world: (now) => stock(now, { lots: { 'va-1': { ...sampleLots(now), lots: [] } } }),
    steps: [article],
  },
  {
    name: 'article-lots-cut',
    world: (now) =>
      stock(now, { lots: { 'va-1': { ...sampleLots(now), lots: thousandLots(now), more: true } } }),
    steps: [article, { show: '[data-lots] > p' }],
    narrow: true,
  },
  {
    name: 'article-kept',
    world: (now) =>
      stock(now, { lots: { 'va-1': { ...sampleLots(now), asOf: ago(now, 190), source: 'kept' } } }),
    steps: [article],
  },
  {
    name: 'article-stock-kept',
    world: (now) =>
      stock(now, {
        lots: { 'va-1': { ...sampleLots(now), asOf: ago(now, 190), source: 'kept' } },
        stock: { 'va-1': { ...sampleStock(now), asOf: ago(now, 190), source: 'kept' } },
      }),
    steps: [article],
    narrow: true,
  },
  {
    name: 'article-no-stock',
    world: (now) => stock(now, { stock: {} }),
    steps: [article],
    narrow: true,
  },
  { name: 'article-failed', world: (now) => stock(now, { lots: {} }), steps: [article] },
  { name: 'article-no-role', world: (now) => stock(now, { session: noRoles }), steps: [article] },
  { name: 'booking-empty', world: stock, steps: [book], sizes: 'both' },
  {
    name: 'booking-filling',
    world: stock,
    steps: [article, book, { scan: '8712345678913' }, { scan: 'SDCMDDEFECTIVE' }],
    narrow: true,
  },
  {
    name: 'booking',
    world: (now) => stock(now, { draft: filled(now) }),
    steps: [book],
    sizes: 'both',
    narrow: true,
  },
  { name: 'booking-long', world: long, steps: [book, { scan: 'HAL-2-GANG-14-STELLING-03-NIVEAU-4-VAK-B' }] },
  {
    name: 'booking-unknown',
    world: (now) => stock(now, { draft: filled(now) }),
    steps: [book, { scan: '8719327004429' }],
  },
  {
    name: 'booking-not-asked',
    world: (now) => cutOff(stock(now, { draft: filled(now) })),
    steps: [book, { scan: '8719327004429' }],
    narrow: true,
  },
  {
    name: 'booking-choosing',
    world: stock,
    steps: [book, { click: '[role=combobox]' }, { type: { into: m.booking_location, text: 'a' } }],
    narrow: true,
  },
  {
    name: 'booking-no-role',
    world: (now) => stock(now, { draft: filled(now), session: noRoles }),
    steps: [book],
  },
  {
    name: 'booking-expired',
    world: (now) => stock(now, { draft: filled(now), session: { ...signedIn, state: 'expired' } }),
    steps: [book],
  },
  {
    name: 'booked-working',
    world: (now) => stock(now, { draft: filled(now) }),
    steps: [book, { scan: 'SDCMDPRIMARY' }],
  },
  {
    name: 'booked-done',
    world: (now) => stock(now, { draft: filled(now) }),
    steps: [
      book,
      { scan: 'SDCMDPRIMARY' },
      answer({
        create: 'done',
        reference: 'MOD00000000123',
        status: 'created',
        statusAsOf: new Date(Date.now()).toISOString(),
      }),
    ],
    sizes: 'both',
  },
  {
    name: 'booked-waiting',
    world: offline,
    steps: [
      book,
      { scan: 'SDCMDPRIMARY' },
      answer({ failure: failure('network.offline', { host: 'middleware.example.com' }) }),
    ],
  },
  {
    name: 'booked-rejected',
    world: (now) => stock(now, { draft: filled(now) }),
    steps: [book, { scan: 'SDCMDPRIMARY' }, answer({ create: 'rejected', failure: refusedBecause }), inQueue],
    narrow: true,
  },
  { name: 'booked-decide', world: asked, steps: [{ click: '[data-rail^="A-03-2"]' }], sizes: 'both' },
  {
    name: 'booked-card',
    world: (now) =>
      booked(now, {
        create: 'done',
        status: 'approved',
        statusAsOf: ago(now, 2),
        lines: filled(now).lines,
        note: 'Fell off the cart',
      }),
    steps: [{ scan: 'MOD00000000123' }],
  },
  {
    name: 'booked-disapproved',
    world: (now) => booked(now, { create: 'done', status: 'disapproved', statusAsOf: ago(now, 2) }),
    steps: [{ scan: 'MOD00000000123' }],
  },
  { name: 'location', world: stock, steps: [{ scan: 'A-03-2' }] },
  { name: 'locations', world: stock, steps: [locations], sizes: 'both', narrow: true },
  { name: 'locations-empty', world: (now) => stock(now, { locations: [] }), steps: [locations] },
  {
    name: 'locations-imported',
    narrow: true,
    world: (now) =>
      stock(now, {
        locationImport: {
          added: 212,
          changed: 3,
          unchanged: 40,
          skipped: [
            { line: 14, why: 'no_id' },
            { line: 77, why: 'code_twice' },
            { line: 78, why: 'no_code' },
            { line: 301, why: 'columns' },
          ],
        },
      }),
    steps: [locations, csv],
  },
  {
    name: 'locations-unreadable',
    world: (now) =>
      stock(now, {
        failures: { 'location:import': failure('location.file_unreadable', { file: 'locations.csv' }) },
      }),
    steps: [locations, csv],
  },
  {
    name: 'locations-full',
    world: (now) => stock(now, { failures: { 'location:import': failure('location.book_full') } }),
    steps: [locations, csv],
  },
  {
    name: 'locations-forget',
    world: stock,
    steps: [locations, { click: 'li[data-location] .acts button' }],
  },
]
