import { afterEach, describe, expect, it } from 'vitest'
import { discoverIpp } from '#printing/ipp-discovery.ts'
import { freePort, waitUntil } from '#support/child-program.ts'
import { canRunCups, type PrivateCups, startCups } from '#support/cups.ts'
import { canRunIppEverywhere, type IppEverywhere, startIppEverywhere } from '#support/ipp-everywhere.ts'
import { causeOf, ippJob, ippLabelCode, ippPrinterAt, patient } from '#support/ipp-jobs.ts'
import { canDecodeLabels, readLabel } from '#support/label-raster.ts'
import { evidenceOf, printOn } from '#support/print-on.ts'

const canDecode = await canDecodeLabels()
const hasty = { ...patient, faultMs: 300, lostMs: 300 }

let cups: PrivateCups | null = null
let device: IppEverywhere | null = null
afterEach(async () => {
  await cups?.close()
  await device?.close()
  cups = device = null
})

async function start(): Promise<{ cups: PrivateCups; device: IppEverywhere; uri: string }> {
  device = await startIppEverywhere()
  cups = await startCups()
  return { cups, device, uri: await cups.addQueue('label', device.uri) }
}

async function codesOf(document: Uint8Array | undefined): Promise<string[]> {
  return (await readLabel(document ?? new Uint8Array())).codes.map(({ text }) => text)
}

describe.skipIf(!canRunCups || !canRunIppEverywhere)('a queue of CUPS', () => {
  it('is found by a search, with its address, model and state', async () => {
    cups = await startCups()
    expect(await discoverIpp(cups.uri)).toEqual([])
    device = await startIppEverywhere()
    const label = await cups.addQueue('label', device.uri)
    const other = await cups.addQueue('another', device.uri)
    await cups.command('cupsdisable', 'another')
    const makeAndModel = 'Printer - IPP Everywhere'
    expect(await discoverIpp(cups.uri)).toEqual([
      { name: 'another', uri: other, makeAndModel, state: 'stopped' },
      { name: 'label', uri: label, makeAndModel, state: 'idle' },
    ])
    expect(await discoverIpp(`ipp://127.0.0.1:${String(await freePort())}/`)).toBeNull()
  })

  it.skipIf(!canDecode)('prints a readable label of the right size, with the outcome spooled', async () => {
    const { uri, device } = await start()
    expect(await printOn(ippPrinterAt(uri), ippJob())).toEqual({ kind: 'spooled' })
    const [document] = await device.printed()
    expect(await codesOf(document)).toContain(ippLabelCode)
    // The page must be four by six inches, not the default letter size.
    expect((await readLabel(document ?? new Uint8Array(), 100)).raster).toMatchObject({
      width: 400,
      height: 600,
    })
  })

  it.skipIf(!canDecode)('prints on paper that is chosen by its size', async () => {
    const { uri, device } = await start()
    const printer = ippPrinterAt(uri, { media: { widthMm: 127, heightMm: 177.8 } })
    expect(await printOn(printer, ippJob())).toEqual({ kind: 'spooled' })
    const [document = new Uint8Array()] = await device.printed()
    expect(await codesOf(document)).toContain(ippLabelCode)
    expect((await readLabel(document, 100)).raster).toMatchObject({ width: 500, height: 700 })
  })

  it('leaves a label unconfirmed if its printer has no paper, and refuses the next label', async () => {
    const { uri, device } = await start()
    await device.setMode('media_empty:600')
    const outcome = await printOn(ippPrinterAt(uri, { timeouts: hasty }), ippJob())
    expect(outcome.kind).toBe('unconfirmed')
    expect(causeOf(outcome)).toBe('paper_out')
    expect(causeOf(await printOn(ippPrinterAt(uri), ippJob()))).toBe('paper_out')
    expect(await device.begun()).toBe(1)
    await device.setMode('ok')
    await waitUntil(async () => (await device.printed()).length === 1, 'the label')
  })

  it('resumes printing after its printer has got paper', async () => {
    const { uri, device, cups } = await start()
    await device.setMode('media_empty:600')
    await printOn(ippPrinterAt(uri, { timeouts: hasty }), ippJob())
    await cups.command('cancel', '-U', 'scandesk', '-a', 'label')
    await waitUntil(async () => (await discoverIpp(cups.uri))?.[0]?.state === 'idle', 'the queue')
    expect(causeOf(await printOn(ippPrinterAt(uri), ippJob()))).toBe('paper_out')
    await device.setMode('ok')
    await waitUntil(async () => (await ippPrinterAt(uri).status()).state === 'ready', 'the printer')
    expect(await printOn(ippPrinterAt(uri), ippJob())).toEqual({ kind: 'spooled' })
  })

  it('does not confirm a label if the cover of its printer opens, and refuses the next label', async () => {
    const { uri, device } = await start()
    await device.setMode('fails')
    const outcome = await printOn(ippPrinterAt(uri), ippJob())
    // CUPS may end the job before it detects the open cover. Then the outcome is only that CUPS accepted the job.
    expect(['spooled', 'unconfirmed']).toContain(outcome.kind)
    // The queue detects the open cover a moment after its job has ended.
    await waitUntil(async () => (await ippPrinterAt(uri).status()).state !== 'ready', 'the queue')
    expect(causeOf(await printOn(ippPrinterAt(uri), ippJob()))).toBe('cover_open')
    expect(await device.printed()).toEqual([])
  })

  it('does not confirm a label if its printer is killed during the print, and refuses the next label', async () => {
    const { uri, device } = await start()
    await device.setMode('halts')
    const printing = printOn(ippPrinterAt(uri, { timeouts: { ...patient, pageMs: 4_000 } }), ippJob())
    await waitUntil(async () => (await device.begun()) === 1, 'the job')
    await device.kill()
    expect(['spooled', 'unconfirmed']).toContain((await printing).kind)
    expect(causeOf(await printOn(ippPrinterAt(uri), ippJob()))).toBe('offline')
    expect(await device.printed()).toEqual([])
  })

  it('refuses a label if its printer is off', async () => {
    const { uri, device } = await start()
    await device.kill()
    expect(causeOf(await printOn(ippPrinterAt(uri), ippJob()))).toBe('offline')
  })

  it('leaves a label unconfirmed if CUPS is killed during the print', async () => {
    const { uri, device, cups } = await start()
    await device.setMode('halts')
    const printing = printOn(ippPrinterAt(uri, { timeouts: hasty }), ippJob())
    await waitUntil(async () => (await device.begun()) === 1, 'the job')
    await cups.kill()
    const outcome = await printing
    expect(outcome.kind).toBe('unconfirmed')
    expect(causeOf(outcome)).toBe('ECONNREFUSED')
    expect(causeOf(await printOn(ippPrinterAt(uri), ippJob()))).toBe('ECONNREFUSED')
    await device.setMode('ok')
    await waitUntil(async () => (await device.printed()).length === 1, 'the label')
    await cups.comeBack()
    expect((await ippPrinterAt(uri).status()).state).toBe('ready')
    expect(await discoverIpp(cups.uri)).toMatchObject([{ name: 'label' }])
  })

  it('reports the outcome `spooled` for a label that waits behind another label', async () => {
    const { uri, device } = await start()
    await device.setMode('halts')
    const other = printOn(ippPrinterAt(uri), ippJob())
    await waitUntil(async () => (await device.begun()) === 1, 'the other job')
    const timeouts = { ...patient, pendingMs: 300 }
    expect(await printOn(ippPrinterAt(uri, { timeouts }), ippJob())).toEqual({ kind: 'spooled' })
    expect(await device.begun()).toBe(1)
    await device.setMode('ok')
    expect(await other).toEqual({ kind: 'spooled' })
    await waitUntil(async () => (await device.printed()).length === 2, 'both labels')
  })

  it('refuses a label if it is stopped, rejects jobs or does not exist', async () => {
    const { uri, device, cups } = await start()
    await cups.command('cupsreject', 'label')
    expect(causeOf(await printOn(ippPrinterAt(uri), ippJob()))).toBe('not_accepting')
    await cups.command('cupsdisable', 'label')
    expect(causeOf(await printOn(ippPrinterAt(uri), ippJob()))).toBe('paused')
    expect(causeOf(await printOn(ippPrinterAt(`${cups.uri}printers/lable`), ippJob()))).toBe('no_queue')
    expect(await device.begun()).toBe(0)
  })

  it('reports that it repeats prints automatically', async () => {
    device = await startIppEverywhere()
    cups = await startCups()
    const uri = await cups.addQueue('label', device.uri, 'retry-job')
    expect(await ippPrinterAt(uri).status()).toEqual({
      state: 'ready',
      failure: { code: 'printer.prints_again', params: { printer: 'ipp', policy: 'retry-job' } },
    })
  })

  it('returns, after the job of a label has ended, no evidence that this label was printed', async () => {
    const { uri } = await start()
    const printed = ippJob()
    await printOn(ippPrinterAt(uri), printed)
    expect(await evidenceOf(ippPrinterAt(uri), printed)).toBeNull()
  })
})
