const share = Number(process.env['SCANDESK_BENCH_SHARE'] ?? 1)

/** So many, or the share of them that SCANDESK_BENCH_SHARE names: to see that a bench runs, not to measure. */
export function shareOf(count: number, atLeast = 1): number {
  if (!(share > 0 && share <= 1)) throw new Error('SCANDESK_BENCH_SHARE is a number up to 1')
  return Math.max(Math.min(atLeast, count), Math.round(count * share))
}
