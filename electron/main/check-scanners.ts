import type { ScannerEntry, ScannerSetup } from '#shared/bridge/scanner-views.ts'
import { fail, ok, type Result } from '#shared/errors/result.ts'

/** Scanners that can be used together. Errors: `scanner.same_twice` {scanner, other}, titles of one id or one port. */
export function checkScanners(setup: ScannerSetup): Result<ScannerSetup> {
  const { scanners } = setup
  for (const [at, scanner] of scanners.entries()) {
    const other = scanners.slice(0, at).find((one) => isSame(one, scanner))
    if (other) return fail('scanner.same_twice', { scanner: scanner.title, other: other.title })
  }
  return ok(setup)
}

function isSame(one: ScannerEntry, other: ScannerEntry): boolean {
  return one.id === other.id || portOf(one) === portOf(other)
}

/** Windows does not tell `COM3` from `com3`; elsewhere the name of a file is exact. */
function portOf({ settings: { path } }: ScannerEntry): string {
  return /^com\d+$/i.test(path) ? path.toUpperCase() : path
}
