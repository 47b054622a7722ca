import { expect, it } from 'vitest'
import { isOnPaper, printStates } from '#shared/domain/print-job.ts'

it('calls paper what came out of a printer, and of a folder only what was scanned', () => {
  const onPaper = (isFile: boolean): readonly string[] =>
    printStates.filter((state) => isOnPaper(state, isFile))
  expect(onPaper(false)).toEqual(['sent', 'spooled', 'confirmed', 'scan_confirmed'])
  expect(onPaper(true)).toEqual(['scan_confirmed'])
})
