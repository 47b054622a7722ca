import { m } from '#messages/messages.js'
import type { PrintPreview, PrintsView } from '#shared/bridge/print-views.ts'
import type { ReturnLabelView } from '#shared/bridge/label-views.ts'
import { failure } from '#shared/errors/catalogue.ts'
import { printedLabel } from '#support/memory-desk/labels.ts'
import { ago, type MemoryWorld } from '#support/memory-desk/memory-core.ts'
import {
  heldPrint,
  labelFolder,
  paperPrint,
  printsOf,
  refusedPrint,
  samplePage,
  samplePreview,
  samplePrint,
  unknownPrint,
  withPrints,
  zebra,
} from '#support/memory-desk/prints.ts'
import { productionStation, sampleStatus } from '#support/memory-desk/station.ts'
import { at, type Scenario, type Step, world } from './scenario.ts'
import { labelIdOf } from '#support/ids.ts'

/** The prints of the desk, the questions about a job, and the state of a print on a label's card. */

const show: Step = { scan: 'SDCMDPRINTS' }
const open = (jobId: string): Step => ({ click: `[data-item="${jobId}"]` })
const unreadable = { kind: 'nothing_readable' } as const
const refused = { kind: 'refused' } as const
const undrawn = { kind: 'not_drawn' } as const
const another = { kind: 'another_label', code: '3SRETR7654300', title: 'SHP00000000365' } as const
const wide = { kind: 'does_not_fit', neededMm: 71.4, printableMm: 48 } as const
const outOfPaper = failure('printer.refused', { printer: zebra.name, cause: 'paper_out' })

function printWorld(
  nowMs: number,
  prints: PrintsView,
  preview: PrintPreview = samplePreview(),
  change: Partial<MemoryWorld> = {},
): MemoryWorld {
  const jobs = [...prints.open, ...prints.notScanned].map(({ jobId }) => [jobId, preview] as const)
  const status = withPrints(sampleStatus(nowMs), prints)
  return world(nowMs, { prints, status, previews: Object.fromEntries(jobs), ...change })
}

const unclear = (now: number): PrintsView => printsOf([unknownPrint(now)])

const mixed = (now: number): PrintsView =>
  printsOf(
    [
      unknownPrint(now, { createdAt: ago(now, 14), since: ago(now, 14) }),
      heldPrint(now, unreadable, { title: 'SHP00000000377', senderName: 'Zoë Ångström' }),
      heldPrint(now, another, { jobId: 'pj-other', title: 'SHP00000000366', senderName: 'F. Dupont' }),
      refusedPrint(now, { title: 'RL-8841.R', trackingCode: '3SRETR7654309' }),
      samplePrint(now, { jobId: 'pj-sending', state: 'sending', title: 'SHP00000000398', senderName: null }),
      samplePrint(now, { title: 'KLACHT-2026-118', printer: labelFolder.name, trackingCode: null }),
    ],
    Array.from({ length: 6 }, (_, i) =>
      paperPrint(now, {
        jobId: `pj-paper-${String(i)}`,
        title: `SHP000000003${String(58 - i)}`,
        trackingCode: `3SRETR76542${String(58 - i)}`,
        senderName: i % 2 === 0 ? 'Łukasz Wiśniewski' : 'M. Jansen-van Oldenbarnevelt',
        state: i % 3 === 0 ? 'confirmed' : 'sent',
        since: ago(now, 20 + i * 37),
        createdAt: ago(now, 20 + i * 37),
        ...(i === 1 ? { isReprint: true, reason: 'damaged' as const } : {}),
      }),
    ),
    [{ ...zebra, state: 'refused', failure: outOfPaper }, labelFolder],
  )

/** Most causes that a printer, the network or the label folder may report, and an unknown cause. */
const causes = (now: number): PrintsView =>
  printsOf(
    [
      ...['paper_out', 'cover_open', 'ribbon_out', 'jammed', 'too_hot', 'paused', 'stopped', 'busy', 'error'],
      ...['offline', 'silent', 'ECONNREFUSED', 'ENODEV', 'EBUSY', 'EACCES', 'no_queue', 'media_unsupported'],
      ...['disk_full', 'folder_unwritable', 'E_NEVER_SEEN'],
    ].map((cause, i) =>
      refusedPrint(now, { jobId: `pj-${String(i)}`, failure: failure('printer.refused', { cause }) }),
    ),
    [],
    [{ ...zebra, state: 'refused', failure: failure('printer.refused', { cause: 'jammed' }) }, labelFolder],
  )

const doubling = { ...zebra, failure: failure('printer.prints_again', { policy: 'retry-job' }) }

/** A print list with long names and as many print jobs as wait after an outage of the printer. */
const many = (now: number): PrintsView =>
  printsOf(
    Array.from({ length: 60 }, (_, i) =>
      refusedPrint(now, {
        jobId: `pj-${String(i)}`,
        title: 'WEBSHOP-NL-2026-00100412-BB-RETOUR',
        senderName: 'Maximiliane Freifrau von und zu Hohenstein-Wackersdorf',
        printer: 'Retourlabelprinter links naast de paktafel',
      }),
    ),
    [],
    [
      {
        name: 'Retourlabelprinter links naast de paktafel',
        title: 'Retourlabelprinter links naast de paktafel',
        folder: null,
        state: 'refused',
        failure: failure('printer.refused', { cause: 'ribbon_out' }),
      },
      { ...zebra, state: 'unknown' },
      labelFolder,
    ],
  )

const wholeSheet: PrintPreview = samplePreview({
  pages: [samplePage(1654, 2339, []), samplePage(812, 1218, ['3SRETR7654321', 'JVGL0123456789012345'])],
})

const lists: readonly Scenario[] = [
  { name: 'prints-empty', world: (now) => printWorld(now, printsOf([])), steps: [show], sizes: 'both' },
  { name: 'prints-mixed', world: (now) => printWorld(now, mixed(now)), steps: [show], sizes: 'both' },
  {
    name: 'prints-many',
    world: (now) =>
      printWorld(now, { ...many(now), moreOpen: 15_600 }, samplePreview(), at(productionStation)),
    steps: [show, { show: '.more' }],
  },
  { name: 'prints-causes', world: (now) => printWorld(now, causes(now)), steps: [show], sizes: 'both' },
  {
    name: 'prints-not-here',
    world: (now) => printWorld(now, mixed(now)),
    steps: [show, open('pj-unknown'), { scan: 'SDCMDLOST' }],
  },
  {
    name: 'prints-doubles',
    world: (now) => printWorld(now, printsOf([], [paperPrint(now)], [doubling, labelFolder])),
    steps: [show],
  },
  {
    name: 'prints-unknown-paper',
    world: (now) =>
      printWorld(
        now,
        printsOf([
          unknownPrint(now, { failure: failure('printer.outcome_unknown', { cause: 'paper_out' }) }),
        ]),
      ),
    steps: [show, open('pj-unknown')],
  },
  {
    name: 'prints-unreadable',
    world: (now) =>
      printWorld(now, mixed(now), samplePreview(), {
        failures: { 'print:list': failure('store.unavailable') },
      }),
    steps: [show],
  },
  {
    name: 'prints-loading',
    world: (now) => printWorld(now, mixed(now), samplePreview(), { hanging: new Set(['print:list']) }),
    steps: [show],
  },
  {
    name: 'prints-answered',
    world: (now) => printWorld(now, mixed(now)),
    steps: [show, open('pj-unknown'), { scan: 'SDCMDNO' }],
  },
]

const held =
  (
    hold: typeof unreadable | typeof refused | typeof undrawn | typeof another | typeof wide,
    preview = samplePreview(),
  ) =>
  (now: number): MemoryWorld =>
    printWorld(now, printsOf([heldPrint(now, hold)]), preview)

const entries: readonly Scenario[] = [
  {
    name: 'prints-unknown',
    world: (now) => printWorld(now, unclear(now)),
    steps: [show, open('pj-unknown')],
    sizes: 'both',
  },
  {
    name: 'prints-moved-on',
    world: (now) =>
      printWorld(now, unclear(now), samplePreview(), {
        failures: { 'print:decide': failure('queue.moved_on') },
      }),
    steps: [show, open('pj-unknown'), { scan: 'SDCMDNO' }],
  },
  {
    name: 'prints-gone',
    world: (now) => printWorld(now, unclear(now)),
    steps: [
      show,
      open('pj-unknown'),
      {
        desk: (desk) => {
          desk.world.prints = printsOf([])
          desk.emit('status', sampleStatus(desk.world.nowMs()))
        },
      },
    ],
  },
  {
    name: 'prints-held',
    world: held(unreadable, wholeSheet),
    steps: [show, open('pj-held')],
    sizes: 'both',
  },
  {
    name: 'prints-held-long',
    world: held(unreadable, { ...wholeSheet, morePages: 98 }),
    steps: [show, open('pj-held')],
    sizes: 'both',
  },
  {
    name: 'prints-held-file',
    world: (now) =>
      printWorld(
        now,
        printsOf([
          heldPrint(now, unreadable, {
            printer: labelFolder.name,
            placement: { turn: 90, crop: 'auto' },
          }),
        ]),
        samplePreview({ pages: [{ ...samplePage(1218, 812, []), laid: { turn: 90, part: 'page' } }] }),
      ),
    steps: [show, open('pj-held')],
  },
  { name: 'prints-held-refused', world: held(refused), steps: [show, open('pj-held')], sizes: 'both' },
  { name: 'prints-held-undrawn', world: held(undrawn), steps: [show, open('pj-held')], sizes: 'both' },
  { name: 'prints-held-other', world: held(another), steps: [show, open('pj-held')] },
  {
    name: 'prints-held-wide',
    world: (now) => ({
      ...held(wide)(now),
      failures: { 'print:preview': failure('printer.paper_too_narrow', { neededMm: 71.4, printableMm: 48 }) },
    }),
    steps: [show, open('pj-held')],
  },
  {
    name: 'prints-turned',
    world: held(
      unreadable,
      samplePreview({ pages: [{ ...samplePage(1218, 812, []), laid: { turn: 90, part: 'label' } }] }),
    ),
    steps: [show, open('pj-held'), { click: '.row > button:first-child' }],
  },
  {
    name: 'prints-anyway',
    world: held(unreadable),
    steps: [show, open('pj-held'), { click: '.row > button:last-child' }],
    sizes: 'both',
  },
  {
    name: 'prints-give-up',
    world: held(another),
    steps: [show, open('pj-held'), { click: 'header button.quiet' }],
  },
  {
    name: 'prints-move',
    world: (now) =>
      printWorld(
        now,
        printsOf([refusedPrint(now)], [], [{ ...zebra, state: 'refused', failure: outOfPaper }, labelFolder]),
      ),
    steps: [show, open('pj-refused'), { click: '.row > button:last-child' }],
  },
  {
    name: 'prints-refused',
    world: (now) =>
      printWorld(
        now,
        printsOf([refusedPrint(now)], [], [{ ...zebra, state: 'refused', failure: outOfPaper }, labelFolder]),
      ),
    steps: [show, open('pj-refused')],
    sizes: 'both',
  },
  {
    name: 'prints-queued',
    world: (now) => printWorld(now, printsOf([samplePrint(now)])),
    steps: [show, open('pj-1')],
  },
  {
    name: 'prints-paper',
    world: (now) =>
      printWorld(
        now,
        printsOf([], [paperPrint(now, { unlisted: ['JVGL0123456789012345'] })]),
        samplePreview({ pages: [samplePage(812, 1218, ['JVGL0123456789012345'])] }),
      ),
    steps: [show, open('pj-paper')],
    sizes: 'both',
  },
  {
    name: 'prints-again',
    world: (now) => printWorld(now, printsOf([], [paperPrint(now, { state: 'confirmed' })])),
    steps: [show, open('pj-paper'), { scan: 'SDCMDREPRINT' }],
    sizes: 'both',
  },
  {
    name: 'prints-copy',
    world: (now) => printWorld(now, printsOf([], [paperPrint(now, { isReprint: true, reason: 'misprint' })])),
    steps: [show, open('pj-paper')],
  },
  {
    name: 'prints-large',
    world: (now) => printWorld(now, unclear(now), wholeSheet),
    steps: [show, open('pj-unknown'), { click: 'figure .picture' }],
  },
]

type Print = NonNullable<ReturnLabelView['print']>

function withPrint(nowMs: number, change: Partial<Print>, prints: PrintsView = printsOf([])): MemoryWorld {
  const done = printedLabel(nowMs)
  const labels = [{ ...done, print: done.print && { ...done.print, ...change } }]
  return printWorld(nowMs, prints, samplePreview(), { labels })
}

const cards: readonly Scenario[] = [
  {
    name: 'label-reprint-asked',
    world: (now) => withPrint(now, {}),
    steps: [{ scan: 'SHP00000000412' }, { scan: 'SDCMDREPRINT' }],
    sizes: 'both',
  },
  {
    name: 'label-copy',
    world: (now) => withPrint(now, { isReprint: true }),
    steps: [{ scan: 'SHP00000000412' }],
  },
  {
    name: 'label-print-held',
    world: (now) => withPrint(now, { state: 'queued' }, printsOf([heldPrint(now, unreadable)])),
    steps: [{ scan: 'SHP00000000412' }],
    sizes: 'both',
  },
  {
    name: 'label-print-unknown',
    world: (now) =>
      withPrint(
        now,
        { state: 'unknown', failure: failure('printer.outcome_unknown') },
        printsOf([unknownPrint(now)]),
      ),
    steps: [{ scan: 'SHP00000000412' }],
    sizes: 'both',
  },
  {
    name: 'label-given-up',
    world: (now) =>
      withPrint(now, {
        state: 'failed',
        failure: failure('printer.given_up', { reason: m.prints_reason_unwanted() }),
      }),
    steps: [{ scan: 'SHP00000000412' }],
  },
  {
    name: 'label-unlisted',
    world: (now) => withPrint(now, { state: 'sent', unlisted: ['JVGL0123456789012345'] }),
    steps: [{ scan: 'SHP00000000412' }],
  },
  {
    name: 'label-scanned-back',
    world: (now) => withPrint(now, { state: 'scan_confirmed' }),
    steps: [{ scan: '3SRETR7654321' }],
  },
  {
    name: 'label-swap',
    world: (now) => ({
      ...withPrint(now, { state: 'scan_confirmed' }),
      swap: { labelId: labelIdOf('lb-9'), title: 'SHP00000000398' },
    }),
    steps: [{ scan: '3SRETR7654321' }],
    sizes: 'both',
  },
]

export const printScenarios: readonly Scenario[] = [...lists, ...entries, ...cards]
