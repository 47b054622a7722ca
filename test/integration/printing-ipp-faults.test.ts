import fc from 'fast-check'
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
import { manyPages } from '#support/many-pages.ts'
import { printOn } from '#support/print-on.ts'

/** The fake printer responds at once. Therefore the time limits that a test reaches can be short. */
const timeouts = {
  connectMs: 2_000,
  stallMs: 2_000,
  sendMs: 10_000,
  answerMs: 300,
  pollMs: 2,
  pendingMs: 60,
  pageMs: 20_000,
  jobMs: 60_000,
  faultMs: 60,
  lostMs: 60,
}
/**
 * A label with only a rectangle, because the outcome does not depend on the content, and a complete label takes 0.1 s.
 */
const request = ippJob(await manyPages(1))

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
  { name: 'completes the job and counts pages and sheets', behaviour: job(whenWell), kind: 'confirmed' },
  {
    name: 'completes the job and counts only sheets',
    behaviour: job({ state: 9, sheets: 1 }),
    kind: 'confirmed',
  },
  {
    name: 'lets the job wait, processes it and completes it',
    behaviour: job({ state: 3 }, { state: 5 }, whenWell),
    kind: 'confirmed',
  },
  {
    name: 'does not respond for a while and then reports the job as completed',
    behaviour: job({ state: 5 }, 'silent', whenWell),
    kind: 'confirmed',
  },
  {
    name: 'stops responding while it processes the job',
    behaviour: job({ state: 5 }, 'silent'),
    kind: 'unconfirmed',
    cause: 'silent',
  },
  {
    name: 'completes the job and counts neither pages nor sheets',
    behaviour: job({ state: 9 }),
    kind: 'sent',
  },
  {
    name: 'completes the job and counts zero pages',
    behaviour: job({ state: 9, impressions: 0 }),
    kind: 'sent',
  },
  {
    name: 'reports the job as completed but still queued in the device',
    behaviour: job({ ...whenWell, reasons: ['queued-in-device'] }),
    kind: 'sent',
  },
  {
    name: 'completes the job with errors',
    behaviour: job({ ...whenWell, reasons: ['job-completed-with-errors'] }),
    kind: 'unconfirmed',
    cause: 'job_errors',
  },
  {
    name: 'completes the job and reports an open cover',
    behaviour: job({ ...whenWell, printer: broken }),
    kind: 'unconfirmed',
    cause: 'cover_open',
  },
  {
    name: 'aborts the job',
    behaviour: job({ state: 8, impressions: 1 }),
    kind: 'unconfirmed',
    cause: 'job_aborted',
  },
  {
    name: 'reports that the job was cancelled',
    behaviour: job({ state: 7 }),
    kind: 'unconfirmed',
    cause: 'job_canceled',
  },
  {
    name: 'aborts the job and has no paper',
    behaviour: job({ state: 8, printer: { state: 3, reasons: ['media-empty-report'] } }),
    kind: 'unconfirmed',
    cause: 'paper_out',
  },
  { name: 'stops during the job', behaviour: job({ state: 6 }), kind: 'unconfirmed', cause: 'stopped' },
  {
    name: 'processes the job longer than the time limit',
    behaviour: job({ state: 5 }),
    pageMs: 200,
    kind: 'unconfirmed',
    cause: 'waiting',
  },
  { name: 'lets the job wait behind other jobs', behaviour: job({ state: 3 }), kind: 'spooled' },
  { name: 'holds the job', behaviour: job({ state: 4 }), kind: 'spooled' },
  {
    name: 'no longer knows the job',
    behaviour: job({ state: 5 }, 'gone'),
    kind: 'unconfirmed',
    cause: 'job_gone',
  },
  {
    name: 'has given the number of the job to another job',
    behaviour: job({ state: 5 }, 'of_another'),
    kind: 'unconfirmed',
    cause: 'job_gone',
  },
  {
    name: 'processes the job and reports an open cover',
    behaviour: job({ state: 5, printer: broken }),
    kind: 'unconfirmed',
    cause: 'cover_open',
  },
  // The report of a print queue is weaker evidence than the report of a printer.
  {
    name: 'is a queue that reports the job as completed',
    behaviour: { attributes: queueMark, ...job(whenWell) },
    kind: 'spooled',
  },
  {
    name: 'is a queue that lets the job wait',
    behaviour: { attributes: queueMark, ...job({ state: 3 }) },
    kind: 'spooled',
  },
  {
    name: 'is a queue that repeats the job automatically',
    behaviour: { attributes: queueMark, ...job({ state: 5 }, { state: 3, isAgain: true }) },
    kind: 'unconfirmed',
    cause: 'retrying',
  },
  {
    name: 'is a queue that aborts the job',
    behaviour: { attributes: queueMark, ...job({ state: 8 }) },
    kind: 'unconfirmed',
  },
  {
    name: 'is a queue that still reports an earlier fault',
    behaviour: { attributes: queueMark, printer: { state: 3, reasons: ['media-empty-warning'] } },
    kind: 'spooled',
  },
  // Cases in which the printer has the fault before the document is sent.
  ...unwell.map(([cause, printer]): Case => ({
    name: `reports the fault ${cause} before the print`,
    behaviour: { printer },
    kind: 'refused',
    cause,
    documents: 0,
  })),
  {
    name: 'reports that little paper is left',
    behaviour: { printer: { state: 3, reasons: ['media-low-warning'] } },
    kind: 'confirmed',
  },
  {
    name: 'refuses the job because it is busy',
    behaviour: { createStatus: 0x0507 },
    kind: 'refused',
    cause: 'busy',
    documents: 0,
  },
  {
    name: 'refuses the job because printing is not allowed',
    behaviour: { createStatus: 0x0401 },
    kind: 'refused',
    cause: 'not_allowed',
    documents: 0,
  },
  {
    name: 'refuses the job as a bad request',
    behaviour: { createStatus: 0x0400 },
    kind: 'refused',
    cause: 'ipp_400',
    documents: 0,
  },
  {
    name: 'would use other paper',
    behaviour: { ignores: ['media'] },
    kind: 'refused',
    cause: 'media_unsupported',
    documents: 0,
  },
  {
    name: 'ignores the attribute for the scaling',
    behaviour: { ignores: ['print-scaling'] },
    kind: 'confirmed',
  },
  // Cases in which the fault starts while the document is sent or afterwards.
  {
    name: 'refuses the format of the document',
    behaviour: statusOf(0x040a),
    kind: 'refused',
    cause: 'format_unsupported',
    documents: 0,
  },
  {
    name: 'responds to the document with an internal error and aborts the job',
    behaviour: { ...statusOf(0x0500), job: [{ state: 8 }] },
    kind: 'unconfirmed',
    cause: 'job_aborted',
  },
  {
    name: 'breaks the connection during the document and aborts the job',
    behaviour: { document: { resetsAfter: 100 }, job: [{ state: 8 }] },
    kind: 'unconfirmed',
    documents: 0,
  },
  {
    name: 'breaks the connection after the document, and the job waits',
    behaviour: { document: 'resets_behind', job: [{ state: 3 }] },
    kind: 'unconfirmed',
    cause: 'ECONNRESET',
  },
  {
    name: 'breaks the connection after the document, and completes and counts the job',
    behaviour: { document: 'resets_behind' },
    kind: 'confirmed',
  },
  {
    name: 'breaks the connection after the document, and completes the job without a count',
    behaviour: { document: 'resets_behind', job: [{ state: 9 }] },
    kind: 'unconfirmed',
    cause: 'ECONNRESET',
  },
  {
    name: 'receives the document without a response, and completes and counts the job',
    behaviour: { document: 'silent' },
    kind: 'confirmed',
    documents: 1,
  },
]

describe('the outcome of a print on an IPP printer', () => {
  it.each(cases)('is $kind if the printer $name', async ({ behaviour, kind, cause, documents, pageMs }) => {
    const started = await start(behaviour)
    const outcome = await printOn(printerAt(started.uri, pageMs ? { pageMs } : {}), request)
    expect(outcome).toMatchObject({ kind })
    if (cause !== undefined) expect(outcome).toMatchObject({ failure: { params: { printer: 'ipp', cause } } })
    if (documents !== undefined) expect(started.documents).toHaveLength(documents)
    expect(started.documents.length).toBeLessThanOrEqual(1)
  })
})

describe('a document of many pages on an IPP printer', () => {
  const pages = 8
  /**
   * Returns reports of a job in progress: the number of counted pages increases from 0 to `most` - 1, and each number
   * is reported `times` times.
   */
  const counting = (most: number, times: number): FakeIppReport[] =>
    Array.from({ length: most * times }, (_, at) => ({ state: 5, impressions: Math.floor(at / times) }))

  async function outcomeAndTime(
    reports: readonly FakeIppReport[],
    change: Partial<typeof timeouts>,
  ): Promise<{ outcome: PrintOutcome; tookMs: number }> {
    const { uri } = await start(job(...reports))
    const many = ippJob(await manyPages(pages))
    const prepared = await printerAt(uri, change).prepare({ ...many, placement: null })
    if (!prepared.ok) throw new Error(prepared.error.code)
    const from = performance.now()
    const outcome = await prepared.value.send()
    return { outcome, tookMs: performance.now() - from }
  }

  it('is unconfirmed after the same time as a document of one page if the printer counts no page', async () => {
    const { outcome, tookMs } = await outcomeAndTime([{ state: 5, impressions: 0 }], { pageMs: 1_500 })
    expect(outcome).toMatchObject({ kind: 'unconfirmed', failure: { params: { cause: 'waiting' } } })
    expect(tookMs).toBeLessThan(8_000)
  })

  it.each([
    { does: 'counts pages without end', reports: counting(10_000, 1) },
    { does: 'reports no count', reports: [{ state: 5 }] },
  ])('is unconfirmed after the time limit of a job if the printer $does', async ({ reports }) => {
    const { outcome, tookMs } = await outcomeAndTime(reports, { pageMs: 2_000, jobMs: 500, pollMs: 20 })
    expect(outcome).toMatchObject({ kind: 'unconfirmed', failure: { params: { cause: 'waiting' } } })
    expect(tookMs).toBeLessThan(8_000)
  })

  it('is confirmed if the printer counts each page within the time limit of a page', async () => {
    const reports = [...counting(pages, 3), { state: 9, impressions: pages }]
    const { outcome, tookMs } = await outcomeAndTime(reports, { pageMs: 4_000, pollMs: 250 })
    expect(outcome).toMatchObject({ kind: 'confirmed' })
    expect(tookMs).toBeGreaterThan(4_000)
  })

  it('has the outcome `sent` if the printer reports no count and prints all pages within the sum of the time limits of the pages', async () => {
    const uncounted = Array.from({ length: 10 }, (): FakeIppReport => ({ state: 5 }))
    const reports = [...uncounted, { state: 9 }]
    const { outcome, tookMs } = await outcomeAndTime(reports, { pageMs: 1_000, pollMs: 150 })
    expect(outcome).toMatchObject({ kind: 'sent' })
    expect(tookMs).toBeGreaterThan(1_000)
  })
})

describe('the outcome of a print for any sequence of IPP responses', () => {
  it('is not refused if the printer accepted the job, and not confirmed if no response reports printed pages', async () => {
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
