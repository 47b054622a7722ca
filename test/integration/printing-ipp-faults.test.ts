import fc from 'fast-check'
import { PDFDocument } from 'pdf-lib'
import { afterEach, describe, expect, it } from 'vitest'
import type { PrinterPort, PrintOutcome } from '#desk/ports/printers.ts'
import { words } from '#printing/ipp-message.ts'
import { count, seed } from '#support/counts.ts'
import {
  type FakeIppBehaviour,
  type FakeIppPrinter,
  type FakeIppReport,
  type FakeIppState,
  startFakeIppPrinter,
} from '#support/fake-ipp-printer.ts'
import { ippJob, ippPrinterAt } from '#support/ipp-jobs.ts'
import { printOn } from '#support/print-on.ts'

/**
 * Long time limits, because the fake printer responds at once: a wait reaches its limit only if a response is missing.
 */
const timeouts = {
  connectMs: 2_000,
  stallMs: 2_000,
  answerMs: 300,
  pollMs: 2,
  pendingMs: 60,
  pageMs: 20_000,
  faultMs: 60,
  lostMs: 60,
}
/**
 * A label with only a rectangle, because the outcome does not depend on the content, and a complete label takes 0.1 s.
 */
const label = await PDFDocument.create({ updateMetadata: false })
label.addPage([4 * 72, 6 * 72]).drawRectangle({ x: 72, y: 72, width: 72, height: 72 })
const request = ippJob(await label.save())

let fake: FakeIppPrinter | null = null
afterEach(async () => {
  await fake?.close()
  fake = null
})

async function start(behaviour?: FakeIppBehaviour): Promise<FakeIppPrinter> {
  fake = await startFakeIppPrinter(behaviour)
  return fake
}

function printerAt(uri: string, change: Partial<typeof timeouts> = {}): PrinterPort {
  return ippPrinterAt(uri, { dpi: 72, timeouts: { ...timeouts, ...change } })
}

const idle: FakeIppState = { state: 3, reasons: ['none'] }
const broken: FakeIppState = { state: 4, reasons: ['cover-open-warning'] }
const queueMark = [words('text', 'cups-version', '2.4.2')]
const whenWell = { state: 9, impressions: 1, sheets: 1 } as const
const statusOf = (status: number): FakeIppBehaviour => ({ document: { status } })
const job = (...reports: readonly FakeIppReport[]): FakeIppBehaviour => ({ job: reports })

interface Case {
  readonly name: string
  readonly behaviour: FakeIppBehaviour
  readonly kind: PrintOutcome['kind']
  readonly cause?: string
  /** Number of complete documents that the fake printer received. */
  readonly documents?: number
  readonly pageMs?: number
}

const unwell: readonly (readonly [cause: string, printer: FakeIppState])[] = [
  ['stopped', { state: 5, reasons: ['none'] }],
  ['paused', { state: 5, reasons: ['paused'] }],
  ['cover_open', { state: 3, reasons: ['media-empty-error', 'cover-open'] }],
  ['paper_out', { state: 3, reasons: ['media-needed-error'] }],
  ['jammed', { state: 3, reasons: ['media-jam-warning'] }],
  ['ribbon_out', { state: 3, reasons: ['marker-supply-empty-error'] }],
  ['offline', { state: 4, reasons: ['offline-report'] }],
  ['error', { state: 3, reasons: ['other-error'] }],
  ['not_accepting', { ...idle, isAccepting: false }],
]

const cases: readonly Case[] = [
  { name: 'done, and it counts pages and sheets', behaviour: job(whenWell), kind: 'confirmed' },
  { name: 'done, and it counts sheets only', behaviour: job({ state: 9, sheets: 1 }), kind: 'confirmed' },
  { name: 'waits, works, is done', behaviour: job({ state: 3 }, { state: 5 }, whenWell), kind: 'confirmed' },
  {
    name: 'cannot be asked for a while',
    behaviour: job({ state: 5 }, 'silent', whenWell),
    kind: 'confirmed',
  },
  { name: 'says no more', behaviour: job({ state: 5 }, 'silent'), kind: 'unconfirmed', cause: 'silent' },
  { name: 'done, and it does not count', behaviour: job({ state: 9 }), kind: 'sent' },
  {
    name: 'done, and its counter stays at nothing',
    behaviour: job({ state: 9, impressions: 0 }),
    kind: 'sent',
  },
  {
    name: 'done, and yet in its queue',
    behaviour: job({ ...whenWell, reasons: ['queued-in-device'] }),
    kind: 'sent',
  },
  {
    name: 'done with errors',
    behaviour: job({ ...whenWell, reasons: ['job-completed-with-errors'] }),
    kind: 'unconfirmed',
    cause: 'job_errors',
  },
  {
    name: 'done, and its cover is open',
    behaviour: job({ ...whenWell, printer: broken }),
    kind: 'unconfirmed',
    cause: 'cover_open',
  },
  {
    name: 'aborted',
    behaviour: job({ state: 8, impressions: 1 }),
    kind: 'unconfirmed',
    cause: 'job_aborted',
  },
  {
    name: 'cancelled at the printer',
    behaviour: job({ state: 7 }),
    kind: 'unconfirmed',
    cause: 'job_canceled',
  },
  {
    name: 'aborted for want of paper',
    behaviour: job({ state: 8, printer: { state: 3, reasons: ['media-empty-report'] } }),
    kind: 'unconfirmed',
    cause: 'paper_out',
  },
  { name: 'stopped in the middle', behaviour: job({ state: 6 }), kind: 'unconfirmed', cause: 'stopped' },
  { name: 'never ends', behaviour: job({ state: 5 }), pageMs: 200, kind: 'unconfirmed', cause: 'waiting' },
  { name: 'waits behind others', behaviour: job({ state: 3 }), kind: 'spooled' },
  { name: 'is held', behaviour: job({ state: 4 }), kind: 'spooled' },
  { name: 'is forgotten', behaviour: job({ state: 5 }, 'gone'), kind: 'unconfirmed', cause: 'job_gone' },
  {
    name: 'has a number that another job has now',
    behaviour: job({ state: 5 }, 'of_another'),
    kind: 'unconfirmed',
    cause: 'job_gone',
  },
  {
    name: 'works with its cover open',
    behaviour: job({ state: 5, printer: broken }),
    kind: 'unconfirmed',
    cause: 'cover_open',
  },
  // The report of a print queue is weaker evidence than the report of a printer.
  { name: 'a queue is done', behaviour: { attributes: queueMark, ...job(whenWell) }, kind: 'spooled' },
  { name: 'a queue waits', behaviour: { attributes: queueMark, ...job({ state: 3 }) }, kind: 'spooled' },
  {
    name: 'a queue tries again automatically',
    behaviour: { attributes: queueMark, ...job({ state: 5 }, { state: 3, isAgain: true }) },
    kind: 'unconfirmed',
    cause: 'retrying',
  },
  {
    name: 'a queue gave up',
    behaviour: { attributes: queueMark, ...job({ state: 8 }) },
    kind: 'unconfirmed',
  },
  {
    name: 'a queue knows of old faults only',
    behaviour: { attributes: queueMark, printer: { state: 3, reasons: ['media-empty-warning'] } },
    kind: 'spooled',
  },
  // The following faults exist before the document is sent.
  ...unwell.map(([cause, printer]): Case => ({
    name: `is ${cause}`,
    behaviour: { printer },
    kind: 'refused',
    cause,
    documents: 0,
  })),
  {
    name: 'low on paper',
    behaviour: { printer: { state: 3, reasons: ['media-low-warning'] } },
    kind: 'confirmed',
  },
  { name: 'busy', behaviour: { createStatus: 0x0507 }, kind: 'refused', cause: 'busy', documents: 0 },
  {
    name: 'unwilling',
    behaviour: { createStatus: 0x0401 },
    kind: 'refused',
    cause: 'not_allowed',
    documents: 0,
  },
  { name: 'at odds', behaviour: { createStatus: 0x0400 }, kind: 'refused', cause: 'ipp_400', documents: 0 },
  {
    name: 'would take other paper',
    behaviour: { ignores: ['media'] },
    kind: 'refused',
    cause: 'media_unsupported',
    documents: 0,
  },
  { name: 'leaves the scaling aside', behaviour: { ignores: ['print-scaling'] }, kind: 'confirmed' },
  // The following faults start while the document is sent or afterwards.
  {
    name: 'declines the document',
    behaviour: statusOf(0x040a),
    kind: 'refused',
    cause: 'format_unsupported',
    documents: 0,
  },
  {
    name: 'fails with the document',
    behaviour: { ...statusOf(0x0500), job: [{ state: 8 }] },
    kind: 'unconfirmed',
    cause: 'job_aborted',
  },
  {
    name: 'breaks off in the document',
    behaviour: { document: { resetsAfter: 100 }, job: [{ state: 8 }] },
    kind: 'unconfirmed',
    documents: 0,
  },
  {
    name: 'breaks off behind the document, which waits',
    behaviour: { document: 'resets_behind', job: [{ state: 3 }] },
    kind: 'unconfirmed',
    cause: 'ECONNRESET',
  },
  {
    name: 'breaks off behind the document, and is done',
    behaviour: { document: 'resets_behind' },
    kind: 'confirmed',
  },
  {
    name: 'breaks off behind the document, is done, and does not count',
    behaviour: { document: 'resets_behind', job: [{ state: 9 }] },
    kind: 'unconfirmed',
    cause: 'ECONNRESET',
  },
  {
    name: 'takes the document without a word',
    behaviour: { document: 'silent' },
    kind: 'confirmed',
    documents: 1,
  },
]

describe('the outcome of a label on an IPP printer that', () => {
  it.each(cases)('$name is $kind', async ({ behaviour, kind, cause, documents, pageMs }) => {
    const started = await start(behaviour)
    const outcome = await printOn(printerAt(started.uri, pageMs ? { pageMs } : {}), request)
    expect(outcome).toMatchObject({ kind })
    if (cause !== undefined) expect(outcome).toMatchObject({ failure: { params: { printer: 'ipp', cause } } })
    if (documents !== undefined) expect(started.documents).toHaveLength(documents)
    expect(started.documents.length).toBeLessThanOrEqual(1)
  })
})

describe('any sequence of IPP responses', () => {
  it('never leads to a refused label after the printer accepted it, nor to a confirmed label without full evidence', async () => {
    const state = fc.constantFrom<FakeIppState>(idle, { state: 4, reasons: ['none'] }, broken, {
      state: 5,
      reasons: ['paused'],
    })
    const report: fc.Arbitrary<FakeIppReport> = fc.oneof(
      { weight: 1, arbitrary: fc.constantFrom('gone' as const, 'of_another' as const) },
      {
        weight: 6,
        arbitrary: fc.record(
          {
            state: fc.integer({ min: 2, max: 10 }),
            reasons: fc.subarray(['job-printing', 'queued-in-device', 'job-completed-with-errors'], {
              minLength: 1,
            }),
            impressions: fc.integer({ min: 0, max: 2 }),
            sheets: fc.integer({ min: 0, max: 2 }),
            printer: state,
          },
          { requiredKeys: ['state'] },
        ),
      },
    )
    const behaviour: fc.Arbitrary<FakeIppBehaviour> = fc.record(
      {
        printer: state,
        attributes: fc.constantFrom([], queueMark),
        createStatus: fc.constantFrom(0, 0, 0, 0x0507, 0x0400),
        ignores: fc.subarray(['media', 'copies']),
        document: fc.oneof(
          fc.record({ resetsAfter: fc.integer({ min: 0, max: request.document.length - 1 }) }),
          fc.constant('resets_behind' as const),
          fc.record({ status: fc.constantFrom(0x0400, 0x040a, 0x0500, 0x0411) }),
        ),
        job: fc.array(report, { minLength: 1, maxLength: 4 }),
      },
      { requiredKeys: ['job'] },
    )
    await fc.assert(
      fc.asyncProperty(behaviour, async (one) => {
        const printer = await startFakeIppPrinter(one)
        try {
          const outcome = await printOn(printerAt(printer.uri, { pageMs: 60 }), request)
          expect(printer.operations.filter((operation) => operation === 0x06).length).toBeLessThanOrEqual(1)
          if (outcome.kind === 'refused') expect(printer.documents).toHaveLength(0)
          const isDeclined = typeof one.document === 'object' && 'status' in one.document
          if (outcome.kind === 'refused' && !isDeclined) expect(printer.hasDocument).toBe(false)
          if (outcome.kind !== 'confirmed') return
          expect(one.attributes ?? []).toEqual([])
          const isEvidence = (seen: FakeIppReport): boolean =>
            typeof seen === 'object' &&
            seen.state === 9 &&
            ((seen.impressions ?? 0) > 0 || (seen.sheets ?? 0) > 0)
          expect(one.job?.some(isEvidence)).toBe(true)
        } finally {
          await printer.close()
        }
      }),
      { seed, numRuns: count(30, 1_500) },
    )
  }, 1_800_000)
})
