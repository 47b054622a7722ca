import type { LineScan } from '../../src/app/scan-line.ts'

/** A text as the keyboard scanner gives it to the line of scans. `inBurst`: together with another code. */
export function heard(raw: string, inBurst = false): LineScan {
  return { raw, inBurst, scannerId: 'keyboard' }
}
