import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { PreparedPrint, PrintPage } from '#desk/ports/printers.ts'
import { drawLabel } from '#labels/draw/draw-label.ts'
import { type DotBox, inkBox } from '#labels/pixels/bitmap.ts'
import { withDocument } from '#labels/pixels/pdfium.ts'
import { createPrinter } from '#printing/printer-kinds.ts'
import {
  plainLayout,
  type PrinterEntry,
  type PrinterLayout,
  type PrinterSettings,
} from '#shared/bridge/printer-views.ts'
import type { PrintPlacement } from '#shared/domain/print-job.ts'
import type { Result } from '#shared/errors/result.ts'
import { labelSpec } from '#support/label-specs.ts'
import { zplOptions } from '#support/zpl-options.ts'

const label = await drawLabel(labelSpec())
const address = { host: '127.0.0.1', port: 1, dpi: 203 } as const
const zpl = { widthMm: 110, ...zplOptions } as const
const printers: readonly PrinterSettings[] = [
  { kind: 'folder' },
  { kind: 'zpl', ...address, ...zpl },
  { kind: 'escpos', ...address, paperMm: 104 },
  { kind: 'ipp', uri: 'ipp://127.0.0.1:1/ipp/print', media: 'iso_a4_210x297mm', dpi: 203 },
]
const dots = (mm: number): number => Math.round((mm * 203) / 25.4)

let paper: string
beforeAll(async () => {
  paper = await mkdtemp(join(tmpdir(), 'scandesk-layout-'))
})
afterAll(() => rm(paper, { recursive: true, force: true }))

/** Returns the output that a printer with these settings would get. */
function prepared(
  settings: PrinterSettings,
  change: Partial<PrinterLayout>,
  placement: PrintPlacement | null = null,
  jobId = 'job',
  document = label,
): Promise<Result<PreparedPrint>> {
  const layout = { ...plainLayout, ...change }
  const entry: PrinterEntry = { id: 'one', title: 'One', settings, layout }
  const job = { jobId, isReprint: false, externalReference: null, createdAt: 0 }
  return createPrinter(entry, paper).prepare({ ...job, document, placement })
}
async function onlyPage(...terms: Parameters<typeof prepared>): Promise<PrintPage> {
  const print = await prepared(...terms)
  if (!print.ok) throw new Error(print.error.code)
  const [page, ...others] = print.value.pages
  if (!page || others.length > 0) throw new Error('not one page')
  return page
}
const inkOf = (page: PrintPage): DotBox => inkBox(page) ?? { x: 0, y: 0, width: 0, height: 0 }

describe.each(printers)('the content on the paper of a printer of the kind $kind', (settings) => {
  it('is moved by the offset of the printer, and keeps every barcode', async () => {
    const plain = await onlyPage(settings, {})
    const moved = await onlyPage(settings, { offsetXMm: -0.5, offsetYMm: 1 })
    const ink = inkOf(plain)
    expect(inkOf(moved)).toEqual({ ...ink, x: ink.x + dots(-0.5), y: ink.y + dots(1) })
    expect(moved.codes.toSorted()).toEqual(plain.codes.toSorted())
    expect(moved.widthDots).toBe(plain.widthDots)
  })

  it('is turned as configured for the printer, unless the operator chose another rotation for the job', async () => {
    const plain = inkOf(await onlyPage(settings, {}))
    const upsideDown = await onlyPage(settings, { turn: 180 })
    // the edges of a drawing that is turned upside down may be shifted by one dot
    for (const side of ['width', 'height'] as const)
      expect(Math.abs(inkOf(upsideDown)[side] - plain[side])).toBeLessThanOrEqual(1)
    expect(inkOf(upsideDown)).not.toEqual(plain)
    const byHand = await onlyPage(settings, { turn: 180 }, { turn: 0, crop: 'page' })
    expect(inkOf(byHand)).toEqual(plain)
  })

  it('is refused if the configured offset would move ink over the edge of the paper', async () => {
    const offsetYMm = settings.kind === 'ipp' ? 0 : -20
    // on A4 the label is in the middle, so this offset would move no ink over the edge
    const wide = settings.kind === 'ipp' ? { ...settings, media: 'na_index-4x6_4x6in' } : settings
    expect(await prepared(wide, { offsetXMm: -20, offsetYMm })).toMatchObject({
      ok: false,
      error: { code: 'printer.paper_too_narrow' },
    })
  })
})

describe('the files of the folder printer', () => {
  it('contain the PDF page moved by the configured offset, and a picture of the page', async () => {
    const print = await prepared({ kind: 'folder' }, { offsetXMm: 1, offsetYMm: 0.5 }, null, 'moved')
    if (!print.ok) throw new Error(print.error.code)
    expect(await print.value.send()).toMatchObject({ kind: 'confirmed' })
    const name = (await readdir(paper)).find((file) => file.includes('moved') && file.endsWith('.pdf'))
    const page = await withDocument(await readFile(join(paper, name ?? '')), (document) =>
      document.render(0, 203),
    )
    const plain = await withDocument(label, (document) => document.render(0, 203))
    const ink = inkBox(plain)
    expect(inkBox(page)).toEqual(ink && { ...ink, x: ink.x + dots(1), y: ink.y + dots(0.5) })
    expect(page).toMatchObject({ widthDots: plain.widthDots, heightDots: plain.heightDots })
    expect(await readdir(paper)).toContain(name?.replace('.pdf', '.png'))
  })

  it.each(['4x6', 'sheet'] as const)(
    'are previewed and written in the rotation that the operator chose: layout %s',
    async (layout) => {
      const document = await drawLabel(labelSpec({ layout }))
      const plain = await onlyPage({ kind: 'folder' }, {}, null, 'upright', document)
      const print = await prepared(
        { kind: 'folder' },
        {},
        { turn: 90, crop: 'auto' },
        `turned-${layout}`,
        document,
      )
      if (!print.ok) throw new Error(print.error.code)
      const [shown] = print.value.pages
      expect(shown).toMatchObject({ widthDots: plain.heightDots, heightDots: plain.widthDots })
      expect(shown?.laid).toEqual({ turn: 90, part: 'page' })
      expect(shown?.codes.toSorted()).toEqual(plain.codes.toSorted())
      const sent = await print.value.send()
      const file = sent.kind === 'confirmed' ? (sent.file ?? '') : ''
      const written = await withDocument(await readFile(file), (pdf) => pdf.render(0, 203))
      expect(inkBox(written)).toEqual(shown && inkBox(shown))
    },
  )

  it('contain the document unchanged, byte for byte, if no offset and no rotation is set', async () => {
    const print = await prepared({ kind: 'folder' }, {}, null, 'plain')
    const sent = print.ok ? await print.value.send() : null
    const file = sent?.kind === 'confirmed' ? (sent.file ?? '') : ''
    expect(new Uint8Array(await readFile(file))).toEqual(new Uint8Array(label))
  })
})
