import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Desk } from '#desk/desk.ts'
import { standardSpace } from '#kit/disk-space.ts'
import { readSymbols } from '#labels/read/read-label.ts'
import { rasterise } from '#labels/place/lay-labels.ts'
import type { SheetWish } from '#shared/bridge/paper-views.ts'
import { type PaperOutcome, plainLayout, type PrinterSettings } from '#shared/bridge/printer-views.ts'
import { failure } from '#shared/errors/catalogue.ts'
import { fail } from '#shared/errors/result.ts'
import { PaperMaker } from '../../../electron/main/paper-maker.ts'

type Printed = Parameters<Desk['paper']['print']>[0]

const words = { title: 'Test page', lead: '21 Nov 2026', hint: 'Scan it.', block: 'Even?' }
const wish: SheetWish = {
  kind: 'locations',
  format: 'a4',
  title: 'Locations',
  lead: '',
  groups: [{ heading: '', entries: [{ code: 'A-01', words: 'A-01', note: '' }] }],
  printerId: 'till',
}
const till: PrinterSettings = { kind: 'escpos', host: 'h', port: 9100, paperMm: 80, dpi: 203 }

let folder: string
let printed: Printed[]
/** The station ids with which `desk` was called, in the order of the calls. */
let asked: (string | undefined)[]
let printers: Partial<Record<string, PrinterSettings>>
let outcome: PaperOutcome
/** Called when a print begins. The print ends when the returned promise settles. */
let onPrint: () => Promise<undefined>
let maker: PaperMaker
let free: number

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'scandesk-paper-'))
  printed = []
  asked = []
  printers = { till }
  outcome = { kind: 'sent', file: null, failure: null }
  onPrint = () => Promise.resolve(undefined)
  free = 2 * standardSpace.leastFree
  maker = new PaperMaker({
    desk(stationId) {
      asked.push(stationId)
      const print = (request: Printed): Promise<PaperOutcome> => {
        printed.push(request)
        return onPrint().then(() => outcome)
      }
      return Promise.resolve({ paper: { print } })
    },
    printerOf(id) {
      const settings = printers[id ?? 'till']
      return settings ? { id: id ?? 'till', title: 'Till', settings } : null
    },
    printers: () =>
      Object.entries(printers).flatMap(([id, settings]) =>
        settings ? [{ id, title: id, settings, layout: plainLayout }] : [],
      ),
    folder: join(folder, 'labels'),
    now: () => new Date('2026-11-21T14:07:09.500Z'),
    space: { ...standardSpace, freeBytes: () => free },
  })
})
afterEach(() => rm(folder, { recursive: true, force: true }))

async function read(pdf: Uint8Array, widthDots: number): Promise<string[]> {
  const bitmaps = await rasterise(pdf, { dpi: 203, widthDots }, { turn: 0, crop: 'page' })
  const found = await Promise.all(bitmaps.map((bitmap) => readSymbols(bitmap, 203)))
  return found
    .flat()
    .map(({ text }) => text)
    .toSorted()
}

describe('PaperMaker', () => {
  it('prints a test page with the width of the printer’s paper, and returns the codes on it', async () => {
    const page = await maker.testPage({ printerId: 'till', words })
    if (!page.ok) throw new Error(page.error.code)
    expect(page.value).toMatchObject({ dpi: 203, outcome: { kind: 'sent' } })
    const [request] = printed
    expect(request).toMatchObject({ printerId: 'till', reference: `test-page-${page.value.run}` })
    const legible = page.value.marks.filter(({ moduleDots }) => moduleDots > 1).map(({ code }) => code)
    const seen = await read(request?.document ?? new Uint8Array(), 576)
    expect(seen).toEqual(expect.arrayContaining(legible))
  })

  it('refuses a test page for a printer that was removed', async () => {
    expect(await maker.testPage({ printerId: 'other', words })).toMatchObject({
      ok: false,
      error: { code: 'printer.refused', params: { cause: 'gone' } },
    })
    expect(printed).toEqual([])
  })

  it('prints a sheet on A4 or on a label of the printer, at the desk of the station that the call names', async () => {
    expect(await maker.sheet(wish, 'alder')).toEqual({
      ok: true,
      value: { pages: 1, outcome: { kind: 'sent', file: null, failure: null }, wider: [] },
    })
    await maker.sheet({ ...wish, format: 'label' })
    expect(asked).toEqual(['alder', undefined])
    const [page, label] = printed.map(({ document }) => document)
    expect(await read(page ?? new Uint8Array(), 1678)).toEqual(['A-01'])
    expect(await read(label ?? new Uint8Array(), 576)).toEqual(['A-01'])
  })

  it('returns the printers with wide enough paper if a sheet does not fit the paper of the chosen printer', async () => {
    const ipp = (media: string): PrinterSettings => ({
      kind: 'ipp',
      uri: 'ipp://h/printers/q',
      media,
      dpi: 203,
    })
    printers = {
      till,
      dock: { ...till, paperMm: 104 },
      office: ipp('iso_a4_210x297mm'),
      letters: ipp('iso_a5_148x210mm'),
      wall: { kind: 'windows', queue: 'Wall', media: { widthMm: 297, heightMm: 420 }, dpi: 300 },
      folder: { kind: 'folder' },
    }
    const narrow = failure('printer.paper_too_narrow', { neededMm: 210, printableMm: 72 })
    outcome = { kind: 'refused', file: null, failure: narrow }
    expect(await maker.sheet(wish)).toMatchObject({
      ok: true,
      value: { outcome, wider: ['office', 'wall', 'folder'] },
    })
  })

  it('saves a barcode sheet in the label folder, under a name with the time and the kind of the codes', async () => {
    const saved = await maker.sheetPdf(wish)
    if (!saved.ok) throw new Error(saved.error.code)
    expect(saved.value.file).toBe(join(folder, 'labels', '2026-11-21T140709-locations.pdf'))
    expect(await read(await readFile(saved.value.file), 1678)).toEqual(['A-01'])
    expect(printed).toEqual([])
  })

  it('returns the reason if a barcode sheet cannot be saved, and rejects with the reason if it cannot be drawn', async () => {
    await writeFile(join(folder, 'labels'), 'in the way')
    expect(await maker.sheetPdf(wish)).toMatchObject({ ok: false, error: { params: { cause: 'EEXIST' } } })
    await rm(join(folder, 'labels'))
    free = standardSpace.leastFree
    expect(await maker.sheetPdf(wish)).toMatchObject({ ok: false, error: { params: { cause: 'disk_full' } } })
    expect(await readdir(join(folder, 'labels'))).toEqual([])
    printers = { till: { ...till, paperMm: 58 } }
    const code = 'HALL-4-AISLE-17-RACK-3-SHELF-B'
    const groups = [{ heading: '', entries: [{ code, words: code, note: '' }] }]
    await expect(maker.sheet({ ...wish, format: 'label', groups })).rejects.toMatchObject({
      failure: { code: 'printer.sheet_too_large', params: { side: 'width' } },
    })
  })

  it('draws one test page or sheet at a time, and refuses the calls that arrive meanwhile', async () => {
    const refused = fail('bridge.too_many_calls')
    const [first, ...others] = await Promise.all([
      maker.sheetPdf(wish),
      maker.sheetPdf(wish),
      maker.sheet(wish),
      maker.testPage({ printerId: 'till', words }),
    ])
    expect(first.ok).toBe(true)
    expect(others).toEqual([refused, refused, refused])
    expect(printed).toEqual([])
    expect((await maker.sheet(wish)).ok).toBe(true)
  })

  it('draws and saves a sheet while the printer prints another sheet', async () => {
    const begun = Promise.withResolvers<undefined>()
    const ended = Promise.withResolvers<undefined>()
    onPrint = () => {
      begun.resolve(undefined)
      return ended.promise
    }
    const printing = maker.sheet(wish)
    await begun.promise
    expect((await maker.sheetPdf(wish)).ok).toBe(true)
    ended.resolve(undefined)
    expect((await printing).ok).toBe(true)
  })

  it('accepts the next sheet after a sheet that cannot be drawn', async () => {
    printers = { till: { ...till, paperMm: 58 } }
    const code = 'HALL-4-AISLE-17-RACK-3-SHELF-B'
    const groups = [{ heading: '', entries: [{ code, words: code, note: '' }] }]
    await expect(maker.sheetPdf({ ...wish, format: 'label', groups })).rejects.toThrow()
    expect((await maker.sheetPdf(wish)).ok).toBe(true)
  })

  it('accepts at most ten requests for a test page or sheet in a minute, and refuses the next one', async () => {
    printers = {}
    for (let n = 0; n < 5; n++) {
      expect((await maker.testPage({ printerId: 'till', words })).ok).toBe(false)
      expect((await maker.sheet(wish)).ok).toBe(false)
    }
    expect(await maker.sheetPdf(wish)).toMatchObject({ error: { code: 'bridge.too_often' } })
    expect(await readdir(folder)).toEqual([])
  })
})
