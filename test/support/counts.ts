/** Returns the number of cases of a test: `small` by default, `long` with SCANDESK_LONG=1 (npm run test:long). */
export function count(small: number, long: number): number {
  return process.env['SCANDESK_LONG'] === '1' ? long : small
}

/** The seed of all random tests. SCANDESK_SEED replaces it. */
export const seed: number = Number(process.env['SCANDESK_SEED'] ?? 20_260_105)
