import fc from 'fast-check'

// the message of a failed property test contains the cause of the failure, because the summary of a run shows only the
// message
fc.configureGlobal({ includeErrorInReport: true })

/** Returns the number of cases of a test: `small` by default, `long` with SCANDESK_LONG=1 (npm run test:long). */
export function count(small: number, long: number): number {
  return process.env['SCANDESK_LONG'] === '1' ? long : small
}

/** The seed of all random tests. SCANDESK_SEED replaces it. */
export const seed: number = Number(process.env['SCANDESK_SEED'] ?? 20_260_105)

/**
 * Runs a control of a fault suite until it reports a fault, at most five times, and returns the number of faults of the
 * last run. In a run with few kills, the kills may miss the moments that lead to the fault, most of all on a busy
 * machine, so each run has another seed.
 */
export async function faultsOfControl(run: (seed: number) => Promise<number>): Promise<number> {
  let found = 0
  for (let turn = 0; turn < 5 && found === 0; turn++) found = await run(seed + turn)
  return found
}
