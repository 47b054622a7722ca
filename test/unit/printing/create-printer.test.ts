import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { decode } from 'fast-png'
import { describe, expect, it } from 'vitest'
import { drawLabel } from '#labels/draw/draw-label.ts'
import { createPrinter } from '#printing/create-printer.ts'
import { printOn } from '#support/print-on.ts'
import { labelSpec } from '#support/label-specs.ts'

const folder = { name: 'folder', folder: tmpdir() }

describe('createPrinter', () => {
  it('makes the folder printer', () => {
    expect(createPrinter({ kind: 'folder' }, folder)).toMatchObject(folder)
  })

  it('makes the folder printer draw a picture of each page', async () => {
    const paper = await mkdtemp(join(tmpdir(), 'scandesk-paper-'))
    try {
      const printer = createPrinter({ kind: 'folder' }, { name: 'folder', folder: paper })
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

  it('makes a network printer named after its address', () => {
    const settings = { kind: 'escpos', host: '10.0.0.7', port: 9100, paperMm: 104, dpi: 203 } as const
    expect(createPrinter(settings, folder)).toMatchObject({ name: 'escpos 10.0.0.7:9100', folder: null })
  })

  it('makes a printer behind a device file, named after it', () => {
    const settings = { kind: 'escpos', host: '', port: 9100, device: '/dev/usb/lp0' } as const
    expect(createPrinter({ ...settings, paperMm: 104, dpi: 203 }, folder)).toMatchObject({
      name: 'escpos /dev/usb/lp0',
    })
  })

  it('makes a ZPL printer named after its address', () => {
    const settings = {
      kind: 'zpl',
      host: 'zebra-1',
      port: 9100,
      widthMm: 104,
      dpi: 203,
      media: 'label',
      darkness: null,
      inchesPerSecond: null,
      graphics: 'z64',
    } as const
    expect(createPrinter(settings, folder)).toMatchObject({ name: 'zpl zebra-1:9100', folder: null })
  })

  it('makes a printer of Windows named after its queue', () => {
    const media = { widthMm: 102, heightMm: 152 }
    const settings = { kind: 'windows', queue: 'Zebra', media, dpi: 203 } as const
    expect(createPrinter(settings, folder)).toMatchObject({ name: 'windows Zebra', folder: null })
  })

  it('makes a queue named after its address', () => {
    const uri = 'ipp://localhost/printers/label'
    const settings = { kind: 'ipp', uri, media: 'na_index-4x6_4x6in', dpi: 203 } as const
    expect(createPrinter(settings, folder)).toMatchObject({ name: `ipp ${uri}`, folder: null })
  })
})
