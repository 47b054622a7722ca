import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { decode } from 'fast-png'
import { describe, expect, it } from 'vitest'
import { drawLabel } from '#labels/draw/draw-label.ts'
import { createPrinter, paperOf } from '#printing/printer-kinds.ts'
import { plainLayout, type PrinterEntry, type PrinterSettings } from '#shared/bridge/printer-views.ts'
import { printOn } from '#support/print-on.ts'
import { labelSpec } from '#support/label-specs.ts'
import { zplOptions } from '#support/zpl-options.ts'

const entry = (settings: PrinterEntry['settings']): PrinterEntry => ({
  id: 'id-7',
  title: 'Dock 7',
  settings,
  layout: plainLayout,
})

describe('createPrinter()', () => {
  it('creates a folder printer that draws a picture of each page', async () => {
    const paper = await mkdtemp(join(tmpdir(), 'scandesk-paper-'))
    try {
      const printer = createPrinter(entry({ kind: 'folder' }), paper)
      expect(printer).toMatchObject({ name: 'id-7', title: 'Dock 7', folder: paper })
      const document = await drawLabel(labelSpec())
      const job = { jobId: 'b1', isReprint: false, externalReference: 'WEB-1.R', createdAt: 0 }
      expect(await printOn(printer, { ...job, document })).toMatchObject({ kind: 'confirmed' })
      expect((await readdir(paper)).sort()).toEqual([
        '1970-01-01-WEB-1-R-b1.pdf',
        '1970-01-01-WEB-1-R-b1.png',
      ])
      const picture = decode(await readFile(join(paper, '1970-01-01-WEB-1-R-b1.png')))
      expect(picture).toMatchObject({ width: 812, height: 1218, depth: 1 })
    } finally {
      await rm(paper, { recursive: true, force: true })
    }
  })

  const escpos = { kind: 'escpos', host: '127.0.0.1', port: 1, paperMm: 104, dpi: 203 } as const
  const zpl = {
    widthMm: 104,
    ...zplOptions,
  } as const
  it.each<PrinterEntry['settings']>([
    escpos,
    { ...escpos, host: '', device: '/dev/no-such-printer' },
    { ...escpos, ...zpl, kind: 'zpl' },
    { kind: 'ipp', uri: 'ipp://127.0.0.1:1/ipp/print', media: 'na_index-4x6_4x6in', dpi: 203 },
    { kind: 'windows', queue: 'Zebra', media: { widthMm: 102, heightMm: 152 }, dpi: 203 },
  ])('creates a printer that has its id in jobs and its title in status texts: %o', async (settings) => {
    const printer = createPrinter(entry(settings), '/nowhere')
    expect(printer).toMatchObject({ name: 'id-7', title: 'Dock 7', folder: null })
    // status texts of a printer contain its title, because operators read them
    expect(await printer.status()).toMatchObject({
      state: 'refused',
      failure: { code: 'printer.refused', params: { printer: 'Dock 7' } },
    })
  })
})

const escpos = { kind: 'escpos', host: 'h', port: 9100 } as const
const zpl = {
  kind: 'zpl',
  host: 'h',
  port: 9100,
  ...zplOptions,
} as const
const ipp = { kind: 'ipp', uri: 'ipp://localhost/printers/x' } as const
const cases: readonly (readonly [PrinterSettings, number, number | null])[] = [
  [{ kind: 'folder' }, 812, 1218],
  [{ ...escpos, paperMm: 58, dpi: 203 }, 384, null],
  [{ ...escpos, paperMm: 104, dpi: 300 }, 1228, null],
  [{ ...zpl, widthMm: 104, dpi: 203 }, 832, null],
  [{ ...zpl, widthMm: 104, dpi: 300 }, 1228, null],
  [{ ...ipp, media: 'na_index-4x6_4x6in', dpi: 203 }, 812, 1218],
  [{ ...ipp, media: { widthMm: 210, heightMm: 297 }, dpi: 300 }, 2480, 3508],
]

describe('the paper of a printer', () => {
  it.each(cases)('is $1 dots wide with the settings $0', (settings, widthDots, heightDots) => {
    expect(paperOf(settings)).toMatchObject({ widthDots, heightDots })
  })
})
