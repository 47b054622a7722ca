import { describe, expect, it } from 'vitest'
import { printerName } from '#place/print-words.ts'

describe('the displayed name of a printer', () => {
  it.each([
    ['folder', true, 'Label folder'],
    ['Label folder', true, 'Label folder'],
    ['Scans of the dock', true, 'Scans of the dock'],
    ['folder of the dock', false, 'folder of the dock'],
    ['Zebra at the door', false, 'Zebra at the door'],
  ])('for the title "%s" and the label-folder flag %s is "%s"', (name, inFolder, words) => {
    expect(printerName(name, inFolder)).toBe(words)
  })
})
