import { describe, expect, it } from 'vitest'
import { printerName } from '#ui/printer-name.ts'

describe('the name of a printer', () => {
  it.each([
    ['folder', true, 'Label folder'],
    ['Label folder', true, 'Label folder'],
    ['Scans of the dock', true, 'Scans of the dock'],
    ['escpos 10.0.0.7:9100', false, 'Receipt printer (ESC/POS)'],
    ['zpl zebra-1:9100', false, 'Label printer (ZPL)'],
    ['ipp ipp://localhost/printers/label', false, 'Printer or queue (IPP)'],
    ['windows Dymo', false, 'Printer of Windows'],
    ['folder of the dock', false, 'folder of the dock'],
    ['Zebra at the door', false, 'Zebra at the door'],
  ])('%s, in a folder: %s, is %s', (name, inFolder, words) => {
    expect(printerName(name, inFolder)).toBe(words)
  })
})
