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
 * Runs a control of a fault suite with `kills` kills (or cases), until it reports a fault, at most five times. Returns
 * the number of faults of the last run. The kills of a short run may all miss the moments that lead to the fault, most
 * of all on a busy machine. Each further run therefore has another seed and twice as many kills.
 */
export async function faultsOfControl(
  kills: number,
  run: (kills: number, seed: number) => Promise<number>,
): Promise<number> {
  let found = 0
  for (let turn = 0; turn < 5 && found === 0; turn++) found = await run(kills * 2 ** turn, seed + turn)
  return found
}
