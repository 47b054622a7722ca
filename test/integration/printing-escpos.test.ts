import { connect } from 'node:net'
import fc from 'fast-check'
import { afterEach, describe, expect, it } from 'vitest'
import type { PrinterPort, PrintOutcome, PrintRequest } from '#desk/ports/printers.ts'
import { drawLabel } from '#labels/draw/draw-label.ts'
import { rasterise } from '#labels/place/lay-labels.ts'
import { carriers } from '#middleware/warehouse/carriers/carriers.ts'
import type { LabelLayout } from '#middleware/warehouse/world.ts'
import { exchange, createEscposPrinter, type EscposPrinterOptions } from '#printing/escpos-printer.ts'
import { openRaw } from '#printing/raw-connection.ts'
import { count, seed } from '#support/counts.ts'
import { escposBytes } from '#support/escpos-bytes.ts'
import {
  type FakeBehaviour,
  type FakeEscposPrinter,
  startFakeEscposPrinter,
} from '#support/fake-escpos-printer.ts'
import { canDecodeLabels, readBitmap } from '#support/label-raster.ts'
import { labelSpec } from '#support/label-specs.ts'
import { returnLabelJob } from '#support/return-label-jobs.ts'
import { evidenceOf, printOn } from '#support/print-on.ts'

const layouts: readonly LabelLayout[] = ['4x6', 'a6', 'sheet', 'rotated']
const ready = await canDecodeLabels()
/**
 * Time limits for printers that respond. They are long, because a wait reaches its limit only if a response is lost.
 */
const patient = {
  connectMs: 5_000,
  statusMs: 5_000,
  stallMs: 10_000,
  labelMs: 10_000,
  jobMs: 60_000,
  settleMs: 250,
  closeMs: 5_000,
}
/** Time limits for printers that do not respond. They are short, because every wait reaches its limit. */
const hasty = { ...patient, connectMs: 2_000, statusMs: 200, stallMs: 500, labelMs: 300, closeMs: 500 }

let fake: FakeEscposPrinter | null = null
afterEach(async () => {
  await fake?.close()
  fake = null
})

async function start(behaviour?: FakeBehaviour): Promise<FakeEscposPrinter> {
  fake = await startFakeEscposPrinter(behaviour)
  return fake
}

function printerAt(
  port: number,
  {
    timeouts = patient,
    paperMm = 104,
    host = '127.0.0.1',
  }: Partial<Omit<EscposPrinterOptions, 'host'>> & { readonly host?: string } = {},
): PrinterPort {
  return createEscposPrinter({ name: 'fake', host, port, paperMm, dpi: 203, timeouts })
}

function request(document: Uint8Array): Omit<PrintRequest, 'placement'> {
  return { jobId: 'job', document, isReprint: false, externalReference: null, createdAt: 0 }
}

const label = await drawLabel(labelSpec())

describe('an ESC/POS printer', () => {
  it('prints the label dot for dot, cuts once and confirms it', async () => {
    const { port, jobs } = await start()
    const outcome = await printOn(printerAt(port), request(label))
    expect(outcome).toEqual({
      kind: 'confirmed',
      evidence: 'GS r 00, DLE EOT 16 12 12 12',
      file: null,
    })
    expect(jobs.map((job) => job.labels)).toEqual([await rasterise(label, { dpi: 203, widthDots: 832 })])
    const before = [1, 2, 3, 4].map((subject) => `DLE EOT ${String(subject)}`)
    expect(jobs[0]?.commands).toEqual([...before, 'init', 'feed 4', 'cut', 'init', 'GS r 1', ...before])
  })

  it.skipIf(!ready)('prints labels of all carriers in all layouts, with readable barcodes', async () => {
    const { port, jobs } = await start()
    const printer = printerAt(port)
    for (const carrier of carriers) {
      for (const layout of layouts) {
        const drawn = await carrier.drawReturnLabel(returnLabelJob({ layout, serial: 99, sandbox: false }))
        expect(await printOn(printer, request(drawn.pdf))).toMatchObject({ kind: 'confirmed' })
        const printed = jobs.at(-1)?.labels ?? []
        expect(printed).toHaveLength(1)
        const codes = printed[0] ? await readBitmap(printed[0]) : []
        expect(codes.map((code) => code.text)).toEqual([drawn.trackingCode, drawn.trackingCode])
      }
    }
    expect(jobs).toHaveLength(carriers.length * layouts.length)
  })

  it('prints two jobs one after the other, each once', async () => {
    const { port, jobs } = await start()
    const printer = printerAt(port)
    const other = await drawLabel(labelSpec({ trackingCode: 'OTHER1' }))
    for (const document of [label, other]) await printOn(printer, request(document))
    const paper = { dpi: 203, widthDots: 832 }
    expect(jobs.map((job) => job.labels)).toEqual([
      await rasterise(label, paper),
      await rasterise(other, paper),
    ])
  })

  it('prints the next label dot for dot and separately, after it stopped reading in the middle of a label', async () => {
    const printer = await start({ kind: 'stops_reading', afterBytes: 60_000 })
    const port = printerAt(printer.port, { timeouts: hasty })
    expect(await printOn(port, request(label))).toMatchObject({ kind: 'unconfirmed' })
    printer.behaviour = { kind: 'ready' }
    printer.jobs.length = 0
    const other = await drawLabel(labelSpec({ trackingCode: 'OTHER1' }))
    // the printer takes the first query of the status as dots and responds to the second one
    expect(await printOn(port, request(other))).toMatchObject({ kind: 'confirmed' })
    expect(printer.jobs[0]?.labels.slice(1)).toEqual(await rasterise(other, { dpi: 203, widthDots: 832 }))
  })

  it('gets no label while it has no paper, after it stopped reading in the middle of a label', async () => {
    const printer = await start({ kind: 'stops_reading', afterBytes: 60_000 })
    const port = printerAt(printer.port, { timeouts: hasty })
    expect(await printOn(port, request(label))).toMatchObject({ kind: 'unconfirmed' })
    printer.behaviour = { kind: 'paper_out' }
    printer.jobs.length = 0
    expect(await printOn(port, request(label))).toMatchObject({
      kind: 'refused',
      failure: { params: { cause: 'paper_out' } },
    })
    expect(printer.jobs.flatMap(({ labels }) => labels).slice(1)).toEqual([])
  })

  it('returns no evidence that an interrupted job was printed', async () => {
    expect(await evidenceOf(printerAt(1), request(label))).toBeNull()
  })
})

describe('the outcome of an ESC/POS print', () => {
  interface Fault {
    readonly behaviour: FakeBehaviour
    readonly timeouts: typeof patient
    readonly kinds: readonly PrintOutcome['kind'][]
    readonly cause?: string
    /** Number of labels that the printer printed completely. */
    readonly printed?: number
  }
  const refused = (kind: 'paper_out' | 'cover_open' | 'error' | 'offline'): Fault => ({
    behaviour: { kind },
    timeouts: patient,
    kinds: ['refused'],
    cause: kind,
    printed: 0,
  })
  const faults: Fault[] = [
    refused('paper_out'),
    refused('cover_open'),
    refused('error'),
    refused('offline'),
    // Cases with a fault before any byte of the label was sent.
    { behaviour: { kind: 'resets', afterBytes: 0 }, timeouts: patient, kinds: ['refused'], printed: 0 },
    { behaviour: { kind: 'closes', afterBytes: 0 }, timeouts: patient, kinds: ['refused'], printed: 0 },
    { behaviour: { kind: 'floods', from: 'start' }, timeouts: patient, kinds: ['refused'], cause: 'error' },
    // Cases in which a part of the label was sent, and another part may still be in the buffers of the kernel.
    { behaviour: { kind: 'resets', afterBytes: 20 }, timeouts: hasty, kinds: ['partial', 'unconfirmed'] },
    { behaviour: { kind: 'resets', afterBytes: 60_000 }, timeouts: hasty, kinds: ['partial', 'unconfirmed'] },
    { behaviour: { kind: 'closes', afterBytes: 60_000 }, timeouts: hasty, kinds: ['partial', 'unconfirmed'] },
    { behaviour: { kind: 'never_reads' }, timeouts: hasty, kinds: ['partial', 'unconfirmed'], printed: 0 },
    {
      behaviour: { kind: 'runs_out', afterBytes: 60_000 },
      timeouts: { ...patient, labelMs: 300 },
      kinds: ['unconfirmed'],
      cause: 'paper_out',
    },
    {
      behaviour: { kind: 'never_closes' },
      timeouts: hasty,
      kinds: ['unconfirmed'],
      cause: 'not_closed',
      printed: 1,
    },
    {
      behaviour: { kind: 'floods', from: 'label' },
      timeouts: patient,
      kinds: ['unconfirmed'],
      cause: 'error',
      printed: 1,
    },
    // Cases in which the printer has no fault, but its responses give the desk less information than usual, or it sends
    // unrequested status.
    {
      behaviour: { kind: 'silent' },
      timeouts: { ...patient, statusMs: 200 },
      kinds: ['sent'],
      printed: 1,
    },
    {
      behaviour: { kind: 'real_time_only' },
      timeouts: { ...patient, labelMs: 300 },
      kinds: ['sent'],
      printed: 1,
    },
    { behaviour: { kind: 'chatty' }, timeouts: patient, kinds: ['confirmed'], printed: 1 },
  ]

  it.each(faults)(
    'is $kinds if the fake printer behaves as $behaviour',
    async ({ behaviour, timeouts, kinds, cause, printed }) => {
      const { port, jobs } = await start(behaviour)
      const outcome = await printOn(printerAt(port, { timeouts }), request(label))
      expect(kinds).toContain(outcome.kind)
      if ('failure' in outcome) {
        const code = outcome.kind === 'refused' ? 'printer.refused' : 'printer.outcome_unknown'
        expect(outcome.failure).toMatchObject({ code, params: { printer: 'fake' } })
        if (cause !== undefined) expect(outcome.failure.params).toMatchObject({ cause })
      }
      if (printed !== undefined) expect(jobs.flatMap((job) => job.labels)).toHaveLength(printed)
      // The outcome `refused` means that no raster data was sent.
      if (outcome.kind === 'refused') expect(jobs).toEqual([])
    },
  )

  it('is partial if the printer stops reading before the whole label is sent', async () => {
    const { port } = await start({ kind: 'never_reads' })
    const connection = await openRaw({ host: '127.0.0.1', port }, 5_000)
    if ('cause' in connection) throw new Error(connection.cause)
    // The data of a label of 15 metres exceeds the kernel's buffers of a connection.
    const endless = { widthDots: 832, heightDots: 120_000, bytes: new Uint8Array(104 * 120_000) }
    expect(await exchange(connection, [endless], hasty)).toEqual({ kind: 'partial', cause: 'stalled' })
    await connection.finish(100)
  })

  it.each([
    { limit: 'sending all labels', behaviour: 'reads_slowly', rows: 120_000, result: 'partial' },
    { limit: 'printing all labels', behaviour: 'real_time_only', rows: 8, result: 'sent' },
  ] as const)(
    'is `$result` after the time limit for $limit of a job, whatever the number of labels: $behaviour',
    async ({ behaviour, rows, result }) => {
      const { port } = await start({ kind: behaviour })
      const connection = await openRaw({ host: '127.0.0.1', port }, 5_000)
      if ('cause' in connection) throw new Error(connection.cause)
      const one = { widthDots: 832, heightDots: rows, bytes: new Uint8Array(104 * rows) }
      const labels = Array.from({ length: 5 }, () => one)
      const from = performance.now()
      expect(await exchange(connection, labels, { ...patient, statusMs: 200, jobMs: 600 })).toMatchObject({
        kind: result,
      })
      expect(performance.now() - from).toBeLessThan(20_000)
      await connection.finish(100)
    },
  )

  it('is `refused` if no program listens at the port of the printer', async () => {
    const gone = await startFakeEscposPrinter()
    await gone.close()
    const printer = printerAt(gone.port)
    const failure = { code: 'printer.refused', params: { printer: 'fake', cause: 'ECONNREFUSED' } }
    expect(await printOn(printer, request(label))).toEqual({ kind: 'refused', failure })
    expect(await printer.status()).toEqual({ state: 'refused', failure })
  })

  it('is `refused` if the host name of the printer does not exist', async () => {
    const outcome = await printOn(printerAt(9100, { host: 'printer.invalid' }), request(label))
    expect(outcome).toMatchObject({ kind: 'refused', failure: { code: 'printer.refused' } })
  })

  it.each([
    ['a file that is no PDF', new TextEncoder().encode('<html>'), 104, 'document.not_a_pdf'],
    ['a damaged PDF', new TextEncoder().encode('%PDF-1.7'), 104, 'document.unreadable'],
    ['a label too wide for the paper', label, 58, 'printer.paper_too_narrow'],
  ] as const)('is refused for %s before a connection is opened', async (_, document, paperMm, code) => {
    const { port, jobs } = await start()
    const outcome = await printOn(printerAt(port, { paperMm }), request(document))
    expect(outcome).toMatchObject({ kind: 'refused', failure: { code } })
    expect(jobs).toEqual([])
  })
})

describe('the state of an ESC/POS printer', () => {
  it.each([
    [{ kind: 'ready' }, patient, 'ready'],
    [{ kind: 'chatty' }, patient, 'ready'],
    [{ kind: 'silent' }, hasty, 'unknown'],
    [{ kind: 'never_reads' }, hasty, 'unknown'],
    [{ kind: 'paper_out' }, patient, 'refused'],
    [{ kind: 'cover_open' }, patient, 'refused'],
    [{ kind: 'error' }, patient, 'refused'],
    [{ kind: 'offline' }, patient, 'refused'],
  ] as const)('is determined for a fake printer that behaves as %o', async (behaviour, timeouts, state) => {
    const { port } = await start(behaviour)
    const condition = await printerAt(port, { timeouts }).status()
    expect(condition.state).toBe(state)
    expect(condition.failure?.params['cause'] ?? null).toBe(state === 'refused' ? behaviour.kind : null)
  })
})

describe('raster data for an ESC/POS printer', () => {
  it('arrives unchanged, whatever its size and its dots are', async () => {
    // The printer sends text that the desk does not read. This unread text must not keep the connection open.
    const { port, jobs } = await start({ kind: 'chatty' })
    const bitmap = fc
      .tuple(fc.integer({ min: 1, max: 2_100 }), fc.integer({ min: 1, max: 600 }), fc.nat())
      .map(([widthDots, heightDots, salt]) => {
        const bytes = new Uint8Array(((widthDots + 7) >> 3) * heightDots)
        // The bytes are computed from a seed, because fast-check would be slow with half a megabyte of bytes that it
        // can shrink.
        for (let at = 0, value = salt + 1; at < bytes.length; at++) {
          value = (value * 1_103_515_245 + 12_345) & 0x7fffffff
          bytes[at] = value >> 16
        }
        return { widthDots, heightDots, bytes }
      })
    await fc.assert(
      fc.asyncProperty(fc.array(bitmap, { minLength: 1, maxLength: 3 }), async (labels) => {
        const connection = await openRaw({ host: '127.0.0.1', port }, 5_000)
        if ('cause' in connection) throw new Error(connection.cause)
        expect(await connection.write(await escposBytes(labels), 5_000)).toBeNull()
        expect(await connection.finish(5_000)).toBeNull()
        const padded = labels.map((sent) => ({ ...sent, widthDots: ((sent.widthDots + 7) >> 3) * 8 }))
        expect(jobs.at(-1)?.labels).toEqual(padded)
      }),
      { seed, numRuns: count(15, 300) },
    )
  })

  it('is tested with a fake printer that closes its connection when the sender closes it', async () => {
    const { port } = await start({ kind: 'silent' })
    const socket = connect(port, '127.0.0.1')
    socket.end()
    await new Promise((resolve) => socket.once('close', resolve))
    expect(socket.destroyed).toBe(true)
  })
})
