import type { LineScan } from '../../src/app/scan-line.ts'

/** Returns a text as the keyboard scanner passes it to the line of scans. `inBurst`: together with another code. */
export function heard(raw: string, inBurst = false): LineScan {
  return { raw, inBurst, scannerId: 'keyboard' }
}
