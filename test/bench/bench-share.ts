const share = Number(process.env['SCANDESK_BENCH_SHARE'] ?? 1)

/**
 * Returns the number of repetitions or rows: `count`, multiplied by SCANDESK_BENCH_SHARE if set. The result is at least
 * `atLeast`, but not more than `count`. A run with a small share only shows that the bench works; the figures of such a
 * run are meaningless.
 */
export function shareOf(count: number, atLeast = 1): number {
  if (!(share > 0 && share <= 1)) throw new Error('SCANDESK_BENCH_SHARE is a number up to 1')
  return Math.max(Math.min(atLeast, count), Math.round(count * share))
}
