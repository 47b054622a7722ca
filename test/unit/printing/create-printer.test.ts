import { tmpdir } from 'node:os'
import { describe, expect, it } from 'vitest'
import { createPrinter } from '#printing/create-printer.ts'

const folder = { name: 'folder', folder: tmpdir() }

describe('createPrinter', () => {
  it('makes the folder printer', () => {
    expect(createPrinter({ kind: 'folder' }, folder)).toMatchObject(folder)
  })

  it('makes a network printer named after its address', () => {
    const settings = { kind: 'escpos', host: '10.0.0.7', port: 9100, paperMm: 104, dpi: 203 } as const
    expect(createPrinter(settings, folder)).toMatchObject({ name: 'escpos 10.0.0.7:9100', folder: null })
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
})
