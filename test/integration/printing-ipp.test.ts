import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { rasterise } from '#labels/place/lay-labels.ts'
import { waitUntil } from '#support/child-program.ts'
import { decodePwg } from '#support/decode-pwg.ts'
import {
  canRunIppEverywhere,
  type IppEverywhere,
  type IppEverywhereOptions,
  startIppEverywhere,
} from '#support/ipp-everywhere.ts'
import { causeOf, ippJob, ippLabelCode, ippPrinterAt, patient } from '#support/ipp-jobs.ts'
import { canDecodeLabels, readBitmap, readLabel } from '#support/label-raster.ts'
import { evidenceOf, printOn } from '#support/print-on.ts'

const canDecode = await canDecodeLabels()
/** Time limits for printers that stop responding. They are short, because every wait reaches its limit. */
const hasty = { ...patient, pageMs: 700, faultMs: 200, lostMs: 200 }

let running: IppEverywhere | null = null
afterEach(async () => {
  await running?.close()
  running = null
})

async function start(options?: IppEverywhereOptions): Promise<IppEverywhere> {
  running = await startIppEverywhere(options)
  return running
}

const rasterToPdf = '/usr/lib/cups/filter/rastertopdf'

/** Converts a document with a filter of CUPS and returns the PDF. */
async function run(filter: string, document: Buffer): Promise<Buffer> {
  const folder = await mkdtemp(join(tmpdir(), 'scandesk-filter-'))
  try {
    await writeFile(join(folder, 'document'), document)
    const env = { ...process.env, CONTENT_TYPE: 'image/pwg-raster', FINAL_CONTENT_TYPE: 'application/pdf' }
    const options = { env, cwd: folder, encoding: 'buffer', maxBuffer: 10_000_000 } as const
    return await new Promise((resolve, reject) => {
      execFile(filter, ['1', 'desk', 'label', '1', '', 'document'], options, (error, stdout) => {
        if (error) reject(new Error(filter, { cause: error }))
        else resolve(stdout)
      })
    })
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

describe.skipIf(!canRunIppEverywhere)('an IPP Everywhere printer', () => {
  it.skipIf(!canDecode)('prints a label with a readable barcode, and confirms the print', async () => {
    const { uri, printed } = await start()
    const outcome = await printOn(ippPrinterAt(uri), ippJob())
    expect(outcome).toMatchObject({ kind: 'confirmed', file: null })
    expect('evidence' in outcome && outcome.evidence).toMatch(
      /^ipp job \d+ completed, 1 of 1, printer-state 3 none$/,
    )
    const documents = await printed()
    expect(documents).toHaveLength(1)
    const { codes } = await readLabel(documents[0] ?? new Uint8Array())
    expect(codes.map(({ text }) => text)).toContain(ippLabelCode)
  })

  it.each(['black_1', 'sgray_8'] as const)(
    'without PDF support receives the label dot for dot as %s',
    async (type) => {
      const { uri, printed } = await start({ formats: ['image/pwg-raster'], rasterTypes: [type] })
      expect(await printOn(ippPrinterAt(uri), ippJob())).toMatchObject({ kind: 'confirmed' })
      const [document = Buffer.alloc(0)] = await printed()
      const [page] = decodePwg(document)
      expect(page?.bitmap).toEqual((await rasterise(ippJob().document, { dpi: 203, widthDots: 812 }))[0])
      if (!canDecode || !page) return
      const codes = await readBitmap(page.bitmap)
      expect(codes.map(({ text }) => text)).toEqual([ippLabelCode, ippLabelCode])
      // A filter of CUPS can read the document that Scandesk sent.
      if (!existsSync(rasterToPdf)) return
      const pdf = await run(rasterToPdf, document)
      expect((await readLabel(pdf)).codes.map(({ text }) => text)).toContain(ippLabelCode)
    },
  )

  it('reports that it is ready, without a print', async () => {
    const { uri, begun } = await start()
    expect(await ippPrinterAt(uri).status()).toEqual({ state: 'ready', failure: null })
    expect(await begun()).toBe(0)
  })

  it('does not confirm a print if it does not count pages: the outcome is `sent`', async () => {
    const { uri, setMode, printed } = await start()
    await setMode('uncounted')
    expect(await printOn(ippPrinterAt(uri), ippJob())).toEqual({ kind: 'sent' })
    expect(await printed()).toHaveLength(1)
  })

  it('confirms the label even if it is slow, because the desk waits for the end of the print', async () => {
    const { uri, setMode, printed } = await start()
    await setMode('slow:1')
    expect(await printOn(ippPrinterAt(uri), ippJob())).toMatchObject({ kind: 'confirmed' })
    expect(await printed()).toHaveLength(1)
  })

  it('that does not finish in time leaves a label unconfirmed, and receives the label only once', async () => {
    const { uri, setMode, printed, begun } = await start()
    await setMode('halts')
    const outcome = await printOn(ippPrinterAt(uri, { timeouts: hasty }), ippJob())
    expect(outcome.kind).toBe('unconfirmed')
    expect(causeOf(outcome)).toBe('waiting')
    await setMode('ok')
    await waitUntil(async () => (await printed()).length === 1, 'the label')
    expect(await begun()).toBe(1)
  })

  it('without paper leaves a label unconfirmed, and refuses more labels until paper is added', async () => {
    const { uri, setMode, printed, begun } = await start()
    await setMode('media_empty:600')
    const outcome = await printOn(ippPrinterAt(uri, { timeouts: { ...hasty, pageMs: 20_000 } }), ippJob())
    expect(outcome.kind).toBe('unconfirmed')
    expect(causeOf(outcome)).toBe('paper_out')
    expect((await ippPrinterAt(uri).status()).state).toBe('refused')
    const next = await printOn(ippPrinterAt(uri), ippJob())
    expect(next).toEqual({
      kind: 'refused',
      failure: { code: 'printer.refused', params: { printer: 'ipp', cause: 'paper_out' } },
    })
    expect(await begun()).toBe(1)
    await setMode('ok')
    await waitUntil(async () => (await printed()).length === 1, 'the label')
    await waitUntil(async () => (await ippPrinterAt(uri).status()).state === 'ready', 'the printer')
    expect(await printOn(ippPrinterAt(uri), ippJob())).toMatchObject({ kind: 'confirmed' })
    expect(await printed()).toHaveLength(2)
  })

  it('without paper confirms a label if paper is added within the time limit', async () => {
    const { uri, setMode, printed } = await start()
    await setMode('media_empty:1')
    expect(await printOn(ippPrinterAt(uri), ippJob())).toMatchObject({ kind: 'confirmed' })
    expect(await printed()).toHaveLength(1)
  })

  it('whose cover opens during the print leaves the label unconfirmed, and refuses the next label', async () => {
    const { uri, setMode, printed } = await start()
    await setMode('fails')
    const outcome = await printOn(ippPrinterAt(uri), ippJob())
    expect(outcome.kind).toBe('unconfirmed')
    expect(causeOf(outcome)).toBe('cover_open')
    expect(causeOf(await printOn(ippPrinterAt(uri), ippJob()))).toBe('cover_open')
    expect(await printed()).toEqual([])
  })

  it('that is killed during the print leaves the label unconfirmed', async () => {
    const { uri, setMode, begun, kill, printed } = await start()
    await setMode('halts')
    const printing = printOn(ippPrinterAt(uri, { timeouts: { ...hasty, pageMs: 20_000 } }), ippJob())
    await waitUntil(async () => (await begun()) === 1, 'the job')
    await kill()
    const outcome = await printing
    expect(outcome.kind).toBe('unconfirmed')
    expect(causeOf(outcome)).toBe('ECONNREFUSED')
    expect(await printed()).toEqual([])
  })

  it('that is printing another job refuses a label', async () => {
    const { uri, setMode, begun, printed } = await start()
    await setMode('halts')
    const other = printOn(ippPrinterAt(uri), ippJob())
    await waitUntil(async () => (await begun()) === 1, 'the other job')
    expect(causeOf(await printOn(ippPrinterAt(uri), ippJob()))).toBe('busy')
    await setMode('ok')
    expect(await other).toMatchObject({ kind: 'confirmed' })
    expect(await printed()).toHaveLength(1)
  })

  it('returns evidence of a print only if it has completed and counted the job and has no fault', async () => {
    const { uri, setMode } = await start()
    const printed = ippJob()
    await printOn(ippPrinterAt(uri), printed)
    expect((await evidenceOf(ippPrinterAt(uri), printed))?.evidence).toMatch(/completed, 1 of 1/)
    expect(await evidenceOf(ippPrinterAt(uri), ippJob())).toBeNull()
    await setMode('uncounted')
    const uncounted = ippJob()
    await printOn(ippPrinterAt(uri), uncounted)
    expect(await evidenceOf(ippPrinterAt(uri), uncounted)).toBeNull()
    await setMode('fails')
    const failed = ippJob()
    await printOn(ippPrinterAt(uri), failed)
    expect(await evidenceOf(ippPrinterAt(uri), failed)).toBeNull()
    // While the printer reports a fault, the desk gets no evidence of any print, not even of the first job, which was
    // printed before the fault.
    expect(await evidenceOf(ippPrinterAt(uri), printed)).toBeNull()
  })

  it('is sent no document if it supports no format that the desk can send', async () => {
    const { uri, begun } = await start({ formats: ['image/urf'] })
    expect(causeOf(await printOn(ippPrinterAt(uri), ippJob()))).toBe('format_unsupported')
    expect(await begun()).toBe(0)
  })

  it('refuses a label that is sent to a path without a print queue', async () => {
    const { uri, begun } = await start()
    const outcome = await printOn(ippPrinterAt(uri.replace('/ipp/print', '/printers/nowhere')), ippJob())
    expect(outcome.kind).toBe('refused')
    expect(causeOf(outcome)).toBe('no_queue')
    expect(await begun()).toBe(0)
  })

  it.each([
    ['no PDF', new TextEncoder().encode('<html>'), 'document.not_a_pdf'],
    ['a damaged PDF', new TextEncoder().encode('%PDF-1.7'), 'document.unreadable'],
  ])('is not contacted if the document is %s', async (_, document, code) => {
    const { uri, begun } = await start()
    expect(await printOn(ippPrinterAt(uri), ippJob(document))).toMatchObject({
      kind: 'refused',
      failure: { code },
    })
    expect(await begun()).toBe(0)
  })
})
