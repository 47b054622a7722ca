import { describe, expect, it } from 'vitest'
import { printerName } from '#place/print-words.ts'

describe('the displayed name of a printer', () => {
  it.each([
    ['folder', true, 'Label folder'],
    ['Label folder', true, 'Label folder'],
    ['Scans of the dock', true, 'Scans of the dock'],
    ['folder of the dock', false, 'folder of the dock'],
    ['Zebra at the door', false, 'Zebra at the door'],
  ])('is $2 for the title $0 and the label-folder flag $1', (name, inFolder, words) => {
    expect(printerName(name, inFolder)).toBe(words)
  })
})
