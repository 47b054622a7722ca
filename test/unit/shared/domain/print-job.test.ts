import { describe, expect, it } from 'vitest'
import { isOnPaper, printStates } from '#shared/domain/print-job.ts'

describe('isOnPaper()', () => {
  it('returns true for a print that a printer has accepted, but for a label file in a folder only after the printed label was scanned', () => {
    const onPaper = (isFile: boolean): readonly string[] =>
      printStates.filter((state) => isOnPaper(state, isFile))
    expect(onPaper(false)).toEqual(['sent', 'spooled', 'confirmed', 'scan_confirmed'])
    expect(onPaper(true)).toEqual(['scan_confirmed'])
  })
})
