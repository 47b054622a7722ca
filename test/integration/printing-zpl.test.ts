import fc from 'fast-check'
import { decode } from 'fast-png'
import { afterEach, describe, expect, it } from 'vitest'
import { ready as zplRenderer } from 'zpl-renderer-js'
import type { PrinterPort, PrintOutcome, PrintRequest } from '#desk/ports/printers.ts'
import { drawLabel } from '#labels/draw/draw-label.ts'
import { type Bitmap, blankBitmap, bytesPerRow } from '#labels/pixels/bitmap.ts'
import { rasterise } from '#labels/place/lay-labels.ts'
import { carriers } from '#middleware/warehouse/carriers/carriers.ts'
import type { LabelLayout } from '#middleware/warehouse/world.ts'
import { createZplPrinter, type ZplPrinterOptions } from '#printing/zpl-printer.ts'
import { count, seed } from '#support/counts.ts'
import { decodeZpl } from '#support/decode-zpl.ts'
import { type FakeZplBehaviour, type FakeZplPrinter, startFakeZplPrinter } from '#support/fake-zpl-printer.ts'
import { canDecodeLabels, readBitmap } from '#support/label-raster.ts'
import { labelSpec } from '#support/label-specs.ts'
import { manyPages } from '#support/many-pages.ts'
import { returnLabelJob } from '#support/return-label-jobs.ts'
import { evidenceOf, printOn } from '#support/print-on.ts'
import { zplOptions } from '#support/zpl-options.ts'

const layouts: readonly LabelLayout[] = ['4x6', 'a6', 'sheet', 'rotated']
const ready = await canDecodeLabels()
/**
 * Time limits for printers that respond. They are long, because a wait reaches its limit only if a response is lost.
 */
const patient = {
  connectMs: 5_000,
  statusMs: 5_000,
  pollMs: 5,
  othersMs: 5_000,
  stallMs: 10_000,
  labelMs: 10_000,
  jobMs: 60_000,
  inchMs: 5,
  settleMs: 250,
  closeMs: 5_000,
}
/** Time limits for printers that stop responding. They are short, because every wait reaches its limit. */
const hasty = {
  ...patient,
  connectMs: 2_000,
  statusMs: 200,
  othersMs: 100,
  stallMs: 500,
  labelMs: 300,
  closeMs: 500,
}

let fake: FakeZplPrinter | null = null
afterEach(async () => {
  await fake?.close()
  fake = null
})

async function start(behaviour?: FakeZplBehaviour): Promise<FakeZplPrinter> {
  fake = await startFakeZplPrinter(behaviour)
  return fake
}

function printerAt(port: number, change: Partial<ZplPrinterOptions> = {}): PrinterPort {
  return createZplPrinter({
    name: 'fake',
    host: '127.0.0.1',
    port,
    widthMm: 104,
    dpi: 203,
    ...zplOptions,
    timeouts: patient,
    ...change,
  })
}

function request(document: Uint8Array): Omit<PrintRequest, 'placement'> {
  return { jobId: 'job', document, isReprint: false, externalReference: null, createdAt: 0 }
}

const label = await drawLabel(labelSpec())
const well = '030,0,0,1218,000,0,0,0,000,0,0,0 000,0,0,0,1,2,4,0,00000000,1,000'

describe('a ZPL printer', () => {
  it.each([
    { dpi: 203, widthDots: 832, graphics: 'z64' },
    { dpi: 203, widthDots: 832, graphics: 'acs' },
    { dpi: 300, widthDots: 1228, graphics: 'z64' },
  ] as const)('prints the label dot for dot and once, and confirms it: $dpi $graphics', async (terms) => {
    const { port, printed, commands } = await start()
    const { dpi, graphics, widthDots } = terms
    const printer = printerAt(port, { dpi, graphics, darkness: 15, inchesPerSecond: 6 })
    expect(await printOn(printer, request(label))).toEqual({
      kind: 'confirmed',
      evidence: `~HS ${well}`,
      file: null,
    })
    const drawn = await rasterise(label, { dpi, widthDots })
    expect(printed.map((format) => decodeZpl(format).bitmap)).toEqual(drawn)
    expect(commands.filter((command) => command !== '~HS')).toEqual(['~SD15'])
    expect(decodeZpl(printed[0] ?? '').commands).toEqual([
      '^MNY',
      `^PW${String(widthDots)}`,
      `^LL${String(drawn[0]?.heightDots)}`,
      ...['^LH0,0', '^PON', '^PMN', '^LRN', '^PR6', '^PQ1'],
    ])
  })

  it.each(['z64', 'acs'] as const)(
    'receives a label that an independent ZPL renderer draws dot for dot: %s',
    async (graphics) => {
      const { port, printed } = await start()
      await printOn(printerAt(port, { graphics }), request(label))
      const [own] = await rasterise(label, { dpi: 203, widthDots: 832 })
      const theirs = await renderZpl(printed[0] ?? '', { widthMm: 104, heightMm: (own?.heightDots ?? 0) / 8 })
      expect(theirs).toEqual(own)
    },
  )

  it.skipIf(!ready)('prints labels of all carriers in all layouts, with readable barcodes', async () => {
    const { port, printed } = await start()
    const printer = printerAt(port)
    for (const carrier of carriers) {
      for (const layout of layouts) {
        const drawn = await carrier.drawReturnLabel(returnLabelJob({ layout, serial: 99, sandbox: false }))
        expect(await printOn(printer, request(drawn.pdf))).toMatchObject({ kind: 'confirmed' })
        const codes = await readBitmap(decodeZpl(printed.at(-1) ?? '').bitmap)
        expect(codes.map((code) => code.text)).toEqual([drawn.trackingCode, drawn.trackingCode])
      }
    }
    expect(printed).toHaveLength(carriers.length * layouts.length)
  })

  it('receives one cancel command if another client left an incomplete format in it', async () => {
    const { port, printed, commands } = await start({ kind: 'half' })
    expect(
      await printOn(printerAt(port, { timeouts: { ...patient, othersMs: 50 } }), request(label)),
    ).toMatchObject({
      kind: 'confirmed',
    })
    expect(printed).toHaveLength(1)
    expect(commands.filter((command) => command !== '~HS')).toEqual(['~JX'])
  })

  it('receives the cancel command before each label if it reports no status', async () => {
    const { port, commands } = await start({ kind: 'silent' })
    expect(await printOn(printerAt(port, { timeouts: hasty }), request(label))).toMatchObject({
      kind: 'sent',
    })
    expect(commands.filter((command) => command !== '~HS')).toEqual(['~JX'])
  })

  it('receives no label, and the print is `refused`, if the printer responded before and no longer responds', async () => {
    const started = await start()
    const printer = printerAt(started.port, { timeouts: hasty })
    expect((await printer.status()).state).toBe('ready')
    started.behaviour = { kind: 'silent' }
    const failure = { code: 'printer.refused', params: { printer: 'fake', cause: 'silent' } }
    expect(await printer.status()).toEqual({ state: 'refused', failure })
    expect(await printOn(printer, request(label))).toEqual({ kind: 'refused', failure })
    expect(started.labelBytes).toBe(0)
    started.behaviour = { kind: 'ready' }
    expect(await printOn(printer, request(label))).toMatchObject({ kind: 'confirmed' })
  })

  it('receives no label if it responded to the first queries of its first print and no longer responds', async () => {
    const started = await start({ kind: 'empties', answers: 3 })
    const printer = printerAt(started.port, { timeouts: { ...hasty, othersMs: 5_000 } })
    const outcome = await printOn(printer, request(label))
    expect(outcome).toMatchObject({ kind: 'refused', failure: { params: { cause: 'silent' } } })
    expect(started.labelBytes).toBe(0)
  })

  it('returns no evidence that an interrupted job was printed', async () => {
    expect(await evidenceOf(printerAt(1), request(label))).toBeNull()
  })
})

interface Fault {
  readonly behaviour: FakeZplBehaviour
  readonly kinds: readonly PrintOutcome['kind'][]
  readonly timeouts?: typeof patient
  readonly cause?: string
  /** Number of labels that the printer printed completely. */
  readonly printed?: number
}

const wrongs = ['paper_out', 'cover_open', 'ribbon_out', 'error', 'paused', 'busy'] as const
const faults: readonly Fault[] = [
  ...wrongs.map((wrong): Fault => ({
    behaviour: { kind: 'wrong', wrong },
    kinds: ['refused'],
    cause: wrong,
    printed: 0,
  })),
  ...wrongs.flatMap((wrong): Fault[] =>
    [0, 1].map((doneAnswers) => ({
      behaviour: { kind: 'breaks', wrong, doneAnswers },
      kinds: ['unconfirmed'],
      cause: wrong,
      printed: 0,
    })),
  ),
  // Cases with a fault before any byte of the label was sent.
  ...(['resets', 'closes'] as const).flatMap((kind): Fault[] =>
    [false, true].map((answers) => ({
      behaviour: { kind, afterBytes: 0, answers },
      kinds: ['refused'],
      printed: 0,
    })),
  ),
  { behaviour: { kind: 'floods' }, kinds: ['refused'], cause: 'error', printed: 0 },
  // Cases in which a part of the label was sent, and another part may still be in the buffers of the kernel.
  ...(['resets', 'closes'] as const).flatMap((kind): Fault[] =>
    [false, true].map((answers) => ({
      behaviour: { kind, afterBytes: 2_000, answers },
      timeouts: hasty,
      kinds: ['partial', 'unconfirmed'],
      printed: 0,
    })),
  ),
  { behaviour: { kind: 'never_reads' }, timeouts: hasty, kinds: ['unconfirmed'], printed: 0 },
  {
    behaviour: { kind: 'never_closes' },
    timeouts: hasty,
    kinds: ['unconfirmed'],
    cause: 'not_closed',
    printed: 1,
  },
  { behaviour: { kind: 'holds' }, timeouts: hasty, kinds: ['unconfirmed'], cause: 'waiting', printed: 0 },
  { behaviour: { kind: 'dies' }, timeouts: hasty, kinds: ['unconfirmed'], cause: 'silent', printed: 0 },
  {
    behaviour: { kind: 'others', answers: 1e9 },
    timeouts: hasty,
    kinds: ['refused'],
    cause: 'busy',
    printed: 0,
  },
  { behaviour: { kind: 'offers', answers: 1e9 }, timeouts: hasty, kinds: ['unconfirmed'], cause: 'waiting' },
  // Cases in which the printer has no fault, but its responses give the desk less information than usual, or the print
  // takes longer than usual.
  { behaviour: { kind: 'silent' }, timeouts: hasty, kinds: ['sent'], printed: 1 },
  { behaviour: { kind: 'garbles' }, timeouts: hasty, kinds: ['sent'], printed: 1 },
  { behaviour: { kind: 'at_once' }, kinds: ['sent'], printed: 1 },
  { behaviour: { kind: 'slow', answers: 20 }, kinds: ['confirmed'], printed: 1 },
  { behaviour: { kind: 'reads_slowly' }, kinds: ['confirmed'], printed: 1 },
  { behaviour: { kind: 'others', answers: 3 }, kinds: ['confirmed'], printed: 1 },
  { behaviour: { kind: 'offers', answers: 3 }, kinds: ['confirmed'], printed: 1 },
]

/** Prints a label and compares the outcome with the data of the printer. */
async function expectHonest({ behaviour, kinds, timeouts = patient, cause, printed }: Fault): Promise<void> {
  const started = await startFakeZplPrinter(behaviour)
  try {
    const outcome = await printOn(printerAt(started.port, { timeouts }), request(label))
    expect(kinds).toContain(outcome.kind)
    if ('failure' in outcome) {
      const code = outcome.kind === 'refused' ? 'printer.refused' : 'printer.outcome_unknown'
      expect(outcome.failure).toMatchObject({ code, params: { printer: 'fake' } })
      if (cause !== undefined) expect(outcome.failure.params).toMatchObject({ cause })
    }
    if (printed !== undefined) expect(started.printed).toHaveLength(printed)
    expect(started.printed.length).toBeLessThanOrEqual(1)
    // `refused` means that no byte of the label was sent, `confirmed` that the label was printed, and `sent` that the
    // whole label arrived.
    if (outcome.kind === 'refused') expect(started.labelBytes).toBe(0)
    if (outcome.kind === 'confirmed' || outcome.kind === 'sent') expect(started.printed).toHaveLength(1)
  } finally {
    await started.close()
  }
}

describe('the outcome of a ZPL print', () => {
  it.each(faults)('is $kinds if the fake printer behaves as $behaviour', expectHonest)

  it('is `refused` only if the printer received no byte of the label, and `sent` or `confirmed` only if it printed the label, whatever its faults', async () => {
    const all: readonly PrintOutcome['kind'][] = ['refused', 'sent', 'confirmed', 'partial', 'unconfirmed']
    const wrong = fc.constantFrom(...wrongs)
    const answers = fc.integer({ min: 0, max: 30 })
    const behaviour: fc.Arbitrary<FakeZplBehaviour> = fc.oneof(
      fc.record({ kind: fc.constant('wrong' as const), wrong }),
      fc.record({ kind: fc.constant('breaks' as const), wrong, doneAnswers: fc.constantFrom(0, 1) }),
      fc.record({ kind: fc.constantFrom('slow' as const, 'others' as const, 'offers' as const), answers }),
      fc.record({
        kind: fc.constantFrom('resets' as const, 'closes' as const),
        afterBytes: fc.integer({ min: 0, max: 12_000 }),
        answers: fc.boolean(),
      }),
      fc
        .constantFrom('ready', 'silent', 'garbles', 'at_once', 'holds', 'dies', 'half', 'reads_slowly')
        .map((kind): FakeZplBehaviour => ({ kind })),
    )
    await fc.assert(
      fc.asyncProperty(behaviour, async (one) => {
        await expectHonest({ behaviour: one, timeouts: hasty, kinds: all })
      }),
      { seed, numRuns: count(40, 600) },
    )
  })

  it('is unconfirmed if a fault appears after the printer counted the label as printed, but within the print time of the label', async () => {
    // The driver assumes that the label takes six seconds to print, so it queries the printer for six more seconds. The
    // fake printer reports its fault much sooner, after a few responses.
    const timeouts = { ...patient, inchMs: 1_000 }
    await expectHonest({
      behaviour: { kind: 'breaks', wrong: 'paper_out', doneAnswers: 8 },
      kinds: ['unconfirmed'],
      timeouts,
      cause: 'paper_out',
    })
  })

  it('is unconfirmed after the time limit of a job if the printer keeps all labels of a long document', async () => {
    const { port } = await start({ kind: 'holds' })
    const printer = printerAt(port, { timeouts: { ...hasty, labelMs: 2_000, jobMs: 600 } })
    const prepared = await printer.prepare({ ...request(await manyPages(8)), placement: null })
    if (!prepared.ok) throw new Error(prepared.error.code)
    const from = performance.now()
    const outcome = await prepared.value.send()
    expect(outcome).toMatchObject({ kind: 'unconfirmed', failure: { params: { cause: 'waiting' } } })
    expect(performance.now() - from).toBeLessThan(8_000)
  })

  it('is `refused` if no program listens at the port of the printer', async () => {
    const gone = await startFakeZplPrinter()
    await gone.close()
    const printer = printerAt(gone.port)
    const failure = { code: 'printer.refused', params: { printer: 'fake', cause: 'ECONNREFUSED' } }
    expect(await printOn(printer, request(label))).toEqual({ kind: 'refused', failure })
    expect(await printer.status()).toEqual({ state: 'refused', failure })
  })

  it.each([
    ['a file that is no PDF', new TextEncoder().encode('<html>'), 104, 'document.not_a_pdf'],
    ['a damaged PDF', new TextEncoder().encode('%PDF-1.7'), 104, 'document.unreadable'],
    ['a label too wide for the paper', label, 50, 'printer.paper_too_narrow'],
  ] as const)('is `refused` for %s before anything is sent', async (_, document, widthMm, code) => {
    const printer = await start()
    const outcome = await printOn(printerAt(printer.port, { widthMm }), request(document))
    expect(outcome).toMatchObject({ kind: 'refused', failure: { code } })
    expect([printer.labelBytes, printer.commands]).toEqual([0, []])
  })
})

describe('the state of a fake ZPL printer', () => {
  it.each([
    [{ kind: 'ready' }, 'ready', null],
    [{ kind: 'silent' }, 'unknown', null],
    [{ kind: 'garbles' }, 'unknown', null],
    [{ kind: 'never_reads' }, 'unknown', null],
    ...wrongs.map((wrong) => [{ kind: 'wrong', wrong }, 'refused', wrong] as const),
  ] as const)('that behaves as %o is %s', async (behaviour, state, cause) => {
    const printer = await start(behaviour)
    const condition = await printerAt(printer.port, { timeouts: hasty }).status()
    expect(condition.state).toBe(state)
    expect(condition.failure?.params['cause'] ?? null).toBe(cause)
    expect(printer.labelBytes).toBe(0)
  })
})

/** Returns the picture that another renderer draws from one ^XA…^XZ format, at 8 dots per millimetre. */
async function renderZpl(format: string, size: { widthMm: number; heightMm: number }): Promise<Bitmap> {
  const { api } = await zplRenderer
  const png = await api.zplToBase64Async(format, size.widthMm, size.heightMm, 8)
  const { width, height, data, channels } = decode(Buffer.from(png, 'base64'))
  const bitmap = blankBitmap(width, height)
  const rowBytes = bytesPerRow(width)
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      if ((data[(y * width + x) * channels] ?? 255) >= 128) continue
      const at = y * rowBytes + (x >> 3)
      bitmap.bytes[at] = (bitmap.bytes[at] ?? 0) | (0x80 >> (x & 7))
    }
  return bitmap
}
